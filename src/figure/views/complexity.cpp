// The cost of a layer as the sequence grows: self-attention, sliding-window attention, convolution, recurrence.
//
// Source: Vaswani et al. 2017, "Attention Is All You Need", table 1. Constant factors are left out, as in
// the paper.
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "core/base/text.h"
#include "core/studies/attention_timing.h"
#include "figure/layout/chart.h"
#include "figure/slices/dot_product.h"
#include "figure/slices/matrix.h"
#include "figure/slices/selected.h"
#include "figure/style/markup.h"
#include "figure/views/view.h"

namespace attnscope {
namespace complexity_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kLeastWidth = 320;
constexpr double kWidestContent = 1240;
constexpr double kSideBySide = 680;     // charts, from this width on
constexpr double kOneLineRows = 560;    // the table's, from this width on
constexpr double kWithEndLabels = 420;  // charts, from this width on
constexpr double kGap = 28;
constexpr double kFileHeight = 340;
constexpr double kLeastHeight = 210;
constexpr double kMaxHeight = 520;
constexpr int kFlagLines = 3;
constexpr std::size_t kYTicks = 7;
constexpr double kMaxSequence = 65536;
constexpr double kMeasuringSeconds = 0.5;

using Times = std::vector<AttentionTime>;

/// The sizes in the formulas.
struct Sizes {
  double n = 1;   ///< tokens
  double d = 1;   ///< embedding dimension d_model
  double k = 3;   ///< width of the convolution
  double r = 16;  ///< window: tokens that each token attends to
};

struct Layer {
  std::string id;
  std::string name, short_name;
  std::string operations, steps, path;  ///< formulas, as markup
  double (*operation_count)(const Sizes&);
  double (*step_count)(const Sizes&);
  double (*path_length)(const Sizes&);
  int hue;
};

double one(const Sizes&) { return 1; }

const std::array<Layer, 4>& layers() {
  static const std::array<Layer, 4> list = {{
      {"attention", "self-attention", "self-attention", "n^{2}·d", "1", "1",
       [](const Sizes& s) { return s.n * s.n * s.d; }, one, one, 5},
      {"window", "sliding-window attention", "window", "r·n·d", "1", "n/r",
       [](const Sizes& s) { return std::min(s.r, s.n) * s.n * s.d; }, one,
       [](const Sizes& s) { return std::max(1.0, std::ceil(s.n / s.r)); }, 0},
      {"convolution", "convolution", "convolution", "k·n·d^{2}", "1", "log_{k} n",
       [](const Sizes& s) { return s.k * s.n * s.d * s.d; }, one,
       [](const Sizes& s) {
         // Counted: a logarithm may end up slightly above a whole number.
         double length = 1;
         for (double reach = s.k; reach < s.n; reach *= s.k) ++length;
         return length;
       },
       2},
      {"recurrence", "recurrence", "recurrence", "n·d^{2}", "n", "n", [](const Sizes& s) { return s.n * s.d * s.d; },
       [](const Sizes& s) { return s.n; }, [](const Sizes& s) { return s.n; }, 3},
  }};
  return list;
}

/// "2,352"; "2.35·10^{9}" for large numbers.
std::string count_text(double count) {
  constexpr double kMaxWritten = 1e7;
  if (count < kMaxWritten) return grouped_text(std::llround(count));
  int power = static_cast<int>(std::floor(std::log10(count)));
  // 9.995 rounds to 10, which is 1 of the next power.
  if (count / std::pow(10, power) >= 9.995) ++power;
  return fixed_text(count / std::pow(10, power), 2) + "·10^{" + std::to_string(power) + "}";
}

/// The same without markup, for tooltips.
std::string plain_count(double count) {
  constexpr double kMaxWritten = 1e15;
  return count < kMaxWritten ? grouped_text(std::llround(count)) : number_text(count);
}

Index sequence_length(const Trace& trace) { return option_limit(trace, "key", {}); }

class ComplexityLayout {
 public:
  ComplexityLayout(const Trace& trace, const ViewOptions& options, const Times* times)
      : trace_(trace), options_(options), times_(times) {
    own_ = {static_cast<double>(sequence_length(trace)), static_cast<double>(head_count(trace) * head_dim(trace)),
            static_cast<double>(options.integer("kernel")), static_cast<double>(options.integer("window"))};
  }

