#include "figure/slices/head_state.h"

#include <algorithm>
#include <utility>

namespace attnscope {
namespace {

constexpr std::string_view kWeights = "weights";

}  // namespace

std::string outputs_of_heads(std::string_view weights) {
  return std::string(weights.substr(0, weights.size() - std::min(kWeights.size(), weights.size()))) + "head_outputs";
}

std::string head_state(const Experiment& experiment, std::string_view weights, Index head) {
  if (weights == kWeights && std::ranges::binary_search(experiment.heads_off, head)) return "off";
  const Intervention* const found = same_part(experiment.interventions, {outputs_of_heads(weights), head, {}, {}});
  if (found != nullptr) return std::string(kind_name(found->kind));
  const std::string scores = scores_of_heads(weights);
  const bool is_masked = std::ranges::any_of(experiment.interventions, [&](const Intervention& each) {
    return each.key && each.tensor == scores && each.head == head;
  });
  return is_masked ? "partly masked" : "";
}

std::string with_head_state(std::string title, const Experiment& experiment, std::string_view weights, Index head) {
  const std::string state = head_state(experiment, weights, head);
  return state.empty() ? title : std::move(title) + ", " + state;
}

}  // namespace attnscope
