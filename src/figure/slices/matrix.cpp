#include "figure/slices/matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "core/operations/draw.h"
#include "core/operations/dropout.h"
#include "core/operations/import.h"
#include "core/operations/mask.h"
#include "core/operations/normalize.h"
#include "core/trace/lazy_matrix.h"
#include "figure/slices/token_names.h"
#include "figure/slices/token_picture.h"

namespace attnscope {
namespace {

// The largest width of a label next to a matrix; logical pixels.
constexpr double kMaxLabel = 160;

struct NameAndSymbol {
  std::string_view name;
  std::string_view symbol;
};

constexpr std::array<NameAndSymbol, 54> kSymbols = {{
    {"x", "X"},
    {"x2", "X_{2}"},
    {"positions", "P"},
    {"positioned_x", "X + P"},
    {"rotated_q", "RoPE(Q)"},
    {"rotated_k", "RoPE(K)"},
    {"biased_scores", "scores + ALiBi"},
    {"x_q", "X_{Q}"},
    {"x_k", "X_{K}"},
    {"x_v", "X_{V}"},
    {"normed", "normalized X"},
    {"tokens", "tokens"},
    {"w_q", "W_{Q}"},
    {"w_k", "W_{K}"},
    {"w_v", "W_{V}"},
    {"w_o", "W_{O}"},
    {"w_o_rows", "W_{O}"},
    {"w_o_heads", "W_{O}"},
    {"w_qkv", "W_{QKV}"},
    {"w_out", "W_{O}"},
    {"w_proj", "W_{O}"},
    {"b_q", "b_{Q}"},
    {"b_k", "b_{K}"},
    {"b_v", "b_{V}"},
    {"b_qkv", "b_{QKV}"},
    {"b_o", "b_{O}"},
    {"b_out", "b_{O}"},
    {"b_proj", "b_{O}"},
    {"q", "Q"},
    {"scaled_q", "scaled Q"},
    {"k", "K"},
    {"v", "V"},
    {"qkv", "QKV"},
    {"projected_q", "Q of all heads"},
    {"projected_k", "K of all heads"},
    {"projected_v", "V of all heads"},
    {"w_a_q", "A_{Q}"},
    {"w_a_k", "A_{K}"},
    {"w_a_v", "a"},
    {"additive_q", "Q′"},
    {"additive_k", "K′"},
    {"scores", "scores"},
    {"masked_scores", "masked scores"},
    {"weights", "weights"},
    {"dropped_weights", "after dropout"},
    {"mean_weights", "mean weights"},
    {"head_outputs", "head"},
    {"kept_head_outputs", "active head"},
    {"weighted_values", "weighted V"},
    {"merged", "Concat(head_{1} … head_{h})"},
    {"out", "output"},
    {"cross_q", "Q_{2}"},
    {"cross_scores", "cross scores"},
    {"cross_weights", "cross weights"},
}};

/// The smallest of 1, 2 or 5 times a power of ten that is not below `largest`.
double round_ceiling(double largest) {
  if (!(largest > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(largest)));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (largest <= step * power) return std::min(1.0, step * power);
  }
  return std::min(1.0, 10 * power);
}

bool is_picture(const Step& step) { return step.axes.size() >= 3 && step.axes[step.axes.size() - 2].name == "row"; }

const Axis& picture_axis(const Trace& trace, const HeatmapMark& mark, bool rows) {
  const Axes& axes = trace.step(mark.step).axes;
  const auto columns = static_cast<std::size_t>(mark.column_axes);
  return axes[axes.size() - 1 - (rows != mark.transposed ? columns : 0)];
}

const std::string& tensor_of(const Trace& trace, const HeatmapMark& mark) { return trace.step(mark.step).name; }

std::span<const EditedNumber> edits_of(const Step& step) {
  if (const auto* draw = as<DrawOperation>(step.operation)) return draw->edits;
  if (const auto* given = as<ImportOperation>(step.operation)) return given->edits;
  return {};
}

HeatmapMark mark_of(const Step& step, std::vector<Index> leading, bool transposed) {
  HeatmapMark mark;
  mark.axes = step.axes;
  mark.leading = std::move(leading);
  mark.column_axes = is_picture(step) ? 2 : 1;
  mark.transposed = transposed;
  for (const EditedNumber& each : edits_of(step)) {
    std::vector<Index> index = index_in(step.axes, each.at);
    if (std::equal(mark.leading.begin(), mark.leading.end(), index.begin())) mark.by_hand.push_back(std::move(index));
  }
  return mark;
}

std::shared_ptr<const MatrixSource> source_of(const Trace& trace, const Step& step, const HeatmapMark& mark) {
  if (step.tensor != nullptr) return slice_of(step.tensor, mark);
  const auto number = static_cast<int>(&step - trace.steps().data());
  // A single axis is a column of rows; here it is shown as a row.
  const bool one_axis = step.axes.size() == 1;
  const MatrixPlace place = {number, mark.leading, one_axis ? 0 : mark.column_axes};
  return std::make_shared<LazyMatrix>(trace.lazy(), place, one_axis != mark.transposed);
}

/// The smallest and the largest finite number, and 0, leaving out one value.
class Extremes {
 public:
  explicit Extremes(float leave_out) : leave_out_(leave_out) {}

