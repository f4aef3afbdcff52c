#include "core/heads/attention_list.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

namespace attnscope {
namespace {

constexpr std::string_view kWeights = "weights";

/// Takes "layer12." off the beginning of `name`; 0 where there is none.
Index take_layer(std::string_view& name) {
  std::string_view rest = name;
  if (!take_prefix(rest, "layer") || rest.empty() || rest.front() == '0') return 0;
  Index layer = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), layer);
  if (error != std::errc() || layer < 1) return 0;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (!take_prefix(rest, ".")) return 0;
  name = rest;
  return layer;
}

/// What the name of its weights says of an attention; nothing for another name.
std::optional<LayerAttention> attention_called(std::string_view name, int step, bool of_model) {
  LayerAttention found = {step, AttentionKind::self, 1};
  if (!name.ends_with(kWeights)) return std::nullopt;
  if (of_model && take_prefix(name, "encoder.")) found.kind = AttentionKind::encoder;
  if (of_model && take_prefix(name, "decoder.")) found.kind = AttentionKind::decoder;
  const Index layer = take_layer(name);
  // The first layer of a system has no prefix.
  if (of_model ? layer < 1 : layer == 1) return std::nullopt;
  if (layer > 1) found.layer = layer;
  if (of_model && take_prefix(name, "cross_")) found.kind = AttentionKind::cross;
  return name == kWeights ? std::optional(found) : std::nullopt;
}

}  // namespace

std::vector<LayerAttention> layer_attentions(const Trace& trace) {
  return layer_attentions(*trace.plan(), trace.experiment().model != nullptr);
}

std::vector<LayerAttention> layer_attentions(const Plan& plan, bool of_model) {
  const auto steps = static_cast<int>(plan.steps.size());
  std::vector<LayerAttention> all;
  // In one pass: looking up every layer by name would take quadratic time.
  for (int step = 0; step < steps; ++step) {
    const PlannedStep& each = plan.steps[static_cast<std::size_t>(step)];
    const std::optional<LayerAttention> found = attention_called(each.name, step, of_model);
    // A system's layers follow one another without a gap.
    if (found && (of_model || found->layer == std::ssize(all) + 1)) all.push_back(*found);
  }
  return all;
}

std::string prefix_of(const Trace& trace, const LayerAttention& attention) {
  const std::string& name = trace.step(attention.weights).name;
  return name.substr(0, name.size() - kWeights.size());
}

std::string title_of(const LayerAttention& attention) {
  std::string layer = "layer " + std::to_string(attention.layer);
  switch (attention.kind) {
    case AttentionKind::self: return layer;
    case AttentionKind::encoder: return "encoder " + layer;
    case AttentionKind::decoder: return "decoder " + layer;
    case AttentionKind::cross: return "decoder " + layer + ", cross-attention";
  }
  return layer;
}

}  // namespace attnscope
