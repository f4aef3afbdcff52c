// Every view of a small experiment as the window shows it, for the tests of pictures.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/trace/run.h"
#include "figure/views/view.h"
#include "io/figures/figure_file.h"
#include "io/models/model_texts.h"
#include "support/letter_boxes.h"
#include "support/small_picture.h"

namespace attnscope::test {

/// The size of a figure in the window, in logical pixels.
struct WindowRoom {
  const char* name;
  double width;
  double height;
};

inline constexpr std::array<WindowRoom, 2> kWindowRooms = {{{"large", 1000, 680}, {"small", 620, 460}}};
inline constexpr std::array<Theme, 2> kWindowThemes = {Theme::dark, Theme::light};

/// Pixels of a picture for one pixel of a small picture.
inline constexpr int kReduction = 8;

inline std::vector<std::string> view_names() {
  std::vector<std::string> names;
  for (const View& view : views()) names.push_back(view.name);
  return names;
}

/// A small trained model that comes with the program, with another text to patch from.
inline std::shared_ptr<const Trace> model_trace() {
  const auto folder = std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models/stories";
  Experiment experiment = experiment_of_model(folder).value();
  std::string other = experiment.text.text;
  other.replace(other.find("Leo"), 3, "Tom");
  EXPECT_TRUE(set_patch_text(experiment, {other, std::nullopt}));
  return run(experiment).value();
}

/// The experiment for a view: the first one of which it can show something, with everything but the size of pictures at
/// its default.
inline std::shared_ptr<const Trace> trace_shown_in(const std::string& view) {
  for (const char* const system : {"worked-example", "packed-multihead"}) {
    Experiment experiment = *default_experiment(system);
    for (const auto& [name, size] : {std::pair("batch", "1"), std::pair("height", "6"), std::pair("width", "8")}) {
      if (!experiment.parameters.contains(name)) continue;
      EXPECT_TRUE(set_parameter_text(experiment, name, size));
    }
    std::shared_ptr<const Trace> trace = *run(experiment);
    if (missing_for(*find_view(view), *trace).empty()) return trace;
  }
  if (std::shared_ptr<const Trace> trace = model_trace(); missing_for(*find_view(view), *trace).empty()) return trace;
  // One with checkpoints.
  const auto folder = std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models/induction";
  std::shared_ptr<const Trace> trained = run(experiment_of_model(folder).value()).value();
  if (missing_for(*find_view(view), *trained).empty()) return trained;
  ADD_FAILURE() << view << " has nothing to show of these experiments: add one of which it has";
  return nullptr;
}

inline Figure figure_in(const WindowRoom& room, const std::string& view, const Trace& trace) {
  ViewOptions options = *view_options({view, {}});
  options.width = room.width;
  options.height = room.height;
  return build_view(view, trace, options);
}

/// The figure as a PNG file with a pixel for each logical pixel.
inline std::string window_png(const Figure& figure, Theme theme) {
  constexpr int kPixelsPerInch = 96;
  return figure_bytes(figure, FigureFormat::png, {theme, figure.width / kPixelsPerInch, kPixelsPerInch}).value();
}

/// A figure in pixels, and small.
struct DrawnFigure {
  DrawnFigure(const Figure& figure, Theme theme)
      : png(window_png(figure, theme)), picture(png), small(picture, kReduction) {
    letters = touched_pixels(small, kReduction, letter_boxes(figure));
  }

  std::string png;
  Picture picture;
  SmallPicture small;
  std::vector<bool> letters;  ///< the pixels of `small` that have some
};

}  // namespace attnscope::test