  void add(std::span<const float> numbers) {
    // In lanes, so that the compiler can vectorize the comparisons.
    std::size_t i = 0;
    for (; i + kLanes <= numbers.size(); i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) add(lane, numbers[i + lane]);
    }
    for (; i < numbers.size(); ++i) add(0, numbers[i]);
  }

  void add(const MatrixView& matrix) {
    // The order of the numbers does not matter.
    const MatrixView rows = matrix.column_stride == 1 ? matrix : matrix.transposed();
    for (Index r = 0; r < rows.rows; ++r) {
      const float* row = rows.data + r * rows.row_stride;
      if (rows.column_stride == 1) {
        add(std::span(row, static_cast<std::size_t>(rows.columns)));
      } else {
        for (Index c = 0; c < rows.columns; ++c) add(0, row[c * rows.column_stride]);
      }
    }
  }

  [[nodiscard]] std::pair<double, double> range() const {
    return {static_cast<double>(*std::min_element(low_.begin(), low_.end())),
            static_cast<double>(*std::max_element(high_.begin(), high_.end()))};
  }

 private:
  static constexpr std::size_t kLanes = 16;

  void add(std::size_t lane, float value) {
    const float number = std::abs(value) <= std::numeric_limits<float>::max() && value != leave_out_ ? value : 0.0F;
    low_[lane] = number < low_[lane] ? number : low_[lane];
    high_[lane] = number > high_[lane] ? number : high_[lane];
  }

  float leave_out_;
  std::array<float, kLanes> low_ = {};
  std::array<float, kLanes> high_ = {};
};

/// All of `count` heads, or a sample of very many.
std::vector<Index> some_heads(Index count) {
  constexpr Index kEnough = 256;
  const Index used = std::min(count, kEnough);
  std::vector<Index> heads;
  for (Index i = 0; i < used; ++i) heads.push_back(i * count / used);
  return heads;
}

}  // namespace

std::string symbol(std::string_view name) {
  if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) name.remove_prefix(dot + 1);
  const auto found =
      std::find_if(kSymbols.begin(), kSymbols.end(), [&](const NameAndSymbol& each) { return each.name == name; });
  if (found != kSymbols.end()) return std::string(found->symbol);
  if (name.starts_with("cross_")) return "cross " + symbol(name.substr(6));
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

bool is_weights(const Step& step) {
  return is_attention(step) || is<DropoutOperation>(step.operation) || is<MeanOperation>(step.operation);
}

ColorScale natural_scale(const Step& step, const MatrixSource& matrix) {
  if (is_weights(step)) return {ColorMap::viridis, 0, 1};
  const auto* mask = as<MaskOperation>(step.operation);
  // The fill of the mask would leave no colours for the rest.
  const float left_out = mask != nullptr ? static_cast<float>(mask->fill) : std::numeric_limits<float>::infinity();
  Extremes extremes(left_out);
  if (const std::optional<MatrixView> held = matrix.held()) {
    extremes.add(*held);
  } else {
    for (const auto& [low, high] : matrix.some_rows(left_out)) extremes.add(std::array{low, high});
    constexpr Index kOverviewSide = 256;
    if (const MatrixPart overview = overview_part(matrix, kOverviewSide); matrix.ready(overview)) {
      std::vector<float> texels(static_cast<std::size_t>(overview.rows * overview.columns));
      if (matrix.read(overview, texels, {})) extremes.add(texels);
    }
  }
  const auto [low, high] = extremes.range();
  ColorScale scale = {ColorMap::magma, 0, high};
  if (low < 0) scale = {ColorMap::red_blue, -std::max(-low, high), std::max(-low, high)};
  // A fill among the scores cannot be told from them.
  if (mask != nullptr && mask->fill < low) scale.masked = left_out;
  return scale;
}

