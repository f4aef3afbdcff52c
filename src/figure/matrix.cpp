#include "figure/matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/text.h"

namespace attnscope {
namespace {

constexpr double kLabelDistance = 6;

struct NameAndSymbol {
  std::string_view name;
  std::string_view symbol;
};

constexpr std::array<NameAndSymbol, 20> kSymbols = {{
    {"x", "X"},
    {"x2", "X_{2}"},
    {"w_q", "W_{Q}"},
    {"w_k", "W_{K}"},
    {"w_v", "W_{V}"},
    {"w_out", "W_{O}"},
    {"q", "Q"},
    {"k", "K"},
    {"v", "V"},
    {"scores", "scores"},
    {"masked_scores", "masked scores"},
    {"weights", "weights"},
    {"dropped_weights", "after dropout"},
    {"head_outputs", "head out"},
    {"weighted_values", "weighted V"},
    {"merged", "heads side by side"},
    {"out", "output"},
    {"cross_q", "Q_{2}"},
    {"cross_scores", "cross scores"},
    {"cross_weights", "cross weights"},
}};

bool counts_tokens(const Axis& axis) { return axis.name == "token" || axis.name == "query" || axis.name == "key"; }

const Axis& picture_axis(const Trace& trace, const HeatmapMark& mark, bool rows) {
  const Axes& axes = trace.steps()[static_cast<std::size_t>(mark.step)].axes;
  return axes[axes.size() - (rows != mark.transposed ? 2 : 1)];
}

double widest_label(const std::vector<std::string>& labels) {
  double widest = 0;
  for (const std::string& label : labels)
    widest = std::max(widest, text_width(label, TypeSize::kSmall, FontWeight::regular));
  return widest;
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
  return std::holds_alternative<SoftmaxOperation>(step.operation) ||
         std::holds_alternative<DropoutOperation>(step.operation);
}

ColorScale natural_scale(const Step& step, const MatrixView& matrix) {
  if (is_weights(step)) return {ColorMap::viridis, 0, 1};
  const MaskOperation* mask = std::get_if<MaskOperation>(&step.operation);
  double low = 0;
  double high = 0;
  for (Index r = 0; r < matrix.rows; ++r) {
    for (Index c = 0; c < matrix.columns; ++c) {
      const auto value = static_cast<double>(matrix.at(r, c));
      // What the mask filled in would leave no colours for the rest.
      if (!std::isfinite(value) || (mask != nullptr && matrix.at(r, c) == static_cast<float>(mask->fill))) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (low < 0) return {ColorMap::red_blue, -std::max(-low, high), std::max(-low, high)};
  return {ColorMap::magma, 0, high};
}

std::optional<HeatmapMark> matrix_mark(const Trace& trace, std::string_view name, Index head, bool transposed) {
  const Step* step = trace.find(name);
  if (step == nullptr || step->axes.size() < 2) return std::nullopt;
  HeatmapMark mark;
  mark.id = std::string(name) + (transposed ? ".transposed" : "");
  mark.step = static_cast<int>(step - trace.steps().data());
  mark.tensor = step->tensor;
  mark.transposed = transposed;
  mark.about = step->name + (transposed ? ", transposed" : "");
  for (std::size_t i = 0; i + 2 < step->axes.size(); ++i) {
    const bool is_head = step->axes[i].name == "head";
    mark.leading.push_back(is_head ? std::min(head, step->axes[i].size - 1) : 0);
    if (is_head) mark.about += " of head " + std::to_string(mark.leading.back() + 1);
  }
  mark.scale = natural_scale(*step, mark.matrix());
  return mark;
}

std::vector<std::string> axis_labels(const Trace& trace, const Axis& axis) {
  std::vector<std::string> labels;
  if (!counts_tokens(axis) || trace.experiment().labels.empty()) return labels;
  for (Index i = 0; i < axis.size; ++i) labels.push_back(token_label(trace.experiment(), i));
  return labels;
}

std::vector<std::string> row_labels(const Trace& trace, const HeatmapMark& mark) {
  return axis_labels(trace, picture_axis(trace, mark, true));
}
std::vector<std::string> column_labels(const Trace& trace, const HeatmapMark& mark) {
  return axis_labels(trace, picture_axis(trace, mark, false));
}

Index head_count(const Trace& trace) {
  const Step* weights = trace.find("weights");
  if (weights == nullptr) return 1;
  for (const Axis& axis : weights->axes) {
    if (axis.name == "head") return axis.size;
  }
  return 1;
}

double column_label_height(const std::vector<std::string>& labels, double cell) {
  if (labels.empty()) return 0;
  const double widest = widest_label(labels);
  return (widest + 4 <= cell ? TypeSize::kSmall : widest) + kLabelDistance;
}

double row_label_width(const std::vector<std::string>& labels) {
  return labels.empty() ? 0 : widest_label(labels) + kLabelDistance;
}

}  // namespace attnscope
