// Softmax and pooling against the obvious loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels/softmax.h"
#include "core/matrix/pooling.h"
#include "made_tensors.h"
#include "support/floats.h"

namespace attnscope::test {
namespace {

double exact_softmax(const std::vector<float>& row, std::size_t at, double temperature) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const float value : row) largest = std::max(largest, static_cast<double>(value));
  double sum = 0;
  for (const float value : row) sum += std::exp((static_cast<double>(value) - largest) / temperature);
  return std::exp((static_cast<double>(row[at]) - largest) / temperature) / sum;
}

std::vector<float> softmax_of(const std::vector<float>& row, float temperature = 1) {
  std::vector<float> out(row.size(), -1);
  softmax_row(row, temperature, out);
  return out;
}

TEST(Softmax, AgreesWithTheFormula) {
  std::mt19937 random(8);
  for (const Index length : {1, 2, 3, 4, 7, 8, 9, 16, 31, 200}) {
    for (const float temperature : {0.25F, 1.0F, 3.0F}) {
      const std::vector<float> row = random_numbers(random, length, -10, 10);
      const std::vector<float> out = softmax_of(row, temperature);
      for (std::size_t i = 0; i < row.size(); ++i) {
        const double expected = exact_softmax(row, i, static_cast<double>(temperature));
        EXPECT_NEAR(static_cast<double>(out[i]), expected, 2e-5 * expected + 1e-30) << length << " " << i;
      }
    }
  }
}

TEST(Softmax, AnyFiniteLogitsAreSafe) {
  EXPECT_EQ(softmax_of({1e30F, -1e30F, 0}), (std::vector<float>{1, 0, 0}));
  EXPECT_EQ(softmax_of({-1e30F, -1e30F}), (std::vector<float>{0.5F, 0.5F}));
  EXPECT_EQ(softmax_of({-9e15F, -9e15F, -9e15F, -9e15F}), std::vector<float>(4, 0.25F));
  constexpr float kMax = std::numeric_limits<float>::max();
  for (const float temperature : {0.001F, 0.5F, 1.0F, 1000.0F}) {
    EXPECT_EQ(softmax_of({kMax, -kMax}, temperature), (std::vector<float>{1, 0})) << temperature;
    EXPECT_EQ(softmax_of({-kMax, -kMax}, temperature), (std::vector<float>{0.5F, 0.5F})) << temperature;
    EXPECT_EQ(softmax_of({kMax, kMax, 0, 0}, temperature), (std::vector<float>{0.5F, 0.5F, 0, 0})) << temperature;
  }
}

TEST(Softmax, ARowOfMinusInfinityBecomesZero) {
  for (const std::size_t length : {1U, 3U, 4U, 9U})
    EXPECT_EQ(softmax_of(std::vector<float>(length, -kInfinity)), std::vector<float>(length, 0.0F));
  EXPECT_EQ(softmax_of({-kInfinity, 2, -kInfinity}), (std::vector<float>{0, 1, 0}));
}

TEST(Softmax, PlusInfinityAndNaNAreNotHidden) {
  for (const std::size_t length : {2U, 3U, 4U, 5U, 8U, 9U, 17U}) {
    for (std::size_t at = 0; at < length; ++at) {
      for (const float others : {0.0F, 3.0F, -kInfinity}) {
        std::vector<float> row(length, others);
        row[at] = kNaN;
        for (const float value : softmax_of(row)) EXPECT_TRUE(std::isnan(value)) << length << " " << at;
        row[at] = kInfinity;
        EXPECT_TRUE(std::isnan(softmax_of(row)[at])) << length << " " << at;
      }
    }
  }
}

TEST(Softmax, OfNothingIsNothing) { EXPECT_TRUE(softmax_of({}).empty()); }

TEST(Pooling, KeepsTheLargestMagnitudeWithItsSign) {
  EXPECT_EQ(larger_magnitude(1, -2), -2.0F);
  EXPECT_EQ(larger_magnitude(-2, 1), -2.0F);
  EXPECT_EQ(larger_magnitude(-kInfinity, 1e30F), -kInfinity);
  EXPECT_TRUE(std::isnan(larger_magnitude(kNaN, kInfinity)));
  EXPECT_TRUE(std::isnan(larger_magnitude(kInfinity, kNaN)));
}

TEST(Pooling, EverySourceCellIsCovered) {
  std::mt19937 random(9);
  for (int i = 0; i < 200; ++i) {
    const Index rows = random_index(random, 1, 20);
    const Index columns = random_index(random, 1, 20);
    Tensor source =
        made_tensor({{"a", rows}, {"b", columns}}, std::vector<float>(static_cast<std::size_t>(rows * columns), 0.5F));
    const Index spike_row = random_index(random, 0, rows - 1);
    const Index spike_column = random_index(random, 0, columns - 1);
    source.values()[static_cast<std::size_t>(spike_row * columns + spike_column)] = -3;
    const Index down = random_index(random, 1, rows);
    const Index across = random_index(random, 1, columns);
    const std::vector<float> pooled = pool_magnitude(source.matrix(), down, across);
    ASSERT_EQ(static_cast<Index>(pooled.size()), down * across);
    EXPECT_EQ(std::count(pooled.begin(), pooled.end(), -3.0F), 1);
    EXPECT_EQ(std::count(pooled.begin(), pooled.end(), 0.5F), down * across - 1);
    const std::vector<float> upright = pool_magnitude(source.matrix().transposed(), across, down);
    for (Index r = 0; r < down; ++r) {
      for (Index c = 0; c < across; ++c) {
        EXPECT_EQ(pooled[static_cast<std::size_t>(r * across + c)], upright[static_cast<std::size_t>(c * down + r)]);
      }
    }
  }
}

TEST(Pooling, ToTheSameSizeChangesNothing) {
  std::mt19937 random(10);
  const std::vector<float> numbers = random_numbers(random, 35);
  const Tensor source = made_tensor({{"a", 5}, {"b", 7}}, numbers);
  EXPECT_EQ(pool_magnitude(source.matrix(), 5, 7), numbers);
}

}  // namespace
}  // namespace attnscope::test
