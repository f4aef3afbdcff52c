#include "figure/slices/selected.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/imported/imported_layers.h"
#include "core/plan/plan.h"
#include "core/residual/residual_stream.h"
#include "figure/slices/token_picture.h"

namespace attnscope {
namespace {

constexpr std::string_view kOther = "other_";
constexpr std::string_view kSingle = "single.";  // prefix of the tensors of the single-head stage

bool is_cross(const ParameterValues& options) {
  const auto found = options.find("attention");
  return found != options.end() && std::get<std::string>(found->second) == "cross";
}

Index size_along(const Step* step, std::string_view name) {
  const Axis* axis = step == nullptr ? nullptr : find_axis(step->axes, name);
  return axis == nullptr ? 1 : axis->size;
}

/// `option_limit` for an option about the output of a model; nothing for another option.
std::optional<Index> limit_of_output(const Trace& trace, std::string_view option) {
  if (option != "position" && option != "after" && option != "token") return std::nullopt;
  const std::optional<ResidualStream> stream = residual_stream(trace);
  if (!stream) return 1;
  if (option == "after") return std::ssize(stream->states) - 1;
  const Axes& axes = trace.step(stream->logits).axes;
  return option == "position" ? axes.front().size : axes.back().size - 1;
}

/// `option_limit` for one attention.
Index limit_of(const Trace& trace, std::string_view option, const Step* weights) {
  if (option == "layer") return layer_count(trace);
  if (option == "channel") {
    const std::optional<TokenPicture> picture = token_picture(trace);
    return picture ? picture->channels() : 1;
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
  const std::vector<LayerAttention> layers = layer_attentions(trace);
  const Step* cross = trace.find("cross_weights");
  chosen.has_cross = cross != nullptr;
  chosen.cross = chosen.has_cross && is_cross(options);
  const auto layer = options.find("layer");
  if (layer != options.end() && !chosen.cross)
    chosen.layer_number = std::min(std::get<Index>(layer->second), std::max<Index>(1, std::ssize(layers)));
  chosen.weights = chosen.cross ? cross : nullptr;
  if (!layers.empty()) {
    const LayerAttention& its = layers[static_cast<std::size_t>(chosen.layer_number - 1)];
    chosen.layer = prefix_of(trace, its);
    chosen.title = title_of(its);
    if (!chosen.cross) chosen.weights = &trace.step(its.weights);
  }
  chosen.has_heads = chosen.weights != nullptr && find_axis(chosen.weights->axes, "head") != nullptr;
  return chosen;
}

Parameter stage_option() {
  return choice_parameter("stage", "Stage", "Multi-head or single-head attention.", {"multi", "single"},
                          {"multi-head", "single-head"});
}

bool has_stages(const Trace& trace) { return trace.find(std::string(kSingle) + "weights") != nullptr; }

SelectedAttention shown_attention(const Trace& trace, const ParameterValues& options) {
  SelectedAttention shown = selected_attention(trace, options);
  const auto stage = options.find("stage");
  const bool single = stage != options.end() && std::get<std::string>(stage->second) == "single";
  if (!single || !has_stages(trace)) return shown;
  shown.layer = kSingle;
  shown.weights = trace.find(shown.layer + (shown.cross ? "cross_weights" : "weights"));
  shown.has_heads = false;
  return shown;
}

std::string attention_text(const Trace& trace, const SelectedAttention& chosen, Index item) {
  std::string text;
  if (layer_count(trace) > 1) text += ", " + chosen.title;
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
  if (any) return "";
  const std::shared_ptr<const ImportedTensors>& tensors = trace.experiment().tensors;
  const std::optional<std::string> notice = tensors != nullptr ? model_notice(*tensors) : std::nullopt;
  return notice ? *notice + "." : "These tensors have no attention weights.";
}

std::string no_model(const std::string& reason) { return "This view is not for trained models: " + reason + "."; }

Index slice_count(const Axes& axes) {
  Index count = 1;
  for (std::size_t i = 0; i + 2 < axes.size(); ++i) count *= axes[i].size;
  return count;
}

Index layer_count(const Trace& trace) { return std::max<Index>(1, std::ssize(layer_attentions(trace))); }

std::vector<std::string> layer_names(const Trace& trace, std::string_view option) {
  std::vector<std::string> names;
  if (option != "layer" && option != std::string(kOther) + "layer") return names;
  const std::vector<LayerAttention> layers = layer_attentions(trace);
  if (layers.empty() || layers.front().kind == AttentionKind::self) return names;
  names.reserve(layers.size());
  for (const LayerAttention& each : layers) names.push_back(title_of(each));
  return names;
}

const Step* first_weights(const Trace& trace) {
  const std::vector<LayerAttention> layers = layer_attentions(trace);
  return layers.empty() ? nullptr : &trace.step(layers.front().weights);
}

Index head_count(const Trace& trace) { return size_along(first_weights(trace), "head"); }
Index item_count(const Trace& trace) { return size_along(first_weights(trace), "batch"); }

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
  constexpr std::array<std::string_view, 12> kCounted = {"head",   "item",  "layer", "channel",  "query", "key",
                                                         "tensor", "slice", "page",  "position", "after", "token"};
  return std::find(kCounted.begin(), kCounted.end(), option) != kCounted.end();
}

Index option_limit(const Trace& trace, std::string_view option, const ParameterValues& options) {
  if (option.starts_with(kOther)) return option_limit(trace, option.substr(kOther.size()), other_attention(options));
  if (option == "tensor") return std::ssize(trace.steps());
  const auto direction = options.find("direction");
  if (option == "position" && direction != options.end()) {
    const bool to = std::get<std::string>(direction->second) == "to";
    return limit_of(trace, to ? "key" : "query", selected_attention(trace, options).weights);
  }
  if (const std::optional<Index> limit = limit_of_output(trace, option)) return *limit;
  if (option == "slice") {
    const Index tensor = std::min<Index>(std::get<Index>(options.find("tensor")->second), std::ssize(trace.steps()));
    return tensor < 1 ? 1 : slice_count(trace.step(static_cast<int>(tensor - 1)).axes);
  }
  return limit_of(trace, option, selected_attention(trace, options).weights);
}

bool has_both_kinds(const Trace& trace) {
  return std::ranges::any_of(layer_attentions(trace),
                             [](const LayerAttention& each) { return each.kind == AttentionKind::cross; });
}

std::vector<LayerAttention> wanted_attentions(const Trace& trace, const ParameterValues& options) {
  std::vector<LayerAttention> attentions = layer_attentions(trace);
  const auto found = options.find("attention");
  const std::string wanted = found == options.end() ? "both" : std::get<std::string>(found->second);
  if (wanted == "both" || !has_both_kinds(trace)) return attentions;
  std::erase_if(attentions,
                [&](const LayerAttention& each) { return (each.kind == AttentionKind::cross) != (wanted == "cross"); });
  return attentions;
}

bool leaves_choice(const Trace& trace, std::string_view option) {
  if (option.starts_with(kOther)) option.remove_prefix(kOther.size());
  const Step* cross = trace.find("cross_weights");
  if (option == "attention") return cross != nullptr;
  if (option == "layer" || option == "channel") return limit_of(trace, option, nullptr) > 1;
  for (const LayerAttention& each : layer_attentions(trace)) {
    if (limit_of(trace, option, &trace.step(each.weights)) > 1) return true;
  }
  return cross != nullptr && limit_of(trace, option, cross) > 1;
}

bool leaves_choice(const Trace& trace, const ParameterValues& /*chosen*/, std::string_view option) {
  return leaves_choice(trace, option);
}

}  // namespace attnscope
