// How a system tells the positions of its tokens apart, in scripts.
#pragma once

#include <string>

#include "core/experiment/positions.h"
#include "core/script/script.h"

namespace attnscope {

/// The variable that the tokens are in: `positioned_x`, or `x`.
std::string positioned_name(const Experiment& experiment);

/// Defines `positions` and `positioned_x` of `x` […, tokens, features]. The draw comes before the edits and what is
/// computed after them.
std::string positions_draw_code(const Experiment& experiment);
std::string positions_sum_code(const Experiment& experiment);

/// Turns `q` and `k` into `rotated_q` and `rotated_k`; nothing without rotary positions.
void write_rotation(Script& script);
/// Defines the function `rotated`, in parts for scripts that call it inside of others.
std::string rotated_code(const Experiment& experiment);
/// Sets `rotated_q` and `rotated_k` of `q` and `k`; nothing without rotary positions.
std::string rotated_calls(const Experiment& experiment);
/// What the scores are made of: `q`, or `rotated_q`.
std::string rotated_name(const Experiment& experiment, const std::string& name);

/// How the scores are biased in a script, as Python expressions: how many heads, queries and keys there are.
struct BiasCode {
  std::string heads;
  std::string queries = "tokens";
  std::string keys = "tokens";
  std::string shaped;  ///< is called on the bias [heads, queries, keys]
};

/// Defines `scores`, divided by √head_dim.
std::string dot_scores_code(const Experiment& experiment);

/// Defines `biased_scores` of `scores`; nothing without ALiBi.
std::string biased_scores_code(const Experiment& experiment, const BiasCode& code);

}  // namespace attnscope
