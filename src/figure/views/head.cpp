// One head in full size: its weights or scores, the sum and entropy of each query's weights, and the mean weight of
// each key.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/heads/row_statistics.h"
#include "core/plan/region.h"
#include "figure/blocks/beside_head.h"
#include "figure/layout/legend.h"
#include "figure/layout/margin.h"
#include "figure/model/label_painter.h"
#include "figure/slices/head_state.h"
#include "figure/slices/matrix.h"
#include "figure/slices/selected.h"
#include "figure/slices/weight_colors.h"
#include "figure/views/view.h"

namespace attnscope {
namespace head_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kTitle = 28;
constexpr double kAxisName = 16;
constexpr double kLegendHeight = 44;
constexpr double kMaxCell = 64;
constexpr double kLeastExtent = 48;   // of a matrix, where it has few rows or columns
constexpr double kMeanDistance = 8;   // from the matrix to the mean weights
constexpr double kMeanHeight = 48;    // of the largest mean
constexpr double kMeanLabel = 18;     // below the bars
constexpr Index kMaxLabelled = 4096;  // more rows or columns have no labels
constexpr double kThickestRowBar = 14;
// In a window that is too low for labels beside the cells there are no mean weights, and the scale is beside the title.
constexpr double kLowMargin = 8;
constexpr double kLowBar = 100;
constexpr double kThickestColumnBar = 32;

/// The head to show. Everything counts from 0.
struct Shown {
  const Step* weights = nullptr;
  const Step* matrix = nullptr;  ///< the weights, or the input of their softmax
  Slice slice;
  std::string title;
};

Shown shown_of(const Trace& trace, const ViewOptions& options) {
  Shown shown;
  const SelectedAttention chosen = selected_attention(trace, options.values);
  shown.weights = chosen.weights;
  const bool scores = options.choice("of") == "scores" && !shown.weights->inputs.empty();
  shown.matrix = scores ? &trace.step(shown.weights->inputs.front()) : shown.weights;
  shown.slice = selected_slice(trace, options.values);
  shown.title = "Attention";
  if (chosen.has_heads)
    shown.title = capitalized(head_title(trace.experiment(), chosen.weights->name, shown.slice.head));
  shown.title = with_head_state(std::move(shown.title), trace.experiment(), chosen.weights->name, shown.slice.head) +
                attention_text(trace, chosen, shown.slice.item);
  return shown;
}

/// Sums, entropies and means of the weights; null where they are not in memory, or it was stopped.
std::shared_ptr<const RowStatistics> row_statistics_for(const Shown& shown, const ViewOptions& options) {
  if (shown.weights->tensor == nullptr) return nullptr;
  const std::vector<Index> leading = leading_index(shown.weights->axes, 2, shown.slice.head, shown.slice.item);
  const auto make = [&]() -> std::shared_ptr<const RowStatistics> {
    std::optional<RowStatistics> made = row_statistics_of(shown.weights->tensor->matrix(leading), options.stop);
    return made ? std::make_shared<const RowStatistics>(std::move(*made)) : nullptr;
  };
  if (options.cache == nullptr) return make();
  return options.cache->find_or_make<RowStatistics>(std::make_tuple(shown.weights->tensor, leading), make);
}

/// Three decimals, as for weights; fewer digits where given weights are so large that those would not fit.
std::string margin_text(double value) {
  constexpr double too_large = 10'000;
  return std::abs(value) < too_large ? fixed_text(value, 3) : number_text(value, 3);
}

std::vector<std::string> numbers_up_to(Index count) {
  return count <= kMaxLabelled ? position_numbers(count) : std::vector<std::string>();
}

class HeadLayout {
 public:
  HeadLayout(const Trace& trace, const Shown& shown, const RowStatistics* row_statistics, const ViewOptions& options)
      : trace_(trace),
        shown_(shown),
        row_statistics_(row_statistics),
        options_(options),
        mark_(*matrix_mark(trace, shown.matrix->name, shown.slice)) {
    if (shown.matrix == shown.weights) WeightColors(scale_kind(options.values)).color(mark_);
    mark_.id = "matrix";
    mark_.row_labels = row_labels(trace, mark_);
    if (mark_.row_labels.empty()) mark_.row_labels = numbers_up_to(mark_.rows());
    mark_.column_labels = column_labels(trace, mark_);
    counted_columns_ = mark_.column_labels.empty();
    if (counted_columns_) mark_.column_labels = numbers_up_to(mark_.columns());
    if (options.width < kNarrowHead) beside_ = kBesideNarrowHead;
  }