ColorScale joint_scale(const ColorScale& a, const ColorScale& b) {
  const double high = std::max(a.high, b.high);
  ColorScale joint = {a.map, 0, high};
  if (a.low < 0 || b.low < 0) joint = {ColorMap::red_blue, -high, high};
  if (a.masked == b.masked) joint.masked = a.masked;
  return joint;
}

ColorScale weights_scale(const Trace& trace, const Step& step, std::span<const Index> leading) {
  constexpr Index kManyKeys = 32;
  if (step.axes.back().size <= kManyKeys) return {ColorMap::viridis, 0, 1};
  HeatmapMark head_mark = mark_of(step, std::vector<Index>(leading.begin(), leading.end()), false);
  const auto heads =
      std::find_if(step.axes.begin(), step.axes.end(), [](const Axis& axis) { return axis.name == "head"; });
  const auto head_axis = static_cast<std::size_t>(heads - step.axes.begin());
  const bool has_heads = head_axis < leading.size();
  std::vector<float> largest;
  for (const Index head : some_heads(has_heads ? heads->size : 1)) {
    if (has_heads) head_mark.leading[head_axis] = head;
    for (const auto& row : source_of(trace, step, head_mark)->some_rows(std::numeric_limits<float>::infinity()))
      largest.push_back(row.high);
  }
  if (largest.empty()) return {ColorMap::viridis, 0, 1};
  const auto middle = largest.begin() + std::ssize(largest) / 2;
  std::nth_element(largest.begin(), middle, largest.end());
  return {ColorMap::viridis, 0, round_ceiling(static_cast<double>(*middle))};
}

std::string scale_end_text(const ColorScale& scale) {
  const bool cut = scale.map == ColorMap::viridis && scale.high < 1;
  return (cut ? "≥ " : "") + short_text(scale.high);
}

std::optional<HeatmapMark> unscaled_mark(const Trace& trace, std::string_view name, Slice slice, bool transposed) {
  const Step* step = trace.find(name);
  if (step == nullptr || step->axes.size() < 2) return std::nullopt;
  std::vector<Index> leading = leading_index(step->axes, is_picture(*step) ? 3 : 2, slice.head, slice.item);
  std::string about = step->name + (transposed ? ", transposed" : "");
  for (std::size_t i = 0; i < leading.size(); ++i) {
    if (step->axes[i].name == "head") about += " of head " + std::to_string(leading[i] + 1);
  }
  if (!leading.empty() && step->axes.front().name == "batch" && step->axes.front().size > 1)
    about += ", item " + std::to_string(leading.front() + 1);
  HeatmapMark mark = mark_of(*step, std::move(leading), transposed);
  mark.id = std::string(name) + (transposed ? ".transposed" : "");
  mark.step = static_cast<int>(step - trace.steps().data());
  mark.about = std::move(about);
  mark.source = source_of(trace, *step, mark);
  return mark;
}

std::optional<HeatmapMark> matrix_mark(const Trace& trace, std::string_view name, Slice slice, bool transposed) {
  std::optional<HeatmapMark> mark = unscaled_mark(trace, name, slice, transposed);
  if (!mark) return std::nullopt;
  const Step& step = trace.step(mark->step);
  if (is<MeanOperation>(step.operation)) {
    // Colours mean the same as in the weights of which it is the mean.
    mark->scale = matrix_mark(trace, trace.step(step.inputs.front()).name, slice)->scale;
  } else {
    mark->scale = is_weights(step) ? weights_scale(trace, step, mark->leading) : natural_scale(step, *mark->source);
  }
  return mark;
}

HeatmapMark slice_mark(const Trace& trace, int number, std::vector<Index> leading) {
  const Step& step = trace.step(number);
  HeatmapMark mark;
  mark.axes = step.axes;
  mark.step = number;
  mark.id = step.name;
  mark.about = step.name;
  for (const Index each : leading) mark.id += "." + std::to_string(each);
  for (std::size_t i = 0; i < leading.size(); ++i)
    mark.about += ", " + step.axes[i].name + " " + std::to_string(leading[i] + 1);
  mark.leading = std::move(leading);
  mark.source = source_of(trace, step, mark);
  return mark;
}

