// How a system of tokens tells their positions apart: the parameter, and its code in scripts.
#pragma once

#include <string>

#include "core/experiment.h"

namespace attnscope {

/// `positions`: none, sinusoidal, learned, rotary or alibi. See `with_positions`, `rotated`, `biased_by_distance`.
Parameter positions_parameter();

/// Its value; "none" where the system has no such parameter.
const std::string& positions_of(const Experiment& experiment);

/// The variable that the tokens are in: `positioned_x`, or `x`.
std::string positioned_name(const Experiment& experiment);

/// Defines `positions` and `positioned_x` of `x` […, tokens, features]. The draw comes before the edits and what is
/// computed after them.
std::string positions_draw_code(const Experiment& experiment);
std::string positions_sum_code(const Experiment& experiment);

/// Defines the function `rotated`; nothing without rotary positions.
std::string rotated_code(const Experiment& experiment);
/// Sets `rotated_q` and `rotated_k` of `q` and `k`; nothing without rotary positions.
std::string rotated_calls(const Experiment& experiment);
/// What the scores are made of: `q`, or `rotated_q`.
std::string rotated_name(const Experiment& experiment, const std::string& name);

/// Defines `biased_scores` of `scores`, where `heads` is a Python expression for how many there are and `shaped` is
/// called on the bias [heads, tokens, tokens]; nothing without ALiBi.
std::string biased_scores_code(const Experiment& experiment, const std::string& heads, const std::string& shaped = "");

}  // namespace attnscope
