// Positional encodings in scripts.
#pragma once

#include <string>

#include "core/experiment/positions.h"
#include "core/script/script.h"

namespace attnscope {

/// The variable that holds the tokens: `positioned_x`, or `x`.
std::string positioned_name(const Experiment& experiment);

/// Defines `positions` and `positioned_x` from `x` […, tokens, features]. The draw precedes the edits; the sum follows
/// them.
std::string positions_draw_code(const Experiment& experiment);
std::string positions_sum_code(const Experiment& experiment);

/// Defines `rotated_q` and `rotated_k`; nothing without rotary positions.
void write_rotation(Script& script);
/// Defines the function `rotated`; for scripts that call it from another function.
std::string rotated_code(const Experiment& experiment);
/// Computes `rotated_q` and `rotated_k` from `q` and `k`; empty without rotary positions.
std::string rotated_calls(const Experiment& experiment);
/// The input of the scores: `q` or `rotated_q`, `k` or `rotated_k`.
std::string rotated_name(const Experiment& experiment, const std::string& name);

/// The sizes of the ALiBi bias, as Python expressions.
struct BiasCode {
  std::string heads;
  std::string queries = "tokens";
  std::string keys = "tokens";
  std::string shaped;  ///< a method call on the bias [heads, queries, keys]
};

/// Defines `scores`, divided by √head_dim.
std::string dot_scores_code(const Experiment& experiment);

/// Defines `biased_scores` from `scores`; empty without ALiBi.
std::string biased_scores_code(const Experiment& experiment, const BiasCode& code);

}  // namespace attnscope
