// How long attention takes on this machine as the sequence grows.
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

/// Times scaled dot-product attention of one head with `dim` numbers per query, key and value, on one thread: scores,
/// softmax and weighted sum, from queries, keys and values that are there. For 16, 32, 64, …, 1024 tokens, as far as
/// that comes to about `budget` seconds in all; the first one in any case. Ends early once `stop` was requested.
std::vector<AttentionTime> time_attention(Index dim, double budget, const StopToken& stop);

}  // namespace attnscope