  Figure build() {
    figure_.title = "cost of a layer: attention, convolution, recurrence";
    figure_.width = std::max(options_.width, kLeastWidth);
    width_ = std::min(figure_.width - 2 * kMargin, kWidestContent);
    left_ = (figure_.width - width_) / 2;
    const bool two = times_ != nullptr;
    const bool beside = two && width_ >= kSideBySide;
    const double count = two && !beside ? 2 : 1;
    const double caption = add_caption(nullptr, "", caption_text(), {}, width_) + 8;
    const double fixed = 2 * kMargin + table_height() + kGap * count + caption;
    const double chart =
        options_.height > 0 ? std::clamp((options_.height - fixed) / count, kLeastHeight, kMaxHeight) : kFileHeight;
    const double height = fixed + chart * count;
    figure_.height = std::max(options_.height, height);
    double y = kMargin + (figure_.height - height) / 2;
    table(y);
    y += table_height() + kGap;
    const double chart_width = beside ? (width_ - kGap) / 2 : width_;
    operations_chart({left_, y, chart_width, chart});
    if (beside) measured_chart({left_ + chart_width + kGap, y, chart_width, chart});
    if (two && !beside) measured_chart({left_, y + chart + kGap, chart_width, chart});
    add_caption(&figure_, "caption", caption_text(), {left_, y + chart * count + kGap * (count - 1) + 8}, width_);
    return std::move(figure_);
  }

 private:
  /// "n = 6 tokens, d = 28 (4 heads of 7)"
  [[nodiscard]] std::string sizes_text() const {
    std::string text = "n = " + count_text(own_.n) + ", d = " + count_text(own_.d);
    if (head_count(trace_) > 1)
      text += " (" + std::to_string(head_count(trace_)) + " heads of " + std::to_string(head_dim(trace_)) + ")";
    return text + ", k = " + count_text(own_.k) + ", r = " + count_text(own_.r);
  }

  [[nodiscard]] std::string caption_text() const {
    std::string text =
        "n tokens of dimension d, convolution kernel k, window r (at most n). Orders of growth without constant "
        "factors, as in "
        "Vaswani et al. 2017, table 1.";
    if (times_ != nullptr)
      text +=
          " Measured: scaled dot-product attention with one head of dimension d on one thread, best of several runs.";
    return text;
  }

  [[nodiscard]] bool one_line() const { return width_ >= kOneLineRows; }
  [[nodiscard]] double row_height() const { return one_line() ? 26 : 40; }
  [[nodiscard]] double table_height() const { return 50 + row_height() * static_cast<double>(layers().size()); }

  /// Left edges of the table's columns.
  [[nodiscard]] std::array<double, 4> columns() const {
    const double names = one_line() ? 0.32 : 0.36;
    return {left_, left_ + width_ * names, left_ + width_ * 0.62, left_ + width_ * 0.81};
  }

  void table(double top) {
    const auto at = columns();
    figure_.texts.push_back(title_mark("table.heading", {left_, top + 12}, "Cost of a layer", TypeSize::kBody));
    const double title = markup_width("Cost of a layer", TypeSize::kBody, FontWeight::semibold) + 10;
    if (title + text_width(sizes_text(), TypeSize::kSmall) <= width_)
      figure_.texts.push_back(chart_text("table.sizes", {left_ + title, top + 12}, sizes_text(), Ink::dim));
    const std::array<std::string, 4> heads = {"", one_line() ? "operations per layer" : "operations",
                                              one_line() ? "sequential steps" : "steps",
                                              one_line() ? "maximum path length" : "path length"};
    for (std::size_t i = 1; i < at.size(); ++i)
      figure_.texts.push_back(chart_text("table.head." + std::to_string(i), {at[i], top + 38}, heads[i], Ink::dim));
    double y = top + 46;
    for (const Layer& layer : layers()) {
      figure_.bars.push_back({"table." + layer.id + ".line", {left_, y, width_, 1}, Shade::of(Ink::line)});
      const double middle = y + row_height() / 2;
      figure_.curves.push_back(
          {"table." + layer.id, {{left_, middle}, {left_ + 16, middle}}, Shade::of_hue(layer.hue), 2, false});
      figure_.texts.push_back(
          chart_text("table." + layer.id, {left_ + 24, middle}, one_line() ? layer.name : layer.short_name, Ink::text,
                     one_line() ? TypeSize::kBody : TypeSize::kSmall, HorizontalAlign::left, VerticalAlign::middle));
      cell("table." + layer.id + ".operations", {at[1], y}, layer.operations, layer.operation_count(own_));
      cell("table." + layer.id + ".steps", {at[2], y}, layer.steps, layer.step_count(own_));
      cell("table." + layer.id + ".path", {at[3], y}, layer.path, layer.path_length(own_));
      y += row_height();
    }
  }