  Figure build() {
    place_matrix();
    if (options_.in_window()) make_room();
    add_names();
    if (row_statistics_ != nullptr) {
      add_rows();
      if (!low_) add_columns();
    } else {
      add_text("left_out", {left_, mark_.box.bottom() + kMeanDistance + 11}, kLeftOut, Ink::dim);
    }
    const Point bar =
        has_bar_beside_title() ? Point{left_ + title_width() + kBesideTitle, top_ + 4} : Point{left_, bottom_ + 16};
    place_legend(figure_.color_bars, bar, kMargin, figure_.width - 2 * kMargin);
    figure_.heatmaps.push_back(std::move(mark_));
    return std::move(figure_);
  }

 private:
  static constexpr double kBesideTitle = 24;
  static constexpr const char* kLeftOut = "No sums and means: the weights do not fit in memory.";

  [[nodiscard]] double left_width() const {
    double name = text_width("query", TypeSize::kSmall) + query_distance();
    if (has_means()) name = std::max(name, text_width("mean weight", TypeSize::kSmall) + kLabelDistance);
    if (mark_.row_labels.empty())
      name = std::max(name, text_width(numbers_text(mark_.rows()), TypeSize::kSmall) + kLabelDistance);
    return std::ceil(std::max(row_label_width(mark_.row_labels), name));
  }

  /// From the rows' name to the matrix: the first number above a column may extend to the left.
  [[nodiscard]] double query_distance() const { return kLabelDistance + (counted_columns_ ? 6 : 0); }

  /// For too many rows or columns to label each.
  static std::string numbers_text(Index count) { return "1 to " + grouped_text(count); }

  /// The height of the columns' labels; numbers are never turned.
  [[nodiscard]] double label_height(double cell) const {
    return counted_columns_ ? TypeSize::kSmall + kLabelDistance : column_label_height(mark_.column_labels, cell);
  }

  /// Leaves out what the window has no room for, or what takes most of the room for cells, unless words have none beside
  /// the cells in either case.
  void make_room() {
    constexpr double kMuchLarger = 1.5;
    const auto has_words = [this] {
      return mark_.row_labels.are_counted() || mark_.box.height >= kMinLabel * static_cast<double>(mark_.rows());
    };
    const bool fits = figure_.height <= options_.height;
    const double height = mark_.box.height;
    const bool had_words = has_words();
    low_ = true;
    place_matrix();
    if (!fits || (!had_words && has_words()) || mark_.box.height >= kMuchLarger * height) return;
    low_ = false;
    place_matrix();
  }

  [[nodiscard]] bool has_means() const { return row_statistics_ != nullptr && !low_; }
  [[nodiscard]] double title_width() const { return text_width(shown_.title, TypeSize::kTitle, FontWeight::semibold); }
  [[nodiscard]] bool has_bar_beside_title() const {
    const double wide = title_width() + kBesideTitle + legend_size(figure_.color_bars, 0).width;
    return low_ && wide <= options_.width - 2 * kMargin;
  }

  [[nodiscard]] double height_below() const {
    return has_means() ? kMeanDistance + kMeanLabel + kMeanHeight : low_ ? kMeanLabel : kMeanDistance + kMeanLabel;
  }

