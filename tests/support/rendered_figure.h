// Figures as other programs show them: poppler, which most readers of PDF on Linux are built on, and librsvg.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/text.h"
#include "figure/figure.h"
#include "io/figure_file.h"
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

inline Pixels pixels_of(const std::string& png) {
  const Picture picture(png);
  return Pixels::of(picture, 0, 0, picture.width(), picture.height());
}

/// What pdftoppm or rsvg-convert makes of a file. Throws std::runtime_error when it complains about anything.
inline Pixels rendered(const std::filesystem::path& file) {
  const std::string resolution = std::to_string(kRenderedDpi);
  const std::string base = file.string() + "-rendered";
  const std::string command =
      file.extension() == ".pdf"
          ? "pdftoppm -png -singlefile -r " + resolution + " " + file.string() + " " + base
          : "rsvg-convert -d " + resolution + " -p " + resolution + " -o " + base + ".png " + file.string();
  const Said said = said_by(command);
  if (said.code != 0 || !said.text.empty()) throw std::runtime_error(command + " says " + said.text);
  return pixels_of(bytes_of(base + ".png"));
}

/// Where the letters of a figure are in its picture, so much room around them.
inline std::vector<PixelBox> letter_pixels(const Figure& figure, double room) {
  std::vector<PixelBox> boxes;
  for (const Rect& letters : letter_boxes(figure)) {
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
  placed,    ///< attnscope, where they are to be
  by_reader  ///< who shows it, along the line: librsvg has no figures of even width
};

// In pixels, two to a logical one: programs that draw differ in what they do with the edges of shapes and letters,
// which takes up to one logical pixel. Letters that a reader sets end up to eight from where they should.
inline constexpr int kReach = kRenderedScale;
inline constexpr int kReachOfLetters = 8 * kRenderedScale;
// What is outside of that, in blocks of 4 × 4 logical pixels, of 255. Between what poppler, librsvg, cairo and OpenGL
// draw there are 5, where lines lie across one another; a cell of another colour has as much as that colour is apart.
inline constexpr double kMostOutside = 10;

/// What is wrong with `picture` of a figure, which should show what `expected` does; empty: nothing.
inline std::string rendering_fault(const Pixels& picture, const Pixels& expected, const Figure& figure,
                                   Letters letters) {
  // A part of a pixel at the end may be one more.
  if (std::abs(picture.width - expected.width) > 1 || std::abs(picture.height - expected.height) > 1) {
    return std::to_string(picture.width) + " × " + std::to_string(picture.height) + " pixels instead of " +
           std::to_string(expected.width) + " × " + std::to_string(expected.height);
  }
  const auto fault = [](const Unlikeness& found, const std::string& what) -> std::string {
    if (found.worst <= kMostOutside) return "";
    return what + " differs by " + fixed_text(found.worst, 1) + " at " + std::to_string(found.x) + ", " +
           std::to_string(found.y) + " (at most " + fixed_text(kMostOutside, 1) + ")";
  };
  if (letters == Letters::placed) return fault(unlikeness(picture, expected, kReach), "it");
  const double room = kReachOfLetters / kRenderedScale;
  const std::string beside =
      fault(unlikeness(picture, expected, kReach, letter_pixels(figure, room)), "what is beside letters");
  return beside.empty() ? fault(unlikeness(picture, expected, kReachOfLetters), "it") : beside;
}

}  // namespace attnscope::test
