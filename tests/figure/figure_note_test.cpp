#include "figure/model/figure_note.h"

#include <gtest/gtest.h>

#include "figure/style/markup.h"

namespace attnscope::test {
namespace {

Figure small_figure(double width, double height) {
  Figure figure;
  figure.width = width;
  figure.height = height;
  figure.bars.push_back({"bar", {10, 20, 30, 40}, {}});
  figure.texts.push_back(title_mark("title", {5, 15}, "title"));
  return figure;
}

const FigureNote kNote = {"Heads = 3", "One sentence that is said below the figure.\n\nAnother one."};

TEST(FigureNote, TakesRoomForItsLines) {
  EXPECT_EQ(note_height({}, 600), 0);
  const double title = note_height({"Heads = 3", {}}, 600);
  EXPECT_GT(title, 20);
  EXPECT_LT(title, 60);
  EXPECT_GT(note_height(kNote, 600), title + 30);
  EXPECT_GT(note_height(kNote, 200), note_height(kNote, 600)) << "more lines";
  EXPECT_EQ(note_height({{}, std::string(400, 'x')}, 200), note_height({{}, "x"}, 200)) << "a word is not divided";
}

TEST(FigureNote, StandsInTheLowestPartOfThePage) {
  const double room = note_height(kNote, 600);
  const Figure page = with_note(small_figure(600, 200), 600, 500, kNote, room);
  EXPECT_EQ(page.width, 600);
  EXPECT_EQ(page.height, 500);
  const double down = (500 - room - 200) / 2;
  EXPECT_EQ(page.bars[0].box, (Rect{10, 20 + down, 30, 40})) << "the figure of a text stands in the middle";
  const Figure changing = with_note(small_figure(600, 200), 600, 500, {kNote.title, {}}, room);
  EXPECT_EQ(changing.bars[0].box, (Rect{10, 20, 30, 40})) << "one that changes stays at the top";
  const Figure captioned = with_note(small_figure(600, 200), 600, 500, {{}, kNote.text}, room);
  EXPECT_EQ(captioned.bars[0].box, (Rect{10, 20, 30, 40})) << "and so does one with a caption";
  ASSERT_EQ(page.texts.size(), 4U);
  EXPECT_EQ(page.texts[0].at.y, 15 + down);
  EXPECT_EQ(page.texts[1].markup, "Heads = 3");
  EXPECT_EQ(page.texts[3].markup, "Another one.");
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_GT(page.texts[i].at.y, 500 - room);
    EXPECT_LT(page.texts[i].at.y + page.texts[i].size, 500);
    EXPECT_LE(page.texts[i].at.x + text_width(page.texts[i].markup, page.texts[i].size), 600);
  }
}

TEST(FigureNote, HasTheSameSizeAndPlaceWhateverTheFigureNeeds) {
  const double room = note_height(kNote, 600);
  const Figure fits = with_note(small_figure(600, 200), 600, 500, kNote, room);
  for (const Figure& figure : {small_figure(900, 200), small_figure(600, 800), small_figure(100, 1600)}) {
    const Figure page = with_note(figure, 600, 500, kNote, room);
    const double scale = page.width / 600;
    EXPECT_GE(scale, 1);
    EXPECT_DOUBLE_EQ(page.height / 500, scale);
    EXPECT_LE(figure.height, (500 - room) * scale + 1e-9) << "all of it fits";
    EXPECT_DOUBLE_EQ(page.texts[1].size, fits.texts[1].size * scale);
    EXPECT_NEAR(page.texts[1].at.y, fits.texts[1].at.y * scale, 1e-9);
    EXPECT_DOUBLE_EQ(page.bars[0].box.x, 10 + (page.width - figure.width) / 2) << "in the middle";
    EXPECT_DOUBLE_EQ(page.bars[0].box.y, 20 + ((500 - room) * scale - figure.height) / 2);
  }
}

TEST(FigureNote, TextIsShownAsItIs) {
  const Figure page = with_note(small_figure(600, 200), 600, 300, {"q_{0} and \\ and K^{T}", {}}, 40);
  EXPECT_EQ(parse_markup(page.texts[1].markup),
            (std::vector<TextSpan>{{"q_{0} and \\ and K^{T}", TextSpan::Level::base}}));
}

}  // namespace
}  // namespace attnscope::test