  void place_matrix() {
    figure_.color_bars = {legend()};
    if (const auto masked = masked_bar(mark_.scale, options_.width)) figure_.color_bars.push_back(*masked);
    const double margin = low_ ? kLowMargin : kMargin;
    const auto rows = static_cast<double>(mark_.rows());
    const auto columns = static_cast<double>(mark_.columns());
    const double left = left_width();
    const double right = row_statistics_ != nullptr ? beside_.width() : 0;
    const double below = height_below() + (has_bar_beside_title() ? 0 : kLegendHeight);
    const double above = kTitle + kAxisName;
    const double room_x = options_.width - 2 * kMargin - left - right;
    const auto cell_below = [&](double labels) {
      const double room = options_.height - 2 * margin - above - below - labels;
      return std::min(
          {room_x / columns, (options_.height > 0 ? room : std::max(options_.width, 320.0)) / rows, kMaxCell});
    };
    // Larger cells never need more room for their labels.
    const double cell = cell_below(label_height(cell_below(label_height(0))));
    const double cell_width = std::max(cell, std::min(kMaxCell, kLeastExtent / columns));
    const double cell_height = std::max(cell, std::min(kMaxCell, kLeastExtent / rows));
    const double matrix = left + columns * cell_width + right;
    const double bar = legend_size(figure_.color_bars, matrix).width;
    const double notice = row_statistics_ == nullptr ? text_width(kLeftOut, TypeSize::kSmall) : 0;
    const double block =
        std::max({matrix, title_width() + (has_bar_beside_title() ? kBesideTitle + bar : 0), bar, notice});
    figure_.width = std::max(options_.width, block + 2 * kMargin);
    left_ = std::round((figure_.width - block) / 2);
    const double height = 2 * margin + above + label_height(cell_width) + rows * cell_height + below;
    figure_.height = std::max(options_.height, height);
    top_ = margin + std::floor((figure_.height - height) / 2);
    mark_.box = {left_ + left, top_ + above + label_height(cell_width), columns * cell_width, rows * cell_height};
    bottom_ = mark_.box.bottom() + height_below();
  }

  [[nodiscard]] ColorBarMark legend() const {
    const ColorScale& scale = mark_.scale;
    ColorBarMark bar = {
        "scale", {0, 0, 160, 9}, scale, symbol(shown_.matrix->name), short_text(scale.low), short_text(scale.high)};
    if (shown_.matrix == shown_.weights) bar = weights_bar(scale);
    if (low_) bar.box.width = std::min(bar.box.width, kLowBar);
    return bar;
  }

  void add_names() {
    figure_.texts.push_back(title_mark("title", {left_, top_ + 13}, shown_.title));
    const Rect& box = mark_.box;
    const double cell = box.width / static_cast<double>(mark_.columns());
    add_text("key", {box.x, box.y - label_height(cell) - 6}, "key", Ink::text);
    add_text("query", {box.x - query_distance(), box.y - kLabelDistance}, "query", Ink::text, HorizontalAlign::right);
    if (mark_.row_labels.empty()) {
      add_text("rows", {box.x - kLabelDistance, box.y + 11}, numbers_text(mark_.rows()), Ink::dim,
               HorizontalAlign::right);
    }
    if (mark_.column_labels.empty())
      add_text("columns", {box.x, box.y - kLabelDistance}, numbers_text(mark_.columns()), Ink::dim);
  }

  /// Lines at both ends of the scale, with their numbers.
  void add_ends(const std::string& id, const MarginScale& scale, const std::string& end_text) {
    const Rect& box = mark_.box;
    for (const bool end : {false, true}) {
      const double x = scale.from + (end ? scale.length : 0);
      const std::string name = id + (end ? ".end" : ".start");
      figure_.lines.push_back({name, {x, box.y}, {x, box.bottom()}, Ink::line, 1, false, false});
      add_number(name, {x, box.bottom() + 4}, end ? end_text : "0", Ink::dim);
    }
  }

