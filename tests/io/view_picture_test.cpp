// The views as pixels, against tests/io/pictures: to accept a change on purpose, run these tests with
// ATTNSCOPE_UPDATE_SNAPSHOTS=1 and look at the pictures before they are committed.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "support/temporary_folder.h"
#include "view_pictures.h"

namespace attnscope::test {
namespace {

const std::filesystem::path& picture_folder() {
  static const std::filesystem::path folder = ATTNSCOPE_SOURCE_DIR "/tests/io/pictures";
  return folder;
}

std::string picture_name(const std::string& view, const WindowRoom& room, Theme theme) {
  return view + "_" + room.name + "_" + std::string(theme_name(theme)) + ".png";
}

void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Keeps the picture where it can be compared with the expected one, and returns its path.
std::string keep(const std::string& name, const DrawnFigure& drawn) {
  const std::filesystem::path folder = ATTNSCOPE_BUILD_DIR "/pictures";
  write_bytes(folder / name, drawn.small.png());
  write_bytes(folder / "full" / name, drawn.png);
  return (folder / name).string() + ", in full size " + (folder / "full" / name).string();
}

void check_background(const Picture& picture, Rgb color) {
  for (const int x : {0, picture.width() - 1}) {
    for (const int y : {0, picture.height() - 1}) EXPECT_EQ(picture.at(x, y), color) << x << " " << y;
  }
}

/// Whether every cell has the colour of its number in the trace, checked where no number is written.
void check_cells(const Trace& trace, const HeatmapMark& mark, const Picture& picture) {
  constexpr double kMinCell = 4;
  constexpr double kMinWithNumber = 16;
  const double width = mark.box.width / static_cast<double>(mark.columns());
  const double height = mark.box.height / static_cast<double>(mark.rows());
  ASSERT_GE(std::min(width, height), kMinCell) << "cells are too small to be looked at";
  // Texts have ascenders, and may be as wide as their cell.
  const double beside = mark.cell_texts.empty() ? 0.25 : 0.12;
  const double inside = std::min(width, height) < kMinWithNumber ? 0.5 : beside;
  for (Index row = 0; row < mark.rows(); ++row) {
    for (Index column = 0; column < mark.columns(); ++column) {
      // No step has the numbers that the view computes itself.
      const float number =
          mark.step >= 0 ? trace.value(mark.step, mark.index_of(row, column)) : mark.source->held()->at(row, column);
      const auto x = static_cast<int>(mark.box.x + (static_cast<double>(column) + inside) * width);
      const auto y = static_cast<int>(mark.box.y + (static_cast<double>(row) + inside) * height);
      ASSERT_EQ(picture.at(x, y), cell_color(number, mark.scale)) << "row " << row << ", column " << column;
    }
  }
}

/// Whether every word stands on the colour of its number, looked at in a corner without letters.
void check_words(const Figure& figure, const Picture& picture) {
  for (const WordMark& mark : figure.words) {
    if (!mark.value) continue;
    const auto x = static_cast<int>(mark.box.right() - 2.5);
    const auto y = static_cast<int>(mark.box.y + 1.5);
    EXPECT_EQ(picture.at(x, y), cell_color(*mark.value, mark.scale)) << mark.id;
  }
}

/// Whether it equals the file of that name; on request, a file that differs is written anew.
void check_against_file(const std::string& name, const DrawnFigure& drawn) {
  const std::filesystem::path path = picture_folder() / name;
  const std::string fault =
      !std::filesystem::exists(path)
          ? "is not there"
          : picture_fault(drawn.small, SmallPicture(Picture(bytes_of(path))), drawn.letters, kMaxOfOtherLetters);
  if (fault.empty()) return;
  if (std::getenv("ATTNSCOPE_UPDATE_SNAPSHOTS") != nullptr) {
    write_bytes(path, drawn.small.png());
  } else {
    ADD_FAILURE() << path.string() << " " << fault << "\nit is to be looked at beside " << keep(name, drawn)
                  << "\nATTNSCOPE_UPDATE_SNAPSHOTS=1 writes it anew";
  }
}

class ViewPictures : public testing::TestWithParam<std::string> {};

TEST_P(ViewPictures, HaveTheColoursOfThemeAndNumbersAndAreAsTheyWere) {
  const std::shared_ptr<const Trace> trace = trace_shown_in(GetParam());
  ASSERT_TRUE(trace);
  for (const WindowRoom& room : kWindowRooms) {
    const Figure figure = figure_in(room, GetParam(), *trace);
    for (const Theme theme : kWindowThemes) {
      const std::string name = picture_name(GetParam(), room, theme);
      const DrawnFigure drawn(figure, theme);
      SCOPED_TRACE(name);
      check_background(drawn.picture, palette(theme).background);
      for (const HeatmapMark& mark : figure.heatmaps) {
        SCOPED_TRACE(mark.id);
        check_cells(*trace, mark, drawn.picture);
      }
      check_words(figure, drawn.picture);
      check_against_file(name, drawn);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Views, ViewPictures, testing::ValuesIn(view_names()),
                         [](const auto& view) { return view.param; });

TEST(ViewPictureFiles, AreThoseOfTheViews) {
  std::set<std::string> expected;
  for (const std::string& view : view_names()) {
    for (const WindowRoom& room : kWindowRooms) {
      for (const Theme theme : kWindowThemes) expected.insert(picture_name(view, room, theme));
    }
  }
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(picture_folder()))
    found.insert(entry.path().filename().string());
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace attnscope::test
