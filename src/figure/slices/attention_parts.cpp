#include "figure/slices/attention_parts.h"

#include <utility>

#include "core/operations/add.h"
#include "core/operations/contract.h"
#include "core/operations/dropout.h"
#include "core/operations/intervene.h"
#include "core/operations/mask.h"
#include "core/operations/normalize.h"
#include "core/operations/positions.h"
#include "core/operations/rearrange.h"
#include "core/operations/rotary.h"

namespace attnscope {
namespace {

/// The first step of that operation that takes `step` as its first input. What only helps to look at heads does not
/// count.
template <typename Record>
const Step* follower(const Trace& trace, const Step& step) {
  const auto of = static_cast<int>(&step - trace.steps().data());
  for (const Step& each : trace.steps().subspan(static_cast<std::size_t>(of) + 1)) {
    const bool follows = !each.inputs.empty() && each.inputs.front() == of;
    if (follows && is<Record>(each.operation) && last_name(each) != "head_parts" &&
        last_name(each) != "weighted_values")
      return &each;
  }
  return nullptr;
}

/// From the weights back to the scores, and to what they are the product of.
void find_scores(const Trace& trace, AttentionParts& parts) {
  const Step* step = &input_of(trace, *parts.weights, 0);
  if (is<MaskOperation>(step->operation)) parts.masked = std::exchange(step, &input_of(trace, *step, 0));
  const auto* sum = as<AddOperation>(step->operation);
  if (is<DistanceBiasOperation>(step->operation) || (sum != nullptr && !sum->tanh))
    parts.biased = std::exchange(step, &input_of(trace, *step, 0));
  parts.scores = step;
  if (!is<ContractOperation>(step->operation)) return;
  const Step& first = input_of(trace, *step, 0);
  const auto* hidden = as<AddOperation>(first.operation);
  parts.additive = hidden != nullptr && hidden->tanh ? &first : nullptr;
  const bool dot = parts.additive == nullptr;
  parts.queries = dot ? &first : &input_of(trace, input_of(trace, first, 0), 0);
  parts.keys = dot ? &input_of(trace, *step, 1) : &input_of(trace, input_of(trace, first, 1), 0);
}

/// From the weights on to the output.
void find_output(const Trace& trace, AttentionParts& parts) {
  parts.dropped = follower<DropoutOperation>(trace, *parts.weights);
  const Step* heads = follower<ContractOperation>(trace, parts.dropped != nullptr ? *parts.dropped : *parts.weights);
  if (heads == nullptr) return;
  parts.values = &input_of(trace, *heads, 1);
  while (heads != nullptr) {
    parts.heads.push_back(heads);
    const Step* const changed = follower<InterveneOperation>(trace, *heads);
    heads = changed != nullptr ? changed : follower<KeepHeadsOperation>(trace, *heads);
  }
  const Step* const merged = follower<RearrangeOperation>(trace, *parts.heads.back());
  if (merged != nullptr && last_name(*merged).ends_with("merged")) parts.merged = merged;
  parts.output = follower<ContractOperation>(trace, parts.merged != nullptr ? *parts.merged : *parts.heads.back());
}

/// The first one that is not only in another order.
const Step& before_rearranging(const Trace& trace, const Step& step) {
  const Step* first = &step;
  while (is<RearrangeOperation>(first->operation)) first = &input_of(trace, *first, 0);
  return *first;
}

}  // namespace

AttentionParts attention_parts(const Trace& trace, const Step& weights) {
  AttentionParts parts;
  parts.weights = &weights;
  find_scores(trace, parts);
  find_output(trace, parts);
  return parts;
}

const Step& input_of(const Trace& trace, const Step& step, std::size_t i) { return trace.step(step.inputs[i]); }

std::vector<const Step*> chain_of(const Trace& trace, const Step& operand) {
  const auto wraps = [](const Step& step) {
    return is<RotateOperation>(step.operation) || is<RotaryOperation>(step.operation) ||
           is<ScaleOperation>(step.operation) || is_called(step, "repeat_heads") || is_called(step, "rms_norm");
  };
  std::vector<const Step*> chain = {&operand};
  while (wraps(*chain.back())) chain.push_back(&input_of(trace, *chain.back(), 0));
  return chain;
}

const Step* origin_of(const Trace& trace, const Step& operand) {
  const Step& projected = before_rearranging(trace, *chain_of(trace, operand).back());
  if (!is<ContractOperation>(projected.operation)) return nullptr;
  return &before_rearranging(trace, input_of(trace, projected, 0));
}

bool is_stored_transposed(const Step& product) {
  const auto* contract = as<ContractOperation>(product.operation);
  return contract != nullptr && contract->b.back() == contract->a.back();
}

bool positions_are_rows(const Step& step) { return step.axes.back().name == "dim" || step.axes.back().name == "unit"; }

std::string_view last_name(const Step& step) {
  const std::string_view name = step.name;
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

}  // namespace attnscope
