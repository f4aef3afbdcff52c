// What attention does between its products, and norms and means around it.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/operations/ops.h"

namespace attnscope {
namespace {

/// An operation whose result has the axes of its input; `flops` for each element.
Value record_elementwise(PlanBuilder& r, std::string name, Value input, Operation operation, double flops) {
  Axes axes = r.axes(input);
  flops *= static_cast<double>(element_count(axes));
  return r.record({std::move(name), std::move(operation), {input.step}, std::move(axes), flops});
}

}  // namespace

Value apply_mask(PlanBuilder& r, std::string name, Value scores, MaskField field, double fill) {
  return record_elementwise(r, std::move(name), scores,
                            MaskOperation{std::make_shared<const MaskField>(std::move(field)), fill}, 1);
}

Value softmax(PlanBuilder& r, std::string name, Value input, double temperature) {
  return record_elementwise(r, std::move(name), input, SoftmaxOperation{temperature}, 5);
}

Value dropout(PlanBuilder& r, std::string name, Value input, double probability) {
  return record_elementwise(r, std::move(name), input, DropoutOperation{probability, input.step}, 1);
}

Value scale_by_root(PlanBuilder& r, std::string name, Value input, Index size) {
  ContractOptions by = divided_by_root(size);
  return record_elementwise(r, std::move(name), input, ScaleOperation{by.divisor, std::move(by.divisor_text)}, 1);
}

Value normalize(PlanBuilder& r, std::string name, Value input, std::span<const std::string> over) {
  NormalizeOperation operation;
  for (const Axis& axis : r.axes(input))
    operation.over.push_back(std::find(over.begin(), over.end(), axis.name) != over.end());
  return record_elementwise(r, std::move(name), input, std::move(operation), 6);
}

Value mean(PlanBuilder& r, std::string name, Value input, std::string_view over) {
  Axes axes = r.axes(input);
  const auto flops = static_cast<double>(element_count(axes));
  const auto found = std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == over; });
  assert(found != axes.end());
  const MeanOperation operation = {static_cast<int>(found - axes.begin())};
  axes.erase(found);
  return r.record({std::move(name), operation, {input.step}, std::move(axes), flops});
}

Value keep_heads(PlanBuilder& r, const Experiment& e, Value outputs) {
  const Axes& axes = r.axes(outputs);
  const Axis* heads = find_axis(axes, "head");
  if (e.heads_off.empty() || heads == nullptr) return outputs;
  return record_elementwise(r, "kept_head_outputs", outputs,
                            KeepHeadsOperation{static_cast<int>(heads - axes.data()), e.heads_off}, 1);
}

Value attention_weights(PlanBuilder& r, const Experiment& e, const std::string& prefix, Value scores, const Mask& mask,
                        MaskSizes sizes) {
  Value logits = scores;
  if (mask.kind != Mask::Kind::none) {
    logits = apply_mask(r, prefix + "masked_scores", scores, MaskField(mask, sizes), e.real("masked_fill"));
  }
  Value weights = softmax(r, prefix + "weights", logits, e.real("temperature"));
  if (e.real("dropout") > 0) weights = dropout(r, prefix + "dropped_weights", weights, e.real("dropout"));
  return weights;
}

}  // namespace attnscope