  /// The sum and the entropy of each query's weights.
  void add_rows() {
    const Rect& box = mark_.box;
    const double x = box.right() + beside_.distance;
    const double entropy_x = x + beside_.sum + beside_.sum_text + beside_.between;
    const std::string most = "ln " + std::to_string(mark_.columns());
    const MarginScale sums = {x, beside_.sum, 1};
    const MarginScale entropies = {entropy_x, beside_.entropy, std::log(static_cast<double>(mark_.columns()))};
    add_text("sum", {x, box.y - kLabelDistance}, beside_.sum_text > 0 ? "weight sum" : "sum", Ink::text);
    add_text("entropy", {entropy_x, box.y - kLabelDistance}, "entropy", Ink::text);
    add_ends("sum", sums, "1");
    add_ends("entropy", entropies, most);
    const Margin margin(Margin::Side::right, box.y, box.height, mark_.rows());
    margin.draw(figure_, "sum", row_statistics_->sums, sums, kThickestRowBar, Ink::dim);
    margin.draw(figure_, "entropy", row_statistics_->entropies, entropies, kThickestRowBar, Ink::accent);
    if (beside_.sum_text > 0) add_row_numbers("sum", margin, row_statistics_->sums, x + beside_.sum + beside_.sum_text);
    add_row_numbers("entropy", margin, row_statistics_->entropies, entropy_x + beside_.entropy + beside_.entropy_text);
    for (Index i = 0; i < margin.parts(); ++i) {
      const Margin::Place place = margin.place(i);
      TargetMark target;
      target.id = "query." + std::to_string(i);
      target.box = {x, place.at, beside_.width() - beside_.distance, place.size};
      target.about = tokens_text("query", "queries", mark_.axes[mark_.axes.size() - 2], i, margin.each()) +
                     ": weights sum to " + Margin::range_text(margin.range(row_statistics_->sums, i)) + ", entropy " +
                     Margin::range_text(margin.range(row_statistics_->entropies, i)) + " nats of at most " + most +
                     " = " + number_text(entropies.most);
      figure_.targets.push_back(std::move(target));
    }
  }

  /// Right of the bars, where rows are high enough for numbers.
  void add_row_numbers(const std::string& id, const Margin& margin, std::span<const double> values, double right) {
    constexpr double kSmallest = 9;
    const double size = std::min(margin.place(0).size / 1.1, TypeSize::kSmall);
    if (margin.is_curve() || size < kSmallest) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
      figure_.texts.push_back({id + "." + std::to_string(i),
                               {right, margin.place(static_cast<Index>(i)).center()},
                               margin_text(values[i]),
                               size,
                               FontWeight::regular,
                               Ink::text,
                               HorizontalAlign::right,
                               VerticalAlign::middle,
                               0});
    }
  }

  /// The mean weight of each key over the queries.
  void add_columns() {
    const Rect& box = mark_.box;
    const std::vector<double>& means = row_statistics_->means;
    const std::vector<Index> leading = leading_index(shown_.weights->axes, 2, shown_.slice.head, shown_.slice.item);
    // The scale of the weights, which is steadier than the largest mean.
    const double most =
        std::max(weights_scale(trace_, *shown_.weights, leading).high, *std::max_element(means.begin(), means.end()));
    const MarginScale scale = {box.bottom() + kMeanDistance, kMeanHeight, most};
    figure_.lines.push_back({"mean.start", {box.x, scale.from}, {box.right(), scale.from}, Ink::line, 1, false, false});
    add_text("mean", {box.x - kLabelDistance, scale.from + 11}, "mean weight", Ink::text, HorizontalAlign::right);
    const Margin margin(Margin::Side::below, box.x, box.width, mark_.columns());
    margin.draw(figure_, "mean", means, scale, kThickestColumnBar, Ink::accent);
    add_means(margin, scale);
    for (Index i = 0; i < margin.parts(); ++i) {
      const Margin::Place place = margin.place(i);
      TargetMark target;
      target.id = "key." + std::to_string(i);
      target.box = {place.at, box.bottom() + 2, place.size, kMeanDistance + kMeanHeight + kMeanLabel - 2};
      target.about = tokens_text("key", "keys", mark_.axes.back(), i, margin.each()) + ": mean weight " +
                     Margin::range_text(margin.range(means, i)) + " over the queries";
      figure_.targets.push_back(std::move(target));
    }
  }

