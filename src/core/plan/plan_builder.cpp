#include "core/plan/plan_builder.h"

#include <utility>

namespace attnscope {

void PlanBuilder::discard(std::uint64_t draws) {
  discarded_ += draws;
  numbers_drawn_ += draws;
}

Value PlanBuilder::record(PlannedStep step) {
  plan_.cost.add(step.axes, step.flops);
  plan_.steps.push_back(std::move(step));
  return {static_cast<int>(plan_.steps.size()) - 1};
}

Value PlanBuilder::record_draw(std::string name, Axes axes, DrawOperation operation) {
  operation.numbers_before = numbers_drawn_;
  operation.discarded = std::exchange(discarded_, 0);
  const auto count = static_cast<std::uint64_t>(element_count(axes));
  numbers_drawn_ += count;
  const double flops = static_cast<double>(count) + static_cast<double>(operation.discarded);
  return record({std::move(name), std::move(operation), {}, std::move(axes), flops});
}

}  // namespace attnscope
