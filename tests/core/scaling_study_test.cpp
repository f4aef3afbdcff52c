// The scaling study against theory, and its statistics against explicit sums.

#include "core/studies/scaling_study.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/stop.h"
#include "core/random/generator.h"

namespace attnscope {
namespace {

TEST(ScalingStudy, VariancesAreThoseOfTheory) {
  constexpr Index kKeys = 64;
  constexpr Index kSamples = 128;
  for (const std::uint64_t seed : {1U, 42U}) {
    const std::vector<ScalingPoint> points = study_scaling(seed, kKeys, kSamples, {});
    ASSERT_EQ(points.size(), 11U);
    Index dim = 1;
    for (const ScalingPoint& point : points) {
      EXPECT_EQ(point.dim, dim);
      const auto d = static_cast<double>(dim);
      // The variance over the keys, given the query, is |q|² (variance 2d) but for what few keys leave open (2d²/(n−1)
      // or a little more); so much the mean over the samples may be off.
      const double deviation = std::sqrt((2 * d + 2 * (d * d + 2 * d) / (kKeys - 1)) / kSamples);
      EXPECT_NEAR(point.plain.variance, d, 5 * deviation) << dim;
      EXPECT_NEAR(point.scaled.variance, point.plain.variance / d, 1e-9) << dim;
      dim *= 2;
    }
    EXPECT_LT(points.back().plain.entropy, 0.2);
    EXPECT_GT(points.back().plain.largest, 0.9);
    // With a standard normal score s the entropy falls short of ln n by E[s e^s]/E[e^s] − ln E[e^s] = 1 − 1/2.
    EXPECT_NEAR(points.back().scaled.entropy, std::log(64.0) - 0.5, 0.05);
  }
}

TEST(ScalingStudy, IsTheMeanOfItsSamples) {
  constexpr Index kKeys = 5;
  constexpr Index kSamples = 3;
  Generator generator(7);
  const std::vector<ScalingPoint> points = study_scaling(7, kKeys, kSamples, {});
  for (Index dim = 1; dim <= 32; dim *= 2) {
    double variance = 0;
    double entropy = 0;
    double largest = 0;
    for (Index sample = 0; sample < kSamples; ++sample) {
      std::vector<float> query(static_cast<std::size_t>(dim));
      std::vector<float> keys(static_cast<std::size_t>(dim * kKeys));
      generator.fill_normal(query);
      generator.fill_normal(keys);
      std::vector<double> scores;
      double mean = 0;
      double all = 0;
      for (Index key = 0; key < kKeys; ++key) {
        double sum = 0;
        for (Index i = 0; i < dim; ++i)
          sum += static_cast<double>(query[static_cast<std::size_t>(i)]) *
                 static_cast<double>(keys[static_cast<std::size_t>(key * dim + i)]);
        scores.push_back(sum / std::sqrt(static_cast<double>(dim)));
        mean += scores.back() / kKeys;
        all += std::exp(scores.back());
      }
      double most = 0;
      for (const double score : scores) {
        const double weight = std::exp(score) / all;
        variance += (score - mean) * (score - mean) / (kKeys - 1) / kSamples;
        entropy -= weight * std::log(weight) / kSamples;
        most = std::max(most, weight);
      }
      largest += most / kSamples;
    }
    const ScalingPoint& point = points[static_cast<std::size_t>(std::lround(std::log2(static_cast<double>(dim))))];
    EXPECT_NEAR(point.scaled.variance, variance, 1e-9) << dim;
    EXPECT_NEAR(point.scaled.entropy, entropy, 1e-9) << dim;
    EXPECT_NEAR(point.scaled.largest, largest, 1e-9) << dim;
  }
}

TEST(ScalingStudy, StatisticsOfARow) {
  const ScoreStatistics equal = score_statistics({2, 2, 2, 2});
  EXPECT_EQ(equal.variance, 0);
  EXPECT_DOUBLE_EQ(equal.entropy, std::log(4.0));
  EXPECT_DOUBLE_EQ(equal.largest, 0.25);
  const ScoreStatistics far = score_statistics({0, 5000});
  EXPECT_DOUBLE_EQ(far.variance, 12'500'000);
  EXPECT_EQ(far.entropy, 0);
  EXPECT_EQ(far.largest, 1);
}

TEST(ScalingStudy, SeedsDifferAndOneSeedDoesNot) {
  EXPECT_EQ(study_scaling(3, 4, 8, {}), study_scaling(3, 4, 8, {}));
  EXPECT_NE(study_scaling(3, 4, 8, {}), study_scaling(4, 4, 8, {}));
}

TEST(ScalingStudy, StopsWhenAsked) {
  StopSource source;
  source.request_stop();
  EXPECT_TRUE(study_scaling(1, 256, 1'000'000, source.token()).empty());
}

}  // namespace
}  // namespace attnscope
