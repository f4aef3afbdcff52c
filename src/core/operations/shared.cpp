#include "core/operations/shared.h"

#include <utility>

namespace attnscope {

Value record_elementwise(PlanBuilder& builder, std::string name, Value input, Operation operation, double flops) {
  Axes axes = builder.axes(input);
  flops *= static_cast<double>(element_count(axes));
  return builder.record({std::move(name), std::move(operation), {input.step}, std::move(axes), flops});
}

Region same_cells(const StepInPlan& step, const Region& region) {
  return {step.step.inputs[0], region.begin, region.end};
}

std::string input_text(const StepInPlan& step, std::size_t i) {
  std::vector<std::string> axes;
  axes.reserve(step.input(i).axes.size());
  for (const Axis& axis : step.input(i).axes) axes.push_back(axis.name);
  return input_text(step, i, axes);
}

std::string input_text(const StepInPlan& step, std::size_t i, const std::vector<std::string>& axes) {
  return step.input(i).name + (axes.empty() ? "" : "[" + join(axes, ", ") + "]");
}

double add_same_cell(const ExplainedCell& cell, Explanation& explanation) {
  explanation.operands.push_back(cell.operand(0, {cell.index.begin(), cell.index.end()}));
  return explanation.operands.back().value;
}

}  // namespace attnscope
