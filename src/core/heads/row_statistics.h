// What is left of a head's weights when they are summed along one axis, and which of them hold most of a row.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/base/tensor.h"

namespace attnscope {

/// Along the rows and the columns of weights[query, key].
struct RowStatistics {
  std::vector<double> sums;       ///< of each query's weights: 1, or 0 where the mask leaves it no key
  std::vector<double> entropies;  ///< of each query, in nats; see `row_entropy`
  std::vector<double> means;      ///< of what each key receives, over the queries
};

/// Nothing when it was stopped.
std::optional<RowStatistics> row_statistics_of(const MatrixView& weights, const StopToken& stop = {});

/// The entropy of a query's weights in nats, −Σ A ln A with 0 ln 0 = 0.
double row_entropy(const MatrixView& weights, Index query);

/// The fewest keys that together hold at least `share` of the weight of a row, the heaviest first; of equal weights the
/// lower key comes first. Shares from 1 on are held by all keys with any weight, shares up to 0 by none. The share is
/// meant to within a millionth, so that the rounding of weights as float32 does not count. What is not a number holds
/// nothing. Source: the nucleus of Holtzman et al. 2020, "The curious case of neural text degeneration".
std::vector<Index> keys_that_hold(std::span<const float> weights, double share);

}  // namespace attnscope
