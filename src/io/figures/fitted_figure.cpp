#include "io/figures/fitted_figure.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "figure/model/canvas.h"
#include "figure/model/full_size_labels.h"

namespace attnscope {
namespace {

// Type of the sizes in between is tried at every step of this ratio.
constexpr double kStep = 0.93;
// The largest of a figure's sizes of type is this many times its smallest one.
constexpr double kLeastType = kLeastPoints * TypeSize::kBody / TypeSize::kSmall;
constexpr double kHair = 0.01;
// Type may be that much smaller for words in place of numbers.
constexpr double kWorthWords = 0.7;
// Of a letter that reaches beyond its advance, and of rounding.
constexpr double kOutside = 1;

/// Finds the smallest text, and whether any leaves the page.
class TextCanvas final : public Canvas {
 public:
  explicit TextCanvas(const Rect& page) : page_(page) {}

  void heatmap(const HeatmapMark& /*mark*/, const Rect& /*box*/, double /*gap*/) override {}
  void gradient(ColorMap /*map*/, const Rect& /*box*/) override {}
  void fill(const Rect& /*box*/, Rgb /*color*/, double /*opacity*/) override {}
  void outline(const Rect& /*box*/, Rgb /*color*/, double /*width*/, double /*radius*/) override {}
  void line(Point /*from*/, Point /*to*/, Rgb /*color*/, double /*width*/, bool /*dashed*/) override {}
  void curve(std::span<const Point> /*points*/, Rgb /*color*/, double /*opacity*/, double /*width*/,
             bool /*dashed*/) override {}
  void triangle(Point /*a*/, Point /*b*/, Point /*c*/, Rgb /*color*/) override {}
  void text(const PlacedText& text) override {
    double width = 0;
    for (const TextSpan& span : text.spans)
      width +=
          text_width(span.text, span.level == TextSpan::Level::base ? text.size : text.size * kScriptSize, text.weight);
    if (width <= 0) return;
    found.smallest = found.smallest == 0 ? text.size : std::min(found.smallest, text.size);
    const double before = text.horizontal == HorizontalAlign::left     ? 0
                          : text.horizontal == HorizontalAlign::center ? width / 2
                                                                       : width;
    const bool upright = text.angle != 0;
    const double from = upright ? text.at.y + before - width : text.at.x - before;
    const double end = upright ? page_.bottom() : page_.right();
    if (from < -kOutside || from + width > end + kOutside) found.inside = false;
  }
  /// Numbers in cells are never the smallest text.
  [[nodiscard]] bool waits_for_numbers() const override { return false; }

  TextExtents found;

 private:
  Rect page_;
};

/// Points on the page that a unit of the figure has.
double points_of_unit(const Figure& figure, const FigureFileOptions& options) {
  constexpr double points_per_inch = 72;
  const double across = options.width_inches / figure.width;
  return points_per_inch *
         (options.height_inches > 0 ? std::min(across, options.height_inches / figure.height) : across);
}

double height_of(const Figure& figure, const FigureFileOptions& options) {
  return options.height_inches > 0 ? options.height_inches : options.width_inches * figure.height / figure.width;
}

/// A figure at one size of type.
struct Trial {
  FittedFigure made;
  double points = 0;  ///< of its smallest text
  double height = 0;  ///< of the page, inches
  bool inside = true;
  bool keeps_type = true;  ///< whether it is not made smaller as a whole
  bool has_words = true;   ///< whether no labels are numbers in place of words
  bool stopped = false;

