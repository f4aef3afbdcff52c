#include "core/plan/plan_builder.h"

#include <utility>

namespace attnscope {

void PlanBuilder::discard(std::uint64_t draws) {
  discarded_ += draws;
  numbers_drawn_ += draws;
}

void PlanBuilder::begin_weights_seed() {
  numbers_drawn_ = 0;
  discarded_ = 0;
  of_weights_ = restarts_ = true;
}

Value PlanBuilder::record(PlannedStep step) {
  plan_.cost.add(step.axes, step.flops);
  if (!prefix_.empty() && !step.operation->traits().is_weight) step.name.insert(0, prefix_);
  plan_.steps.push_back(std::move(step));
  return {static_cast<int>(plan_.steps.size()) - 1};
}

void PlanBuilder::drop_after(Value last) {
  plan_.steps.erase(plan_.steps.begin() + last.step + 1, plan_.steps.end());
  plan_.cost = {};
  for (const PlannedStep& each : plan_.steps) plan_.cost.add(each.axes, each.flops);
}

DrawnNumbers PlanBuilder::draw(std::uint64_t count) {
  const DrawnNumbers drawn = {numbers_drawn_, std::exchange(discarded_, 0), of_weights_,
                              std::exchange(restarts_, false)};
  numbers_drawn_ += count;
  return drawn;
}

}  // namespace attnscope
