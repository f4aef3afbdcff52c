// The effect of scaling by 1/√d on dot products of random vectors and their softmax.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/stop.h"
#include "core/base/tensor.h"

namespace attnscope {

/// Statistics of one row of scores, averaged over the queries.
struct ScoreStatistics {
  double variance = 0;  ///< over the keys, unbiased
  double entropy = 0;   ///< of the softmax, in nats, at most ln(number of keys)
  double largest = 0;   ///< the largest weight

  friend bool operator==(const ScoreStatistics&, const ScoreStatistics&) = default;
};

struct ScalingPoint {
  Index dim = 1;
  ScoreStatistics plain;   ///< for q · k
  ScoreStatistics scaled;  ///< for q · k / √dim

  friend bool operator==(const ScalingPoint&, const ScalingPoint&) = default;
};

inline constexpr Index kMaxStudiedDim = 1024;

/// Draws `samples` queries with `keys` keys each (at least two) for every dim 1, 2, 4, …, 1024. All numbers are
/// standard normal; q · k therefore has mean 0 and variance dim, and q · k / √dim has variance 1. The numbers come from
/// one generator: for each dim and each sample, the query and then the keys. If `stop` is requested, the remaining dims
/// are missing.
///
/// Source: Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1, footnote 4.
std::vector<ScalingPoint> study_scaling(std::uint64_t seed, Index keys, Index samples, const StopToken& stop);

/// Variance, entropy and largest weight of one row of at least two scores.
ScoreStatistics score_statistics(const std::vector<double>& scores);

}  // namespace attnscope