  /// Below the bars where numbers fit, otherwise below the largest bar only.
  void add_means(const Margin& margin, const MarginScale& scale) {
    const Rect& box = mark_.box;
    const std::vector<double>& means = row_statistics_->means;
    const Index largest = std::max_element(means.begin(), means.end()) - means.begin();
    const double number = text_width("0.000", TypeSize::kSmall);
    const bool has_room = !margin.is_curve() && margin.place(0).size >= number + 6;
    for (Index i = 0; i < margin.parts(); ++i) {
      const bool is_largest = largest / margin.each() == i;
      if (!has_room && !is_largest) continue;
      const double half = std::min(number, box.width) / 2;
      const double mean = margin.range(means, i).high;
      const double x = std::clamp(margin.place(i).center(), box.x + half, box.right() - half);
      add_number(has_room ? "mean." + std::to_string(i) : "mean.largest", {x, scale.at(mean) + 3}, margin_text(mean),
                 is_largest ? Ink::text : Ink::dim);
    }
  }

  /// "query “sat”", "queries 12 to 15": the tokens of a group.
  [[nodiscard]] std::string tokens_text(const std::string& one, const std::string& several, const Axis& axis,
                                        Index part, Index each) const {
    const Index first = part * each;
    const Index last = std::min(first + each, axis.size) - 1;
    if (first == last) return one + " " + token_text(trace_, shown_.weights->name, axis, first, shown_.slice.item);
    return several + " " + position_number(first) + " to " + position_number(last);
  }

  /// Centred below `at`.
  void add_number(std::string id, Point at, std::string text, Ink ink) {
    figure_.texts.push_back({std::move(id), at, std::move(text), TypeSize::kSmall, FontWeight::regular, ink,
                             HorizontalAlign::center, VerticalAlign::top, 0});
  }

  void add_text(std::string id, Point at, std::string markup, Ink ink,
                HorizontalAlign horizontal = HorizontalAlign::left) {
    figure_.texts.push_back({std::move(id), at, std::move(markup), TypeSize::kSmall, FontWeight::regular, ink,
                             horizontal, VerticalAlign::baseline, 0});
  }

  const Trace& trace_;
  const Shown& shown_;
  const RowStatistics* row_statistics_;
  const ViewOptions& options_;
  HeatmapMark mark_;
  bool counted_columns_ = false;
  BesideHead beside_;
  bool low_ = false;  ///< laid out for a window of little height
  Figure figure_;
  double left_ = 0;
  double top_ = 0;
  double bottom_ = 0;  ///< of everything above the legend
};

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  if (option == kColorScale) return std::get<std::string>(chosen.find("of")->second) == "weights";
  return option == "of" || leaves_choice(trace, option);
}

Figure build(const Trace& trace, const ViewOptions& options) {
  const Shown shown = shown_of(trace, options);
  const std::shared_ptr<const RowStatistics> row_statistics = row_statistics_for(shown, options);
  if (options.stop.stop_requested()) return {};
  Figure figure = HeadLayout(trace, shown, row_statistics.get(), options).build();
  figure.title = trace.experiment().system + ": attention of one head";
  return figure;
}

}  // namespace
}  // namespace head_view_parts

View head_view() {
  return {"head",
          "Head",
          "One head in full size, with the sum and entropy of each query's weights and the mean weight of each key.",
          {attention_option(), layer_option(), head_option(), item_option(),
           choice_parameter("of", "Show", "The weights, or the scores before the softmax, masked if there is a mask.",
                            {"weights", "scores"}, {"weights", "scores"}),
           color_scale_option()},
          head_view_parts::applies,
          head_view_parts::build,
          no_attention,
          layer_names};
}

}  // namespace attnscope
