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

DrawnNumbers PlanBuilder::draw(std::uint64_t count) {
  const DrawnNumbers drawn = {numbers_drawn_, std::exchange(discarded_, 0)};
  numbers_drawn_ += count;
  return drawn;
}

}  // namespace attnscope
