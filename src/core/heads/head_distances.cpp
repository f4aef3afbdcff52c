#include "core/heads/head_distances.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "core/heads/metrics.h"

namespace attnscope {
namespace {

using Entropies = std::vector<std::vector<double>>;

/// Whether the row of either head is left out.
bool is_left_out(const Entropies& entropies, std::size_t i, std::size_t j, Index query) {
  const auto at = static_cast<std::size_t>(query);
  return std::isnan(entropies[i][at]) || std::isnan(entropies[j][at]);
}

double entropy_of_mean(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t key = 0; key < a.size(); ++key) {
    const double mean = (static_cast<double>(a[key]) + static_cast<double>(b[key])) / 2;
    if (mean > 0) sum -= mean * std::log(mean);
  }
  return sum;
}

/// The divergence is H(mean) − (H(a) + H(b)) / 2: a single logarithm for each key.
double distance_of_held(const HeadRows& rows, const Entropies& entropies, std::size_t i, std::size_t j) {
  double sum = 0;
  for (Index query = 0; query < rows.queries() && !rows.ended(); ++query) {
    if (is_left_out(entropies, i, j, query)) continue;
    const auto at = static_cast<std::size_t>(query);
    const double mean = entropy_of_mean(rows.row(static_cast<Index>(i), query), rows.row(static_cast<Index>(j), query));
    sum += std::max(0.0, mean - (entropies[i][at] + entropies[j][at]) / 2);
  }
  return sum;
}

/// Whether all pairs are compared.
bool compare_held(const HeadRows& rows, const Entropies& entropies, ThreadPool* pool,
                  const std::function<bool()>& pauses, Entropies& distances) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    for (std::size_t j = i + 1; j < distances.size(); ++j) {
      if (distances[i][j] < 0) pairs.emplace_back(i, j);
    }
  }
  std::atomic<bool> paused = false;
  const double work = 20.0 * static_cast<double>(pairs.size()) * static_cast<double>(rows.queries() * rows.keys());
  run_blocks(pool, work, std::ssize(pairs), [&](Index pair) {
    const auto [i, j] = pairs[static_cast<std::size_t>(pair)];
    // One at least: where there is little time, it comes to an end all the same.
    if (pair > 0 && pauses()) paused = true;
    if (paused) return;
    const double distance = distance_of_held(rows, entropies, i, j);
    if (!rows.ended()) distances[i][j] = distance;
  });
  return !paused;
}

/// Reads a few rows of all heads at a time, or a part of one.
void compare_read(const HeadRows& rows, const Entropies& entropies, Entropies& distances) {
  const Index heads = rows.heads();
  const Index width = std::clamp<Index>(kWeightsAtOnce / heads, 1, std::max<Index>(1, rows.keys()));
  const Index queries = width < rows.keys() ? 1 : std::max<Index>(1, kWeightsAtOnce / heads / width);
  for (Index first = 0; first < rows.queries(); first += queries) {
    const Index these = std::min(queries, rows.queries() - first);
    for (Index key = 0; key < rows.keys(); key += width) {
      const Index keys = std::min(width, rows.keys() - key);
      std::vector<std::shared_ptr<const Tensor>> blocks;
      for (Index head = 0; head < heads && !rows.ended(); ++head)
        blocks.push_back(rows.block(head, first, these, key, keys));
      if (rows.ended()) return;
      const auto row = [&](std::size_t head, Index query) {
        return blocks[head]->values().subspan(static_cast<std::size_t>(query * keys), static_cast<std::size_t>(keys));
      };
      for (std::size_t i = 0; i < blocks.size() && !rows.ended(); ++i) {
        for (std::size_t j = i + 1; j < blocks.size(); ++j) {
          for (Index query = 0; query < these; ++query) {
            if (!is_left_out(entropies, i, j, first + query))
              add_distance(row(i, query), row(j, query), distances[i][j]);
          }
        }
      }
    }
  }
}

}  // namespace

bool compare_heads(const HeadRows& rows, const Entropies& entropies, ThreadPool* pool,
                   const std::function<bool()>& pauses, Entropies& distances) {
  const auto count = static_cast<std::size_t>(rows.heads());
  if (rows.held()) {
    if (distances.empty()) {
      distances.assign(count, std::vector<double>(count, -1));
      for (std::size_t i = 0; i < count; ++i) distances[i][i] = 0;
    }
    if (!compare_held(rows, entropies, pool, pauses, distances)) return false;
  } else {
    distances.assign(count, std::vector<double>(count, 0));
    compare_read(rows, entropies, distances);
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) distances[i][j] = distances[j][i];
  }
  return !rows.ended();
}

}  // namespace attnscope
