#include "figure/slices/selected.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <vector>

#include "core/plan/plan.h"

namespace attnscope {
namespace {

constexpr std::string_view kOther = "other_";

bool is_cross(const ParameterValues& options) {
  const auto found = options.find("attention");
  return found != options.end() && std::get<std::string>(found->second) == "cross";
}

/// 12 of "layer12.weights", 0 of other names.
std::size_t layer_of_weights(std::string_view name) {
  constexpr std::string_view kLayer = "layer";
  constexpr std::string_view kWeights = ".weights";
  if (!name.starts_with(kLayer) || !name.ends_with(kWeights) || name.size() <= kLayer.size() + kWeights.size())
    return 0;
  const std::string_view digits = name.substr(kLayer.size(), name.size() - kLayer.size() - kWeights.size());
  std::size_t layer = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), layer);
  const bool whole = error == std::errc() && end == digits.data() + digits.size() && digits.front() != '0';
  return whole ? layer : 0;
}

Index size_along(const Step* step, std::string_view name) {
  const Axis* axis = step == nullptr ? nullptr : find_axis(step->axes, name);
  return axis == nullptr ? 1 : axis->size;
}

/// `option_limit` for one attention.
Index limit_of(const Trace& trace, std::string_view option, const Step* weights) {
  if (option == "layer") return layer_count(trace);
  if (option == "channel") {
    const Step* x = trace.find("x");
    return x != nullptr && x->axes.size() > 1 ? x->axes[1].size : 1;
  }
  const std::size_t rank = weights != nullptr ? weights->axes.size() : 0;
  if (option == "query") return rank < 2 ? 1 : weights->axes[rank - 2].size;
  if (option == "key") return rank < 2 ? 1 : weights->axes[rank - 1].size;
  return size_along(weights, option == "item" ? "batch" : "head");
}

}  // namespace

Parameter attention_option() {
  return choice_parameter("attention", "Attention", "Self-attention, or cross-attention from the second sequence.",
                          {"self", "cross"}, {"self", "cross"});
}
Parameter layer_option() { return integer_parameter("layer", "Layer", "The layer to show.", 1, 1, 10); }
Parameter head_option() { return integer_parameter("head", "Head", "The head to show.", 1, 1, 10); }
Parameter item_option() { return integer_parameter("item", "Batch item", "The item of the batch to show.", 1, 1, 10); }

SelectedAttention selected_attention(const Trace& trace, const ParameterValues& options) {
  SelectedAttention chosen;
  const Step* cross = trace.find("cross_weights");
  chosen.has_cross = cross != nullptr;
  chosen.cross = chosen.has_cross && is_cross(options);
  const auto layer = options.find("layer");
  if (layer != options.end() && !chosen.cross)
    chosen.layer_number = std::min(std::get<Index>(layer->second), layer_count(trace));
  chosen.layer = layer_prefix(chosen.layer_number);
  chosen.weights = chosen.cross ? cross : trace.find(chosen.layer + "weights");
  chosen.has_heads = chosen.weights != nullptr && find_axis(chosen.weights->axes, "head") != nullptr;
  return chosen;
}

std::string attention_text(const Trace& trace, const SelectedAttention& chosen, Index item) {
  std::string text;
  if (layer_count(trace) > 1) text += ", layer " + std::to_string(chosen.layer_number);
  if (chosen.has_cross) text += chosen.cross ? ", cross-attention" : ", self-attention";
  if (item_count(trace) > 1) text += ", item " + std::to_string(item + 1);
  return text;
}

Slice selected_slice(const Trace& trace, const ParameterValues& options) {
  const auto chosen = [&](std::string_view name) {
    const auto found = options.find(name);
    if (found == options.end()) return Index{0};
    return std::min(std::get<Index>(found->second), option_limit(trace, name, options)) - 1;
  };
  return {chosen("head"), chosen("item")};
}

std::string no_attention(const Trace& trace) {
  const bool any = std::any_of(trace.steps().begin(), trace.steps().end(), is_attention);
  return any ? "" : "These tensors have no attention weights.";
}

Index slice_count(const Axes& axes) {
  Index count = 1;
  for (std::size_t i = 0; i + 2 < axes.size(); ++i) count *= axes[i].size;
  return count;
}

Index layer_count(const Trace& trace) {
  // In one pass: looking up every layer by name would take quadratic time.
  const auto most = static_cast<std::size_t>(std::ssize(trace.steps()));
  std::vector<bool> has(most + 2);
  for (const Step& step : trace.steps()) {
    if (const std::size_t layer = layer_of_weights(step.name); layer > 1 && layer < has.size()) has[layer] = true;
  }
  std::size_t next = 2;
  while (has[next]) ++next;
  return static_cast<Index>(next) - 1;
}

Index head_count(const Trace& trace) { return size_along(trace.find("weights"), "head"); }
Index item_count(const Trace& trace) { return size_along(trace.find("weights"), "batch"); }

ParameterValues other_attention(const ParameterValues& options) {
  ParameterValues other = options;
  for (const char* name : {"head", "layer"}) {
    const auto found = options.find(std::string(kOther) + name);
    if (found != options.end()) other[name] = found->second;
  }
  return other;
}

bool counts_the_trace(std::string_view option) {
  if (option.starts_with(kOther)) option.remove_prefix(kOther.size());
  constexpr std::array<std::string_view, 9> kCounted = {"head", "item",   "layer", "channel", "query",
                                                        "key",  "tensor", "slice", "page"};
  return std::find(kCounted.begin(), kCounted.end(), option) != kCounted.end();
}

Index option_limit(const Trace& trace, std::string_view option, const ParameterValues& options) {
  if (option.starts_with(kOther)) return option_limit(trace, option.substr(kOther.size()), other_attention(options));
  if (option == "tensor") return std::ssize(trace.steps());
  if (option == "slice") {
    const Index tensor = std::min(std::get<Index>(options.find("tensor")->second), std::ssize(trace.steps()));
    return tensor < 1 ? 1 : slice_count(trace.steps()[static_cast<std::size_t>(tensor - 1)].axes);
  }
  return limit_of(trace, option, selected_attention(trace, options).weights);
}

bool leaves_choice(const Trace& trace, std::string_view option) {
  if (option.starts_with(kOther)) option.remove_prefix(kOther.size());
  const Step* cross = trace.find("cross_weights");
  if (option == "attention") return cross != nullptr;
  if (limit_of(trace, option, trace.find("weights")) > 1) return true;
  if (option == "layer" || option == "channel") return false;
  const Index layers = layer_count(trace);
  for (const Step& step : trace.steps()) {
    const auto layer = static_cast<Index>(layer_of_weights(step.name));
    if (layer > 1 && layer <= layers && limit_of(trace, option, &step) > 1) return true;
  }
  return cross != nullptr && limit_of(trace, option, cross) > 1;
}

bool leaves_choice(const Trace& trace, const ParameterValues& /*chosen*/, std::string_view option) {
  return leaves_choice(trace, option);
}

}  // namespace attnscope
