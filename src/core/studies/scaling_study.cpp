#include "core/studies/scaling_study.h"

#include <algorithm>
#include <cmath>

#include "core/base/stop.h"
#include "core/base/thread_pool.h"
#include "core/random/generator.h"

namespace attnscope {
namespace {

/// Sums in several lanes: in a single sum, every addition would wait for the one before.
double dot(const float* a, const float* b, Index count) {
  constexpr Index kLanes = 4;
  double lanes[kLanes] = {};
  Index i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (Index lane = 0; lane < kLanes; ++lane)
      lanes[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
  }
  for (; i < count; ++i) lanes[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

void add(ScoreStatistics& sum, const ScoreStatistics& each) {
  sum.variance += each.variance;
  sum.entropy += each.entropy;
  sum.largest += each.largest;
}

void divide(ScoreStatistics& sum, double count) {
  sum.variance /= count;
  sum.entropy /= count;
  sum.largest /= count;
}

}  // namespace

ScoreStatistics score_statistics(const std::vector<double>& scores) {
  const auto count = static_cast<double>(scores.size());
  double mean = 0;
  for (const double score : scores) mean += score / count;
  const double highest = *std::max_element(scores.begin(), scores.end());
  ScoreStatistics statistics;
  double exponentials = 0;
  double weighted = 0;  // Σ exp(s − highest) · (s − highest)
  for (const double score : scores) {
    statistics.variance += (score - mean) * (score - mean) / (count - 1);
    const double exponential = std::exp(score - highest);
    exponentials += exponential;
    weighted += exponential * (score - highest);
  }
  // −Σ w ln w with ln w = (s − highest) − ln Σ exp.
  statistics.entropy = std::max(0.0, std::log(exponentials) - weighted / exponentials);
  statistics.largest = 1 / exponentials;
  return statistics;
}

std::vector<ScalingPoint> study_scaling(std::uint64_t seed, Index keys, Index samples, const StopToken& stop) {
  std::vector<ScalingPoint> points;
  Generator generator(seed);
  ThreadPool pool;
  std::vector<double> plain(static_cast<std::size_t>(keys));
  std::vector<double> scaled(plain.size());
  for (Index dim = 1; dim <= kMaxStudiedDim; dim *= 2) {
    ScalingPoint point;
    point.dim = dim;
    std::vector<float> query(static_cast<std::size_t>(dim));
    std::vector<float> key_numbers(static_cast<std::size_t>(keys * dim));
    const double root = std::sqrt(static_cast<double>(dim));
    for (Index sample = 0; sample < samples; ++sample) {
      if (stop.stop_requested()) return points;
      generator.fill_normal(query);
      generator.fill_normal(key_numbers, &pool);
      for (std::size_t key = 0; key < plain.size(); ++key) {
        plain[key] = dot(query.data(), key_numbers.data() + static_cast<Index>(key) * dim, dim);
        scaled[key] = plain[key] / root;
      }
      add(point.plain, score_statistics(plain));
      add(point.scaled, score_statistics(scaled));
    }
    divide(point.plain, static_cast<double>(samples));
    divide(point.scaled, static_cast<double>(samples));
    points.push_back(point);
  }
  return points;
}

}  // namespace attnscope
