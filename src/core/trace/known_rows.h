// What an earlier run knows of a longer or changed text: with a causal mask, the rows of its first tokens.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// The first rows of a step, counted along the axis of the tokens, whose bits the last trace has.
struct KnownRows {
  int step = -1;   ///< in the last trace
  Index rows = 0;  ///< 0: none is known, or all of the tensor is
  int axis = -1;
  bool square = false;  ///< queries and keys: known are the first `rows` of both
  /// If square: what every later key has in these rows, where a mask hides all of them.
  std::optional<float> later_keys = {};
};

/// Of each step of `plan`. `same`: for each step, the step of the last trace with the same numbers, or −1.
std::vector<KnownRows> known_rows(const Plan& plan, const Trace& last, std::span<const int> same);

/// Whether there can be any: rows follow the tokens of a text one by one.
bool reads_tokens(const Plan& plan);

}  // namespace attnscope