  /// A formula with its value after or below it; a constant has no value.
  void cell(const std::string& id, Point at, const std::string& formula, double value) {
    const bool constant = formula == "1";
    const double formula_y = constant || one_line() ? at.y + row_height() / 2 : at.y + 13;
    figure_.texts.push_back(chart_text(id, {at.x, formula_y}, formula, Ink::text, TypeSize::kBody,
                                       HorizontalAlign::left, VerticalAlign::middle));
    if (constant) return;
    const Point value_at = one_line() ? Point{at.x + 68, formula_y} : Point{at.x, at.y + 29};
    figure_.texts.push_back(chart_text(id + ".value", value_at, count_text(value), Ink::dim, TypeSize::kSmall,
                                       HorizontalAlign::left, VerticalAlign::middle));
  }

  [[nodiscard]] Sizes at_length(double n) const {
    Sizes sizes = own_;
    sizes.n = n;
    return sizes;
  }

  void operations_chart(const Rect& outer) {
    const double longest = std::max(kMaxSequence, own_.n);
    double low = own_.d;
    double high = 1;
    for (const Layer& layer : layers()) {
      low = std::min(low, layer.operation_count(at_length(1)));
      high = std::max(high, layer.operation_count(at_length(longest)));
    }
    const ChartRange y = {low / 2, high * 2, 10};
    Rect with_labels = outer;
    with_labels.width -= end_labels_width(outer.width);
    const Chart chart =
        place_chart(with_labels, "operations", {1, longest, 2}, y, y_axis_width(y, kYTicks), kFlagLines);
    frame(chart, "operations", "n, tokens");
    for (const Layer& layer : layers()) {
      // Straight on logarithmic axes, but for the window, which cannot be wider than the sequence.
      std::vector<double> lengths = {1, longest};
      if (layer.id == "window" && own_.r > 1 && own_.r < longest) lengths.insert(lengths.begin() + 1, own_.r);
      std::vector<Point> points;
      points.reserve(lengths.size());
      for (const double n : lengths) points.push_back({n, layer.operation_count(at_length(n))});
      add_curve(figure_, chart, layer.id, points, Shade::of_hue(layer.hue));
    }
    if (end_labels_width(outer.width) > 0) end_labels(chart, longest);
    read_offs(chart, longest);
    flags(chart);
  }

  /// The experiment's length, and the lengths at which another layer costs as much as self-attention.
  void flags(const Chart& chart) {
    std::vector<ChartFlag> list = {{"own", own_.n, "n = " + count_text(own_.n) + " here", Ink::accent}};
    const auto crossing = [&](const std::string& id, double n, const Layer& other, const std::string& about) {
      if (n > chart.x.high) return;
      const std::string name = "n = " + id + " = " + count_text(n);
      list.push_back({"n_is_" + id, n, name, Ink::dim});
      add_point(figure_, "operations.n_is_" + id, chart.at(n, other.operation_count(at_length(n))),
                Shade::of(Ink::text), name + ": " + about);
    };
    crossing("d", own_.d, layers()[3], "above this, self-attention costs more than recurrence");
    crossing("r", own_.r, layers()[1], "above this, a window costs less than self-attention");
    add_flags(figure_, chart, std::move(list));
  }

  void frame(const Chart& chart, const std::string& heading, const std::string& x_title) {
    figure_.texts.push_back(title_mark(
        chart.id + ".heading", {chart.box.x, chart.box.y - kFlagLines * kFlagHeight - 12}, heading, TypeSize::kBody));
    add_y_axis(figure_, chart, kYTicks);
    add_x_axis(figure_, chart, x_title);
  }

  /// Room for the names of the curves at the right of a chart.
  static double end_labels_width(double width) { return width >= kWithEndLabels ? 92 : 0; }