  [[nodiscard]] bool fits(const FigurePreset& preset) const {
    return points >= kLeastPoints - kHair && height <= preset.max_height_inches + kHair && inside;
  }
};

Trial try_type(const BuildFigure& build, const FigureFileOptions& given, const FigurePreset& preset, double points) {
  FigureFileOptions options = given;
  options.width_inches = preset.width_inches;
  options.height_inches = preset.height_inches;
  options.font_points = points;
  Trial trial;
  const auto made = [&] {
    Figure figure = figure_for_file(build, options);
    trial.has_words = has_room_for_words(figure);
    return with_full_size_labels(std::move(figure));
  };
  Figure figure = made();
  if (figure.width > 0 && height_of(figure, options) > preset.max_height_inches) {
    // Some views show less where there is less room.
    options.height_inches = preset.max_height_inches;
    figure = made();
  }
  if (!(figure.width > 0 && figure.height > 0)) {
    trial.stopped = true;
  } else {
    trial.points = smallest_points(figure, options);
    trial.height = height_of(figure, options);
    trial.inside = text_extents(figure).inside;
    trial.keeps_type = type_points(figure, options) > options.font_points * 0.995;
    if (trial.points == 0) trial.points = options.font_points;
  }
  trial.made = {std::move(figure), options};
  return trial;
}

/// The largest type at which all fits, or a slightly smaller one that has room for words as labels; failing that, the figure that was made smaller the least; failing that, the one
/// with the smallest type.
Trial best_trial(const BuildFigure& build, const FigureFileOptions& options, const FigurePreset& preset) {
  std::optional<Trial> numbered;  // with the largest type
  std::optional<Trial> smaller;
  double points = preset.font_points;
  while (true) {
    Trial trial = try_type(build, options, preset, points);
    const bool fits = trial.fits(preset);
    if (trial.stopped || (fits && trial.keeps_type && trial.has_words)) return trial;
    if (fits && trial.keeps_type && !numbered) numbered = trial;
    if (fits && (!smaller || trial.points > smaller->points + kHair)) smaller = trial;
    const double next = std::max(points * kStep, kLeastType);
    if (numbered && (points <= kLeastType || next < kWorthWords * numbered->made.options.font_points))
      return std::move(*numbered);
    if (points <= kLeastType) return smaller ? std::move(*smaller) : std::move(trial);
    points = next;
  }
}

/// "its smallest text would be 5.2 pt".
std::string fault_text(const Trial& trial, const FigurePreset& preset) {
  const auto tenths = [](double number, double (*rounded)(double)) { return short_text(rounded(number * 10) / 10); };
  if (trial.points < kLeastPoints - kHair)
    return "its smallest text would be " + tenths(trial.points, [](double x) { return std::floor(x); }) + " pt";
  if (trial.height > preset.max_height_inches)
    return "it would be " + tenths(trial.height, [](double x) { return std::ceil(x); }) + " in high, at most " +
           short_text(preset.max_height_inches);
  return "its text would be wider than the page";
}

/// "; the preset page has room", or a page that has; empty if none was found.
std::string room_text(const BuildFigure& build, const FigureFileOptions& options, const Trial& trial) {
  for (const FigurePreset& other : kFigurePresets) {
    if (other.preset != options.preset && best_trial(build, options, other).fits(other))
      return "; the preset " + std::string(other.name) + " has room";
  }
  FigureFileOptions free = trial.made.options;
  free.height_inches = 0;
  const auto made = [&] { return figure_for_file(build, free); };
  Figure figure = made();
  if (const std::optional<SmallerType> type = smaller_type(build, figure, free)) {
    if (type->width_inches == 0) return "";
    free.width_inches = type->width_inches;
    figure = made();
  }
  if (!(figure.width > 0)) return "";
  const auto tenths = [](double inches) { return short_text(std::ceil(inches * 10) / 10); };
  return "; a page " + tenths(free.width_inches) + " in wide and " + tenths(height_of(figure, free)) +
         " in high has room at " + tenths(kLeastType) + " pt";
}

}  // namespace

TextExtents text_extents(const Figure& figure) {
  const Rect page = {0, 0, figure.width, figure.height};
  TextCanvas canvas(page);
  paint(figure, palette(Theme::paper), {}, page, canvas);
  return canvas.found;
}

double smallest_points(const Figure& figure, const FigureFileOptions& options) {
  return text_extents(figure).smallest * points_of_unit(figure, options);
}

Result<FittedFigure> fitted_figure(const BuildFigure& build, const FigureFileOptions& options, std::string_view view) {
  if (!options.preset) return FittedFigure{figure_for_file(build, options), options};
  const FigurePreset& preset = preset_of(*options.preset);
  Trial trial = best_trial(build, options, preset);
  if (trial.stopped || trial.fits(preset)) return std::move(trial.made);
  return fail("the view " + std::string(view) + " does not fit into " + preset.size + " at " +
              short_text(kLeastPoints) + " pt: " + fault_text(trial, preset) + room_text(build, options, trial));
}

}  // namespace attnscope
