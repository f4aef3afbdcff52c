#include "core/plan/plan_part.h"

#include <algorithm>

namespace attnscope {

Plan plan_up_to_last(const Experiment& experiment, const std::function<bool(const PlannedStep&)>& is_needed) {
  Plan planned = plan(experiment);
  const auto last = std::find_if(planned.steps.rbegin(), planned.steps.rend(), is_needed);
  planned.steps.erase(last.base(), planned.steps.end());
  planned.cost = {};
  for (const PlannedStep& step : planned.steps) planned.cost.add(step.axes, step.flops);
  return planned;
}

}  // namespace attnscope
