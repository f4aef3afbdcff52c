// Sums of a head's weights along one axis, and the keys that hold most of a row.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/base/stop.h"
#include "core/base/tensor.h"

namespace attnscope {

/// Statistics of the rows and columns of weights[query, key].
struct RowStatistics {
  std::vector<double> sums;       ///< per query: 1, or 0 if all its keys are masked
  std::vector<double> entropies;  ///< per query, in nats; see `row_entropy`
  std::vector<double> means;      ///< per key: its mean weight over the queries whose weights are finite
};

/// Nothing if stopped.
std::optional<RowStatistics> row_statistics_of(const MatrixView& weights, const StopToken& stop = {});

/// The entropy of a query's weights in nats, −Σ A ln A with 0 ln 0 = 0. NaN if a weight is not finite.
double row_entropy(const MatrixView& weights, Index query);

/// The smallest set of keys that together hold at least `share` of the weight of a row, heaviest first; ties in order
/// of keys. A share of 1 or more needs all keys with positive weight, a share of 0 or less needs none. The comparison
/// tolerates an error of 1e-6, more than the float32 rounding of the weights. NaN counts as no weight. Source: the
/// nucleus of Holtzman et al. 2020, "The curious case of neural text degeneration".
std::vector<Index> keys_that_hold(std::span<const float> weights, double share);

}  // namespace attnscope
