// Sums of weights, and the keys that hold most of a row.
#include "core/heads/row_statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/stop.h"
#include "core/trace/run.h"
#include "support/floats.h"

namespace attnscope::test {
namespace {

Tensor matrix_of(Index rows, Index columns, const std::vector<float>& numbers) {
  Tensor tensor({{"query", rows}, {"key", columns}});
  std::copy(numbers.begin(), numbers.end(), tensor.values().begin());
  return tensor;
}

TEST(RowStatistics, OfKnownWeights) {
  const Tensor weights = matrix_of(3, 2, {0.5F, 0.5F, 1, 0, 0, 0});
  const std::optional<RowStatistics> row_statistics = row_statistics_of(weights.matrix({}));
  ASSERT_TRUE(row_statistics);
  EXPECT_EQ(row_statistics->sums, (std::vector<double>{1, 1, 0}));
  ASSERT_EQ(row_statistics->entropies.size(), 3U);
  EXPECT_NEAR(row_statistics->entropies[0], std::log(2.0), 1e-15);
  EXPECT_EQ(row_statistics->entropies[1], 0);
  EXPECT_EQ(row_statistics->entropies[2], 0);
  EXPECT_EQ(row_statistics->means, (std::vector<double>{0.5, 0.5 / 3}));
}

TEST(RowStatistics, ARowThatIsNotFiniteHasNoEntropyAndNoShareInTheMeans) {
  const Tensor weights = matrix_of(2, 2, {std::numeric_limits<float>::quiet_NaN(), 0.5F, 0.25F, 0.75F});
  const std::optional<RowStatistics> row_statistics = row_statistics_of(weights.matrix({}));
  ASSERT_TRUE(row_statistics);
  EXPECT_TRUE(std::isnan(row_statistics->entropies[0]));
  EXPECT_EQ(row_statistics->means, (std::vector<double>{0.25, 0.75}));
}

TEST(RowStatistics, OfAHead) {
  const std::shared_ptr<const Trace> trace = *run(*default_experiment("worked-example"));
  const Tensor& weights = trace->tensor("weights");
  const std::vector<Index> leading = {2};
  const std::optional<RowStatistics> row_statistics = row_statistics_of(weights.matrix(leading));
  ASSERT_TRUE(row_statistics);
  for (Index i = 0; i < 6; ++i) {
    double sum = 0;
    double entropy = 0;
    double mean = 0;
    for (Index j = 0; j < 6; ++j) {
      const double weight = weights.at(std::vector<Index>{2, i, j});
      sum += weight;
      if (weight > 0) entropy += weight * std::log(1 / weight);
      mean += static_cast<double>(weights.at(std::vector<Index>{2, j, i})) / 6;
    }
    EXPECT_NEAR(row_statistics->sums[static_cast<std::size_t>(i)], sum, 1e-12);
    EXPECT_NEAR(row_statistics->entropies[static_cast<std::size_t>(i)], entropy, 1e-12);
    EXPECT_NEAR(row_statistics->means[static_cast<std::size_t>(i)], mean, 1e-12);
  }
}

TEST(RowStatistics, AreNothingWhenStopped) {
  StopSource stop;
  stop.request_stop();
  EXPECT_FALSE(row_statistics_of(matrix_of(1, 1, {1}).matrix({}), stop.token()));
}

TEST(KeysThatHold, AreTheFewest) {
  const std::vector<float> weights = {0.1F, 0.4F, 0.05F, 0.25F, 0.2F};
  EXPECT_EQ(keys_that_hold(weights, 0.4), (std::vector<Index>{1}));
  EXPECT_EQ(keys_that_hold(weights, 0.41), (std::vector<Index>{1, 3}));
  EXPECT_EQ(keys_that_hold(weights, 0.9), (std::vector<Index>{1, 3, 4, 0}));
  // Compares with all subsets of keys.
  for (int percent = 1; percent < 100; ++percent) {
    const double share = percent / 100.0;
    std::size_t fewest = weights.size();
    for (unsigned set = 0; set < 32; ++set) {
      double held = 0;
      std::size_t count = 0;
      for (unsigned key = 0; key < 5; ++key) {
        if (((set >> key) & 1U) == 0) continue;
        held += static_cast<double>(weights[key]);
        ++count;
      }
      if (held >= share - 1e-6) fewest = std::min(fewest, count);
    }
    EXPECT_EQ(keys_that_hold(weights, share).size(), fewest) << share;
  }
}

TEST(KeysThatHold, OfEqualWeightsTheLowerKeyIsFirst) {
  const std::vector<float> even(10, 0.1F);
  for (int tenths = 0; tenths <= 10; ++tenths) {
    std::vector<Index> first(static_cast<std::size_t>(tenths));
    std::iota(first.begin(), first.end(), Index{0});
    EXPECT_EQ(keys_that_hold(even, tenths / 10.0), first);
  }
  EXPECT_EQ(keys_that_hold(std::vector<float>{0.2F, 0.3F, 0.2F, 0.3F}, 0.7), (std::vector<Index>{1, 3, 0}));
}

TEST(KeysThatHold, NothingIsHeldByWhatHasNoWeight) {
  EXPECT_EQ(keys_that_hold(std::vector<float>{0, 1e-30F, 1, 0}, 1), (std::vector<Index>{2, 1}));
  EXPECT_EQ(keys_that_hold(std::vector<float>{0, 1e-30F, 1, 0}, 0.99), (std::vector<Index>{2}));
  EXPECT_TRUE(keys_that_hold(std::vector<float>{0, 0}, 0.5).empty());
  EXPECT_TRUE(keys_that_hold(std::vector<float>{0.5F, 0.5F}, 0).empty());
  EXPECT_TRUE(keys_that_hold(std::vector<float>{kNaN, kNaN}, 1).empty());
  EXPECT_TRUE(keys_that_hold({}, 0.5).empty());
}

}  // namespace
}  // namespace attnscope::test