  /// Names at the ends of the curves, if all of them can be close to their curve.
  void end_labels(const Chart& chart, double longest) {
    constexpr double kApart = 13;
    constexpr double kFarthest = 14;
    std::vector<double> ends;
    for (const Layer& layer : layers()) ends.push_back(chart.up(layer.operation_count(at_length(longest))));
    const std::vector<double> places = spread(ends, kApart);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (std::abs(places[i] - ends[i]) > kFarthest) return;
    }
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const Layer& layer = layers()[i];
      figure_.texts.push_back(chart_text("operations.end." + layer.id, {chart.box.right() + 8, places[i]},
                                         layer.short_name, Ink::dim, TypeSize::kSmall, HorizontalAlign::left,
                                         VerticalAlign::middle));
    }
  }

  /// A tooltip with all costs at each power of two, for a strip of the chart.
  void read_offs(const Chart& chart, double longest) {
    for (double n = 1; n <= longest; n *= 2) {
      const double from = std::max(chart.box.x, chart.across(n / std::sqrt(2.0)));
      const double to = std::min(chart.box.right(), chart.across(n * std::sqrt(2.0)));
      TargetMark target;
      target.id = "operations.at." + short_text(n, 12);
      target.box = {from, chart.box.y, to - from, chart.box.height};
      target.about = "n = " + grouped_text(std::llround(n)) + ":";
      for (const Layer& layer : layers()) {
        target.about += std::string(&layer == layers().data() ? " " : "; ") + layer.short_name + " " +
                        plain_count(layer.operation_count(at_length(n)));
      }
      figure_.targets.push_back(std::move(target));
    }
  }

  void measured_chart(const Rect& outer) {
    const auto longest = static_cast<double>(times_->back().tokens);
    const double last = times_->back().seconds * 1e3;
    const auto square = [&](double n) { return last * (n / longest) * (n / longest); };
    const auto shortest = static_cast<double>(times_->front().tokens);
    double low = square(shortest);
    double high = last;
    for (const AttentionTime& time : *times_) {
      low = std::min(low, time.seconds * 1e3);
      high = std::max(high, time.seconds * 1e3);
    }
    const ChartRange y = {low / 2, high * 2, 10};
    const ChartRange x = {kFewestTimedTokens, kMaxTimedTokens, 2};
    const Chart chart = place_chart(outer, "measured", x, y, y_axis_width(y, kYTicks), kFlagLines);
    frame(chart, "measured on this machine", "n, tokens");
    const std::array<LegendEntry, 2> entries = {{{"attention, in milliseconds", Shade::of_hue(layers()[0].hue), false},
                                                 {"n^{2}, scaled to the longest time", Shade::of(Ink::dim), true}}};
    add_legend(&figure_, "measured.legend", entries, {chart.box.x, chart.box.y - kFlagLines * kFlagHeight - 2},
               chart.box.width);
    add_curve(figure_, chart, "square", std::array<Point, 2>{{{shortest, square(shortest)}, {longest, last}}},
              Shade::of(Ink::dim), true);
    std::vector<Point> points;
    for (const AttentionTime& time : *times_) points.push_back({static_cast<double>(time.tokens), time.seconds * 1e3});
    add_curve(figure_, chart, "times", points, Shade::of_hue(layers()[0].hue));
    for (const AttentionTime& time : *times_) {
      add_point(figure_, "measured." + std::to_string(time.tokens),
                chart.at(static_cast<double>(time.tokens), time.seconds * 1e3), Shade::of_hue(layers()[0].hue),
                "n = " + grouped_text(time.tokens) + ": " + duration_text(time.seconds));
    }
  }

  const Trace& trace_;
  const ViewOptions& options_;
  const Times* times_;  ///< null: none are shown
  Sizes own_;
  double left_ = 0;
  double width_ = 0;
  Figure figure_;
};

bool applies(const Trace& /*trace*/, const ParameterValues& /*chosen*/, std::string_view /*option*/) { return true; }

Figure build(const Trace& trace, const ViewOptions& options) {
  if (options.choice("measured") == "no") return ComplexityLayout(trace, options, nullptr).build();
  const Index dim = head_count(trace) * head_dim(trace);
  const auto make = [&]() -> std::shared_ptr<const Times> {
    Times times = time_attention(dim, kMeasuringSeconds, options.stop);
    return options.stop.stop_requested() ? nullptr : std::make_shared<const Times>(std::move(times));
  };
  const std::shared_ptr<const Times> times =
      options.cache != nullptr
          ? options.cache->find_or_keep<Times>(std::tuple(std::string("attention times"), dim), make)
          : make();
  if (!times) return {};
  return ComplexityLayout(trace, options, times->empty() ? nullptr : times.get()).build();
}

}  // namespace
}  // namespace complexity_view_parts

View complexity_view() {
  return {
      "complexity",
      "Complexity",
      "The cost of a layer as the sequence grows: self-attention, sliding-window attention, convolution, recurrence.",
      {integer_parameter("kernel", "Kernel k", "The kernel width of the convolution.", 3, 2, 15),
       integer_parameter("window", "Window r", "The number of tokens that each token attends to in a sliding window.",
                         16, 1, 512),
       choice_parameter("measured", "Measured times",
                        "How long attention takes on this machine; the times vary from run to run.", {"no", "yes"},
                        {"no", "yes"})},
      complexity_view_parts::applies,
      complexity_view_parts::build,
      [](const Trace& trace) {
        return trace.experiment().model != nullptr ? no_model("it compares the cost of single layers") : std::string();
      }};
}

}  // namespace attnscope
