// How large the numbers of a step can be at most, known from its operation.
#pragma once

#include <span>

#include "core/plan/plan.h"

namespace attnscope {

/// An upper bound of the magnitudes of the step's numbers, given such bounds for its inputs. Infinite where nothing is
/// known; finite only if none of the numbers can be NaN or ±∞, other than what a mask puts there. So that finite
/// numbers need not be looked for.
double magnitude_bound(const PlannedStep& step, std::span<const double> inputs);

/// The largest magnitude, +∞ if any number is not finite.
double magnitude_of(std::span<const float> values);

}  // namespace attnscope
