#include "figure/chosen.h"

#include <algorithm>
#include <array>

namespace attnscope {
namespace {

constexpr std::string_view kOther = "other_";

bool is_cross(const ParameterValues& options) {
  const auto found = options.find("attention");
  return found != options.end() && std::get<std::string>(found->second) == "cross";
}

Index size_along(const Step* step, std::string_view name) {
  const Axis* axis = step == nullptr ? nullptr : find_axis(step->axes, name);
  return axis == nullptr ? 1 : axis->size;
}

/// As `option_limit` has it, of that attention.
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
  return choice_parameter("attention", "Attention", "To the tokens themselves, or from the second sequence.",
                          {"self", "cross"}, {"self", "cross"});
}
Parameter layer_option() {
  return integer_parameter("layer", "Layer", "Which layer is shown, of those that attend one after the other.", 1, 1,
                           10);
}
Parameter head_option() { return integer_parameter("head", "Head", "Which head is shown.", 1, 1, 10); }
Parameter item_option() {
  return integer_parameter("item", "Batch item", "Which item of the batch is shown.", 1, 1, 10);
}

ChosenAttention chosen_attention(const Trace& trace, const ParameterValues& options) {
  ChosenAttention chosen;
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

std::string attention_text(const Trace& trace, const ChosenAttention& chosen, Index item) {
  std::string text;
  if (layer_count(trace) > 1) text += ", layer " + std::to_string(chosen.layer_number);
  if (chosen.has_cross) text += chosen.cross ? ", cross-attention" : ", self-attention";
  if (item_count(trace) > 1) text += ", item " + std::to_string(item + 1);
  return text;
}

Slice chosen_slice(const Trace& trace, const ParameterValues& options) {
  const auto chosen = [&](std::string_view name) {
    const auto found = options.find(name);
    if (found == options.end()) return Index{0};
    return std::min(std::get<Index>(found->second), option_limit(trace, name, options)) - 1;
  };
  return {chosen("head"), chosen("item")};
}

std::string no_attention(const Trace& trace) {
  const bool any = std::any_of(trace.steps().begin(), trace.steps().end(), is_attention);
  return any ? "" : "There is no attention: the tensors are shown as they are.";
}

Index slice_count(const Axes& axes) {
  Index count = 1;
  for (std::size_t i = 0; i + 2 < axes.size(); ++i) count *= axes[i].size;
  return count;
}

Index layer_count(const Trace& trace) {
  Index count = 1;
  while (trace.find(layer_prefix(count + 1) + "weights") != nullptr) ++count;
  return count;
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
  constexpr std::array<std::string_view, 8> kCounted = {"head",  "item", "layer",  "channel",
                                                        "query", "key",  "tensor", "slice"};
  return std::find(kCounted.begin(), kCounted.end(), option) != kCounted.end();
}

Index option_limit(const Trace& trace, std::string_view option, const ParameterValues& options) {
  if (option.starts_with(kOther)) return option_limit(trace, option.substr(kOther.size()), other_attention(options));
  if (option == "tensor") return std::ssize(trace.steps());
  if (option == "slice") {
    const Index tensor = std::min(std::get<Index>(options.find("tensor")->second), std::ssize(trace.steps()));
    return tensor < 1 ? 1 : slice_count(trace.steps()[static_cast<std::size_t>(tensor - 1)].axes);
  }
  return limit_of(trace, option, chosen_attention(trace, options).weights);
}

bool leaves_choice(const Trace& trace, std::string_view option) {
  if (option.starts_with(kOther)) option.remove_prefix(kOther.size());
  const Step* cross = trace.find("cross_weights");
  if (option == "attention") return cross != nullptr;
  for (Index layer = 1; layer <= layer_count(trace); ++layer) {
    if (limit_of(trace, option, trace.find(layer_prefix(layer) + "weights")) > 1) return true;
  }
  return cross != nullptr && limit_of(trace, option, cross) > 1;
}

bool leaves_choice(const Trace& trace, const ParameterValues& /*chosen*/, std::string_view option) {
  return leaves_choice(trace, option);
}

}  // namespace attnscope
