// Heads whose weights are all in memory.
#pragma once

#include <vector>

#include "core/heads/metrics.h"

namespace attnscope::test {

inline MeasureRow measure_head(const HeadPattern& head) {
  HeadSums sums(head);
  std::vector<float> row(static_cast<std::size_t>(head.weights.columns));
  for (Index query = 0; query < head.weights.rows; ++query) {
    for (std::size_t key = 0; key < row.size(); ++key) row[key] = head.weights.at(query, static_cast<Index>(key));
    sums.add(row);
  }
  return sums.measured();
}

/// Uniform attention: equal weights for all unmasked keys of each query.
inline Tensor uniform_weights(const HeadPattern& like) {
  const Index keys = like.weights.columns;
  Tensor weights({{"query", like.weights.rows}, {"key", keys}});
  for (Index query = 0; query < like.weights.rows; ++query)
    uniform_row(like, query,
                weights.values().subspan(static_cast<std::size_t>(query * keys), static_cast<std::size_t>(keys)));
  return weights;
}

}  // namespace attnscope::test
