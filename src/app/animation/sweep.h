// What a parameter goes through, from one picture of an animation to the next.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/experiment/parameter.h"

namespace attnscope {

/// So many values, and frames of an animation, there may be.
inline constexpr Index kMaxFrames = 10'000;

/// The values that `text` says, each within the parameter's own limits; whether they go with the rest of an experiment
/// is for `validate`.
///
/// - "FROM:TO:STEP": of numbers. TO is among them where the steps come to it; they may lead down.
/// - "FROM:TO": whole numbers one after the other, of `fitting` (ascending) those that lie between, if there are any;
///   other numbers in 50 steps.
/// - "A,B,C": one after the other, of any kind of parameter.
///
/// Numbers that are not whole are rounded to 12 digits of the largest, so that steps of 0.1 come to 0.3. Errors are
/// usage errors that name the parameter.
Result<std::vector<ParameterValue>> sweep_values(const Parameter& parameter, std::string_view text,
                                                 const std::vector<Index>& fitting = {});

/// The numbers that `parameter` can be without any other changing, ascending: the divisors of the parameter that it has
/// to divide, or the multiples of the one that has to divide it, up to `largest` and one at least. None where every
/// number will do.
std::vector<Index> fitting_values(const Experiment& experiment, const Parameter& parameter, Index largest);

/// Seed and discard as parameters, as far as a sweep is concerned: those up to 2⁵³.
Parameter seed_parameter();
Parameter discard_parameter();

}  // namespace attnscope
