#include "core/heads/row_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/stop.h"

namespace attnscope {

double row_entropy(const MatrixView& weights, Index query) {
  double sum = 0;
  for (Index key = 0; key < weights.columns; ++key) {
    const double weight = weights.at(query, key);
    if (!std::isfinite(weight)) return std::numeric_limits<double>::quiet_NaN();
    if (weight > 0) sum -= weight * std::log(weight);
  }
  return sum;
}

std::optional<RowStatistics> row_statistics_of(const MatrixView& weights, const StopToken& stop) {
  RowStatistics row_statistics;
  row_statistics.means.resize(static_cast<std::size_t>(weights.columns));
  Index finite = 0;
  for (Index query = 0; query < weights.rows; ++query) {
    if (stop.stop_requested()) return std::nullopt;
    row_statistics.entropies.push_back(row_entropy(weights, query));
    const bool counts = !std::isnan(row_statistics.entropies.back());
    finite += counts ? 1 : 0;
    double sum = 0;
    for (Index key = 0; key < weights.columns; ++key) {
      const double weight = weights.at(query, key);
      sum += weight;
      if (counts) row_statistics.means[static_cast<std::size_t>(key)] += weight;
    }
    row_statistics.sums.push_back(sum);
  }
  for (double& mean : row_statistics.means) mean /= static_cast<double>(finite);
  return row_statistics;
}

std::vector<Index> keys_that_hold(std::span<const float> weights, double share) {
  std::vector<Index> keys;
  for (std::size_t key = 0; key < weights.size(); ++key) {
    if (weights[key] > 0) keys.push_back(static_cast<Index>(key));
  }
  const auto weight = [&](Index key) { return static_cast<double>(weights[static_cast<std::size_t>(key)]); };
  std::stable_sort(keys.begin(), keys.end(), [&](Index a, Index b) { return weight(a) > weight(b); });
  if (share >= 1) return keys;
  double total = 0;
  for (const Index key : keys) total += weight(key);
  constexpr double kRounding = 1e-6;
  const double wanted = (share - kRounding) * total;
  double held = 0;
  std::size_t count = 0;
  while (count < keys.size() && held < wanted) held += weight(keys[count++]);
  keys.resize(count);
  return keys;
}

}  // namespace attnscope