std::optional<HeatmapMark> pixel_row_mark(const Trace& trace, std::string_view name, Slice slice, Index query,
                                          PixelKeys keys) {
  const Step* step = trace.find(name);
  if (step == nullptr || step->axes.size() < 2) return std::nullopt;
  HeatmapMark mark;
  mark.axes = step->axes;
  mark.leading = leading_index(step->axes, 2, slice.head, slice.item);
  mark.leading.push_back(query);
  mark.pixels_across = keys.across;
  mark.pixels_first = keys.first;
  mark.step = static_cast<int>(step - trace.steps().data());
  mark.id = std::string(name) + ".query." + std::to_string(slice.head);
  mark.about = step->name + " of head " + std::to_string(slice.head + 1) + ", query " + std::to_string(query + 1);
  HeatmapMark first = mark;  // in a tensor of this row alone
  std::fill(first.leading.begin(), first.leading.end(), 0);
  mark.source = slice_of(trace.numbers(region_within(mark.step, step->axes, mark.leading)), first);
  return mark;
}

Index batch_item(const Axes& axes, std::span<const Index> index) {
  for (std::size_t axis = 0; axis < std::min(index.size(), axes.size()); ++axis) {
    if (axes[axis].name == "batch") return index[axis];
  }
  return 0;
}

std::vector<std::string> axis_labels(const Trace& trace, std::string_view tensor, const Axis& axis, Index item) {
  std::vector<std::string> labels;
  // More labels would take longer to lay out than the numbers to compute.
  constexpr Index kMaxLabelled = 4096;
  const TokenNames names(trace, tensor, axis, item);
  if (names.empty() || axis.size > kMaxLabelled) return labels;
  labels.reserve(static_cast<std::size_t>(axis.size));
  for (Index i = 0; i < axis.size; ++i)
    labels.push_back(shortened_text(names.of(i).value_or(position_number(i)), kMaxLabel, TypeSize::kSmall));
  return labels;
}

Labels row_labels(const Trace& trace, const HeatmapMark& mark) {
  // A single row belongs to no axis.
  if (!mark.transposed && mark.axes.size() == static_cast<std::size_t>(mark.column_axes)) return {};
  return axis_labels(trace, tensor_of(trace, mark), picture_axis(trace, mark, true),
                     batch_item(mark.axes, mark.leading));
}
Labels column_labels(const Trace& trace, const HeatmapMark& mark) {
  return axis_labels(trace, tensor_of(trace, mark), picture_axis(trace, mark, false),
                     batch_item(mark.axes, mark.leading));
}

double column_label_height(const Labels& labels, double cell) {
  if (labels.shown() == Labels::Shown::none) return 0;
  if (labels.shown() == Labels::Shown::numbers) return TypeSize::kSmall + kLabelDistance;
  const double widest = labels.widest(TypeSize::kSmall);
  return (widest + 4 <= cell ? TypeSize::kSmall : widest) + kLabelDistance;
}

std::optional<ColorBarMark> masked_bar(const ColorScale& scale, double width) {
  constexpr double kLeast = 420;
  const std::optional<Rgb> color = masked_color(scale.map);
  if (!scale.masked || !color || width < kLeast) return std::nullopt;
  return ColorBarMark{"scale.masked", {0, 0, 9, 9}, {}, "masked", "", "", color};
}

Labels short_labels(const Labels& labels) {
  constexpr double kWidest = 84;
  if (labels.widest(TypeSize::kSmall) <= kWidest) return labels;
  std::vector<std::string> texts;
  for (const std::string& text : labels) texts.push_back(shortened_text(text, kWidest, TypeSize::kSmall));
  return texts;
}

double row_label_width(const Labels& labels) {
  if (labels.shown() == Labels::Shown::none) return 0;
  const bool numbers = labels.shown() == Labels::Shown::numbers;
  const double widest = numbers ? text_width(position_number(std::ssize(labels.texts()) - 1), TypeSize::kSmall)
                                : labels.widest(TypeSize::kSmall);
  return widest + kLabelDistance;
}

}  // namespace attnscope
