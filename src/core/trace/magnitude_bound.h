// An upper bound of the numbers of a step, known from its operation.
#pragma once

#include <span>

#include "core/plan/plan.h"

namespace attnscope {

/// An upper bound of the magnitudes of the step's numbers, given such bounds for its inputs. Infinite where nothing is
/// known; finite only if none of the numbers can be NaN or ±∞, except what a mask fills in. Results with a finite bound
/// need no search for such numbers.
double magnitude_bound(const PlannedStep& step, std::span<const double> inputs);

/// The largest magnitude, +∞ if any number is not finite.
double magnitude_of(std::span<const float> values);
/// The same of a box of a tensor, wherever its numbers are.
double magnitude_of(const Tensor& tensor, const Region& box);

}  // namespace attnscope
