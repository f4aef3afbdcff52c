// The time that attention takes on this machine as the sequence grows.
#pragma once

#include <vector>

#include "core/base/stop.h"
#include "core/base/tensor.h"

namespace attnscope {

struct AttentionTime {
  Index tokens = 0;
  double seconds = 0;  ///< the best of several runs

  friend bool operator==(const AttentionTime&, const AttentionTime&) = default;
};

inline constexpr Index kFewestTimedTokens = 16;
inline constexpr Index kMaxTimedTokens = 1024;

/// Times scaled dot-product attention of one head with head dimension `dim` on one thread: scores, softmax and weighted
/// sum, from existing queries, keys and values. Measures 16, 32, 64, …, 1024 tokens, as many of them as take about
/// `budget` seconds in total, but at least the first. Ends early if `stop` is requested.
std::vector<AttentionTime> time_attention(Index dim, double budget, const StopToken& stop);

}  // namespace attnscope
