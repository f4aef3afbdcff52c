// What the division by √d does to dot products of random vectors, and to the softmax of them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/stop.h"
#include "core/base/tensor.h"

namespace attnscope {

/// Of the scores of one query against all keys; means over the queries.
struct ScoreStatistics {
  double variance = 0;  ///< over the keys, unbiased
  double entropy = 0;   ///< of the softmax, in nats: at most ln(number of keys)
  double largest = 0;   ///< weight

  friend bool operator==(const ScoreStatistics&, const ScoreStatistics&) = default;
};

struct ScalingPoint {
  Index dim = 1;
  ScoreStatistics plain;   ///< of q · k
  ScoreStatistics scaled;  ///< of q · k / √dim

  friend bool operator==(const ScalingPoint&, const ScalingPoint&) = default;
};

inline constexpr Index kMaxStudiedDim = 1024;

/// Draws `samples` queries, each with `keys` keys (two at least), for every dim 1, 2, 4, …, 1024. All their numbers are
/// normal with mean 0 and deviation 1, so that q · k has mean 0 and variance dim and q · k / √dim has variance 1. The
/// numbers come from one generator: for each dim, for each sample, the query and then the keys. Once `stop` was
/// requested the dims that are left are missing.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1, footnote 4.
std::vector<ScalingPoint> study_scaling(std::uint64_t seed, Index keys, Index samples, const StopToken& stop);

/// Variance, entropy and largest weight of one row of scores; two of them at least.
ScoreStatistics score_statistics(const std::vector<double>& scores);

}  // namespace attnscope
