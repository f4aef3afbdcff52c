// Figures as other programs show them: poppler, which most readers of PDF on Linux are built on, and librsvg.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "figure/model/figure.h"
#include "io/figures/figure_file.h"
#include "support/alike.h"
#include "support/letter_boxes.h"
#include "support/picture.h"
#include "support/temporary_folder.h"

namespace attnscope::test {

/// How a program ended and all that it said, on standard error as well.
struct Said {
  int code = -1;
  std::string text;
};

inline Said said_by(const std::string& command) {
  FILE* const pipe = ::popen(("(" + command + ") 2>&1").c_str(), "r");
  if (pipe == nullptr) return {};
  Said said;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    said.text.append(buffer.data(), count);
  const int status = ::pclose(pipe);
  said.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return said;
}

/// Those of `programs` that are not there, in one line; empty: they all are.
inline std::string not_installed(const std::vector<std::string>& programs) {
  std::string missing;
  for (const std::string& program : programs) {
    if (said_by("command -v " + program).code != 0) missing += (missing.empty() ? "not installed: " : ", ") + program;
  }
  return missing;
}

/// Figures are compared at two pixels to a logical one.
inline constexpr int kRenderedScale = 2;
inline constexpr int kRenderedDpi = 96 * kRenderedScale;

/// A figure as a file of its own size, one logical pixel to 1/96 inch.
inline FigureFileOptions own_size(const Figure& figure, Theme theme) {
  FigureFileOptions options;
  options.theme = theme;
  options.width_inches = figure.width / 96;
  options.dpi = kRenderedDpi;
  return options;
}

inline Raster pixels_of(const std::string& png) {
  const Picture picture(png);
  return Raster::of(picture, 0, 0, picture.width(), picture.height());
}

/// The system's fonts with the figures of even width that an SVG of ours asks for, which librsvg does not do: without
/// them a line ends elsewhere, by as much as its ones are narrower, and with Inter 4.1 ones look different as well.
inline constexpr const char* kFontsOfEvenFigures = R"(<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include>/etc/fonts/fonts.conf</include>
  <match target="font">
    <edit name="fontfeatures" mode="append"><string>tnum=1</string><string>calt=0</string></edit>
  </match>
</fontconfig>
)";

/// What pdftoppm or rsvg-convert makes of a file. Throws std::runtime_error when it complains about anything.
inline Raster rendered(const std::filesystem::path& file) {
  const std::string resolution = std::to_string(kRenderedDpi);
  const std::string base = file.string() + "-rendered";
  const std::string fonts = base + "-fonts.conf";
  std::ofstream(fonts) << kFontsOfEvenFigures;
  const std::string command = file.extension() == ".pdf"
                                  ? "pdftoppm -png -singlefile -r " + resolution + " " + file.string() + " " + base
                                  : "FONTCONFIG_FILE=" + fonts + " rsvg-convert -d " + resolution + " -p " +
                                        resolution + " -o " + base + ".png " + file.string();
  const Said said = said_by(command);
  if (said.code != 0 || !said.text.empty()) throw std::runtime_error(command + " says " + said.text);
  return pixels_of(bytes_of(base + ".png"));
}

/// Where the letters of a figure are in its picture, so much room around them, of texts that are that wide.
inline std::vector<PixelBox> letter_pixels(const Figure& figure, double room, double least_width) {
  std::vector<PixelBox> boxes;
  for (const Rect& letters : letter_boxes(figure)) {
    if (letters.width < least_width) continue;
    const Rect box = letters.grown(room);
    boxes.push_back({static_cast<int>(std::floor(box.x * kRenderedScale)),
                     static_cast<int>(std::floor(box.y * kRenderedScale)),
                     static_cast<int>(std::ceil(box.right() * kRenderedScale)),
                     static_cast<int>(std::ceil(box.bottom() * kRenderedScale))});
  }
  return boxes;
}

/// Who sets the letters of a picture.
enum class Letters {
  placed,     ///< attnscope, where they are to be
  by_reader,  ///< who shows it, along the line: librsvg
  in_window   ///< the window, each on a whole pixel, which moves those at the end of a long line
};

/// How alike two pictures of a figure are to be; see `rendering_fault`.
struct Tolerance {
  int reach;              ///< pixels that an edge may lie elsewhere
  int reach_of_letters;   ///< the same of letters
  double beside_letters;  ///< what may be outside of that, on average in a block of 4 × 4 logical pixels, of 255
  double anywhere;
};

/// In pixels, two to a logical one: programs differ in what they do with the edges of shapes and letters, which takes
/// up to one logical pixel, and the last columns of a matrix lie up to half a pixel more to the left in the window.
///
/// In what poppler shows of the views up to 6.1 are outside, where many lines or arrows lie on one another, in what librsvg
/// shows 1.5 beside letters, in the window 8 where dashes lie across lines. A line one pixel wide in the
/// palest grey of the themes is 8, a cell of another colour as much as that colour is apart.
inline Tolerance tolerance(Letters letters) {
  switch (letters) {
    case Letters::placed: return {kRenderedScale, kRenderedScale, 7, 7};
    case Letters::by_reader: return {kRenderedScale, 8 * kRenderedScale, 3, 6};
    case Letters::in_window: break;
  }
  return {kRenderedScale + 1, 8 * kRenderedScale, 10, 10};
}

/// What is wrong with `picture` of a figure, which should show what `expected` does; empty: nothing.
inline std::string rendering_fault(const Raster& picture, const Raster& expected, const Figure& figure,
                                   Letters letters) {
  // A part of a pixel at the end may be one more.
  if (std::abs(picture.width - expected.width) > 1 || std::abs(picture.height - expected.height) > 1) {
    return std::to_string(picture.width) + " × " + std::to_string(picture.height) + " pixels instead of " +
           std::to_string(expected.width) + " × " + std::to_string(expected.height);
  }
  const auto fault = [](const Unlikeness& found, double most, const std::string& what) -> std::string {
    if (found.worst <= most) return "";
    return what + " differs by " + fixed_text(found.worst, 1) + " at " + std::to_string(found.x) + ", " +
           std::to_string(found.y) + " (at most " + fixed_text(most, 1) + ")";
  };
  const Tolerance most = tolerance(letters);
  if (letters == Letters::placed) return fault(unlikeness(picture, expected, most.reach), most.anywhere, "it");
  constexpr double kAnyLength = 0;
  constexpr double kLongLine = 400;  // logical pixels; the end of such a line moves by more
  const double room = static_cast<double>(most.reach_of_letters) / kRenderedScale;
  const std::string beside = fault(unlikeness(picture, expected, most.reach, letter_pixels(figure, room, kAnyLength)),
                                   most.beside_letters, "what is beside letters");
  if (!beside.empty()) return beside;
  const std::vector<PixelBox> without =
      letters == Letters::in_window ? letter_pixels(figure, room, kLongLine) : std::vector<PixelBox>();
  return fault(unlikeness(picture, expected, most.reach_of_letters, without), most.anywhere, "it");
}

}  // namespace attnscope::test
