// Why scores are divided by √d: how the scores and weights of random vectors change with d, with and without it.
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "core/base/text.h"
#include "core/studies/scaling_study.h"
#include "figure/layout/chart.h"
#include "figure/slices/dot_product.h"
#include "figure/slices/selected.h"
#include "figure/views/view.h"

namespace attnscope {
namespace scaling_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kLeastWidth = 320;
constexpr double kGap = 32;          // between the charts
constexpr double kSideBySide = 640;  // from this width on
constexpr double kFileHeight = 300;
constexpr double kLeastHeight = 180;
constexpr double kAxisTitle = 16;  // which the upper of two charts does not have
constexpr double kMaxHeight = 520;
constexpr double kWidestContent = 1240;
constexpr std::size_t kYTicks = 6;

constexpr const char* kAxis = "d, head dimension";

const Shade kPlain = Shade::of_hue(5);
const Shade kScaled = Shade::of_hue(2);
const Shade kTheory = Shade::of(Ink::dim);

using Study = std::vector<ScalingPoint>;

std::string number(Index count) { return grouped_text(count); }

class ScalingLayout {
 public:
  ScalingLayout(const Trace& trace, const ViewOptions& options, const Study& study)
      : trace_(trace), options_(options), study_(study), keys_(options.integer("keys")) {}

  Figure build() {
    figure_.title = "the effect of scaling by 1/√d on scores and weights";
    figure_.width = std::max(options_.width, kLeastWidth);
    const double width = std::min(figure_.width - 2 * kMargin, kWidestContent);
    const double left = (figure_.width - width) / 2;
    beside_ = width >= kSideBySide;
    const double legend = add_legend(nullptr, "", entries(), {}, width) + 12;
    const double caption = add_caption(nullptr, "", caption_text(), {}, width) + 12;
    // One below the other, they share the title of their axis and the label of the flag.
    const double shared = beside_ ? 0 : kAxisTitle + kFlagHeight - kGap / 2;
    double fixed = 2 * kMargin + legend + caption - shared;
    const double count = beside_ ? 1 : 2;
    // Letters that can be read are worth more than the explanation.
    const bool is_low = options_.in_window() && fixed + count * kLeastHeight > options_.height;
    if (is_low) fixed -= caption;
    const double chart =
        options_.height > 0 ? std::clamp((options_.height - fixed) / count, kLeastHeight, kMaxHeight) : kFileHeight;
    const double height = fixed + chart * count;
    figure_.height = std::max(options_.height, height);
    double y = kMargin + (figure_.height - height) / 2;
    y += add_legend(&figure_, "legend", entries(), {left, y}, width) + 12;
    const double chart_width = beside_ ? (width - kGap) / 2 : width;
    variance_chart({left, y, chart_width, chart});
    if (beside_)
      entropy_chart({left + chart_width + kGap, y, chart_width, chart});
    else
      entropy_chart({left, y + chart - kAxisTitle + kGap / 2, chart_width, chart - kFlagHeight});
    if (!is_low) add_caption(&figure_, "caption", caption_text(), {left, y + chart * count - shared + 12}, width);
    return std::move(figure_);
  }

 private:
  static std::array<LegendEntry, 3> entries() {
    return {{{"q·k unscaled", kPlain, false}, {"q·k ÷ √d", kScaled, false}, {"theory", kTheory, true}}};
  }

  [[nodiscard]] std::string caption_text() const {
    return "Means over " + number(options_.integer("samples")) + " random queries, each against " + number(keys_) +
           " random keys, for each d; their elements are normal with mean 0 and variance 1, seed " +
           std::to_string(trace_.experiment().seed) + ".";
  }

  [[nodiscard]] static ChartRange dims() { return {1, static_cast<double>(kMaxStudiedDim), 2}; }

  [[nodiscard]] ChartRange variances() const {
    double low = 0.5;
    double high = 2000;
    for (const ScalingPoint& point : study_) {
      low = std::min({low, point.plain.variance * 0.9, point.scaled.variance * 0.9});
      high = std::max(high, point.plain.variance * 1.1);
    }
    return {std::max(low, 1e-3), high, 10};
  }

  /// Leaves room above the dashed line for its label.
  [[nodiscard]] ChartRange entropies() const { return {0, std::log(static_cast<double>(keys_)) * 1.12}; }

  /// The same for both charts, to give them boxes of one width.
  [[nodiscard]] double y_labels() const {
    return std::max(y_axis_width(variances(), kYTicks), y_axis_width(entropies(), kYTicks));
  }

  void variance_chart(const Rect& outer) {
    const Chart chart = place_chart(outer, "variance", dims(), variances(), y_labels(), 1);
    frame(chart, "variance of the scores", beside_ ? kAxis : "", true);
    const double last = dims().high;
    add_curve(figure_, chart, "theory.plain", std::array<Point, 2>{{{1, 1}, {last, last}}}, kTheory, true);
    add_curve(figure_, chart, "theory.scaled", std::array<Point, 2>{{{1, 1}, {last, 1}}}, kTheory, true);
    add_series(
        chart, "plain", kPlain, [](const ScalingPoint& p) { return p.plain.variance; },
        [](const ScalingPoint& p) {
          return "variance " + number_text(p.plain.variance) + " (theory: " + number(p.dim) + ")";
        });
    add_series(
        chart, "scaled", kScaled, [](const ScalingPoint& p) { return p.scaled.variance; },
        [](const ScalingPoint& p) {
          return "÷ √" + number(p.dim) + ": variance " + number_text(p.scaled.variance) + " (theory: 1)";
        });
  }

