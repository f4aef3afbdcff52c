// The beginning of a plan: what later steps compute is not wanted.
#pragma once

#include <functional>

#include "core/plan/plan.h"

namespace attnscope {

/// The plan of an experiment up to the last step that `is_needed`, which at least one is: nothing after it is computed.
Plan plan_up_to_last(const Experiment& experiment, const std::function<bool(const PlannedStep&)>& is_needed);

}  // namespace attnscope
