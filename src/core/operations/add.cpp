#include "core/operations/add.h"

#include <cassert>
#include <cmath>

#include "core/operations/ops.h"

namespace attnscope {

std::string AddOperation::formula(const StepInPlan& step) const {
  const std::string sum = operand_text(step, 0, *this, a) + " + " + operand_text(step, 1, *this, b);
  return tanh ? "tanh(" + sum + ")" : sum;
}

void AddOperation::compute(Inputs inputs, const StepContext& context, Tensor& result) const {
  const Repeated left(*this, *inputs[0], a);
  const Repeated right(*this, *inputs[1], b);
  const Index length = run_length(result);
  share_out(context, length == 0 ? 0 : result.count() / length, length, [&](Index run) {
    const Strided x = left.along(result.axes(), run);
    const Strided y = right.along(result.axes(), run);
    float* const to = result.values().data() + run * length;
    if (tanh) {
      for (Index i = 0; i < length; ++i) to[i] = std::tanh(x[i] + y[i]);
    } else {
      for (Index i = 0; i < length; ++i) to[i] = x[i] + y[i];
    }
  });
}

std::vector<Region> AddOperation::input_regions(const StepInPlan& step, const Region& region) const {
  return {einsum_region(*this, step.step.inputs[0], a, region), einsum_region(*this, step.step.inputs[1], b, region)};
}

void AddOperation::compute_part(const StepPart& part, Inputs inputs, const StepContext& context, Tensor& result) const {
  with_sizes_of(*this, part.sources).compute(inputs, context, result);
}

double AddOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const {
  const double sum = inputs[0] + inputs[1];
  return tanh && std::isfinite(sum) ? 1 : sum;
}

void AddOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  const LabelValues values(*this, cell.index);
  e.operands = {cell.operand(0, values.index(a)), cell.operand(1, values.index(b))};
  e.formula = cell.input(0).name + values.text(a) + " + " + cell.input(1).name + values.text(b);
  e.computed = e.operands[0].value + e.operands[1].value;
  if (!tanh) return;
  e.formula = "tanh(" + e.formula + ")";
  e.results.push_back({"sum", e.computed});
  e.computed = std::tanh(e.computed);
}

std::string AddOperation::python(const StepInPlan& /*step*/, std::span<const std::string> inputs) const {
  assert(!tanh && a == out && b == out);
  return inputs[0] + " + " + inputs[1];
}

Value add(PlanBuilder& r, std::string name, std::string_view pattern, Value a, Value b, bool tanh) {
  AddOperation operation;
  static_cast<EinsumOperation&>(operation) = einsum_operation(pattern, r.axes(a), r.axes(b));
  operation.tanh = tanh;
  Axes axes = result_axes(operation);
  const double flops = (tanh ? 10 : 1) * static_cast<double>(element_count(axes));
  return r.record({std::move(name), std::move(operation), {a.step, b.step}, std::move(axes), flops});
}

}  // namespace attnscope