  void entropy_chart(const Rect& outer) {
    const double most = std::log(static_cast<double>(keys_));
    const Chart chart = place_chart(outer, "entropy", dims(), entropies(), y_labels(), beside_ ? 1 : 0);
    frame(chart, "entropy of the weights", kAxis, beside_);
    add_curve(figure_, chart, "uniform", std::array<Point, 2>{{{1, most}, {dims().high, most}}}, kTheory, true);
    figure_.texts.push_back(chart_text("entropy.uniform", {chart.box.right(), chart.up(most) - 5},
                                       "uniform weights: ln " + number(keys_) + " = " + number_text(most), Ink::dim,
                                       TypeSize::kSmall, HorizontalAlign::right));
    end_grid_lines(chart, figure_.texts.back());
    add_series(
        chart, "plain", kPlain, [](const ScalingPoint& p) { return p.plain.entropy; },
        [](const ScalingPoint& p) { return weights_text("", p.plain); });
    add_series(
        chart, "scaled", kScaled, [](const ScalingPoint& p) { return p.scaled.entropy; },
        [](const ScalingPoint& p) { return weights_text("÷ √" + number(p.dim) + ": ", p.scaled); });
  }

  /// Shortens gridlines that would cross `text` at the right edge.
  void end_grid_lines(const Chart& chart, const TextMark& text) {
    constexpr double kApart = 2;
    const double left = text.at.x - text_width(text.markup, text.size) - 3 * kApart;
    const double top = text.at.y - text.size * kFontCapHeight - kApart;
    for (BarMark& bar : figure_.bars) {
      const bool crosses = bar.box.y + bar.box.height > top && bar.box.y < text.at.y + kApart;
      if (crosses && bar.id.starts_with(chart.id + ".y.")) bar.box.width = left - bar.box.x;
    }
  }

  static std::string weights_text(const std::string& scaling, const ScoreStatistics& of) {
    return scaling + "entropy " + number_text(of.entropy) + ", largest weight " + number_text(of.largest);
  }

  /// Heading, axes, and the experiment's own d: as a flag, or as a line below one.
  void frame(const Chart& chart, const std::string& heading, const char* axis, bool flag) {
    const double above = flag ? kFlagHeight : 0;
    figure_.texts.push_back(
        title_mark(chart.id + ".heading", {chart.box.x, chart.box.y - above - 12}, heading, TypeSize::kBody));
    add_y_axis(figure_, chart, kYTicks);
    add_x_axis(figure_, chart, axis);
    const Index own = head_dim(trace_);
    if (!flag) {
      const double x = chart.across(std::min(static_cast<double>(own), dims().high));
      figure_.lines.push_back({chart.id + ".own", {x, chart.box.bottom()}, {x, chart.box.y}, Ink::accent, 1, true});
      return;
    }
    const std::string beyond = own > kMaxStudiedDim ? " →" : "";
    add_flags(figure_, chart,
              {{"own", static_cast<double>(own), "d = " + number(own) + " here" + beyond, Ink::accent}});
  }

  template <typename Value, typename About>
  void add_series(const Chart& chart, const std::string& id, Shade shade, const Value& value, const About& about) {
    std::vector<Point> points;
    for (const ScalingPoint& point : study_) points.push_back({static_cast<double>(point.dim), value(point)});
    add_curve(figure_, chart, id, points, shade);
    for (std::size_t i = 0; i < points.size(); ++i)
      add_point(figure_, chart.id + "." + id + "." + std::to_string(study_[i].dim), chart.at(points[i].x, points[i].y),
                shade, "d = " + number(study_[i].dim) + ", " + about(study_[i]));
  }

  const Trace& trace_;
  const ViewOptions& options_;
  const Study& study_;
  Index keys_;
  bool beside_ = false;  ///< the charts, not one below the other
  Figure figure_;
};

bool applies(const Trace& /*trace*/, const ParameterValues& /*chosen*/, std::string_view /*option*/) { return true; }

Figure build(const Trace& trace, const ViewOptions& options) {
  const std::uint64_t seed = trace.experiment().seed;
  const Index keys = options.integer("keys");
  const Index samples = options.integer("samples");
  const auto make = [&]() -> std::shared_ptr<const Study> {
    Study study = study_scaling(seed, keys, samples, options.stop);
    return options.stop.stop_requested() ? nullptr : std::make_shared<const Study>(std::move(study));
  };
  const std::shared_ptr<const Study> study =
      options.cache != nullptr
          ? options.cache->find_or_keep<Study>(std::tuple(std::string("scaling"), seed, keys, samples), make)
          : make();
  return study ? ScalingLayout(trace, options, *study).build() : Figure();
}

Parameter bounded(Parameter parameter, Index largest) {
  parameter.maximum = static_cast<double>(largest);
  return parameter;
}

}  // namespace
}  // namespace scaling_view_parts

View scaling_view() {
  return {
      "scaling",
      "Scaling",
      "The effect of 1/√d: variance of the scores and entropy of the weights against d, with and without scaling.",
      {scaling_view_parts::bounded(
           integer_parameter("keys", "Keys", "How many random keys each random query is scored against.", 16, 2, 256),
           256),
       scaling_view_parts::bounded(
           integer_parameter("samples", "Samples", "How many random queries are drawn for each d.", 64, 8, 1024),
           1024)},
      scaling_view_parts::applies,
      scaling_view_parts::build,
      [](const Trace& trace) {
        return trace.experiment().model != nullptr ? no_model("it scores random queries and keys") : std::string();
      }};
}

}  // namespace attnscope
