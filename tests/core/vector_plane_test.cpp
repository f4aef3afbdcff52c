// The plane of arrows, against all singular values.
#include "core/heads/vector_plane.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "core/heads/singular_directions.h"
#include "core/heads/spectra.h"

namespace attnscope::test {
namespace {

using Numbers = std::vector<double>;

Numbers row_of(const Numbers& rows, Index row, Index dims) {
  const auto begin = rows.begin() + row * dims;
  return {begin, begin + dims};
}

/// Random rows; each next dimension is `decay` times as long as the one before it, and then all are mixed.
Numbers random_rows(Index rows, Index dims, double decay) {
  std::mt19937 generator(5);
  std::normal_distribution<double> normal;
  Numbers mirror(static_cast<std::size_t>(dims));
  for (double& each : mirror) each = normal(generator);
  const double length = length_of(mirror);
  for (double& each : mirror) each /= length;
  Numbers numbers;
  for (Index row = 0; row < rows; ++row) {
    Numbers one(static_cast<std::size_t>(dims));
    double scale = 1;
    for (double& each : one) each = normal(generator) * std::exchange(scale, scale * decay);
    const double along = dot_product_of(one, mirror);
    for (std::size_t i = 0; i < one.size(); ++i) numbers.push_back(one[i] - 2 * along * mirror[i]);
  }
  return numbers;
}

/// The share that the best plane keeps. The transpose has the same singular values.
double best_share(const Numbers& numbers, Index rows, Index dims) {
  const Numbers values = singular_values(numbers, dims, rows);
  return (values[0] * values[0] + values[1] * values[1]) / dot_product_of(numbers, numbers);
}

void expect_orthonormal(const VectorPlane& plane) {
  EXPECT_NEAR(length_of(plane.directions[0]), 1, 1e-12);
  EXPECT_NEAR(length_of(plane.directions[1]), 1, 1e-12);
  EXPECT_NEAR(dot_product_of(plane.directions[0], plane.directions[1]), 0, 1e-12);
}

struct PlaneShape {
  Index rows;
  Index dims;
  double decay;
};

/// What Aᵀ A makes of the direction, without its part along it, as a share of the first singular value squared.
double leaves_itself(const Numbers& numbers, Index rows, const Numbers& direction, double first) {
  const Index dims = std::ssize(direction);
  Numbers made(direction.size(), 0);
  for (Index row = 0; row < rows; ++row) {
    const Numbers one = row_of(numbers, row, dims);
    const double along = dot_product_of(one, direction);
    for (std::size_t i = 0; i < made.size(); ++i) made[i] += along * one[i];
  }
  const double value = dot_product_of(made, direction);
  for (std::size_t i = 0; i < made.size(); ++i) made[i] -= value * direction[i];
  return length_of(made) / (first * first);
}

TEST(VectorPlane, IsThatOfTheFirstTwoSingularVectors) {
  for (const auto& [rows, dims, decay] :
       {PlaneShape{12, 7, 0.8}, {3, 64, 0.9}, {200, 16, 1}, {2, 5, 0.5}, {150, 140, 0.9}, {300, 200, 0.7}}) {
    SCOPED_TRACE(std::to_string(rows) + " × " + std::to_string(dims));
    const Numbers numbers = random_rows(rows, dims, decay);
    const VectorPlane plane = vector_plane(numbers, dims);
    expect_orthonormal(plane);
    const double first = singular_values(numbers, dims, rows)[0];
    for (const Numbers& direction : plane.directions) {
      EXPECT_LT(leaves_itself(numbers, rows, direction, first), 1e-6);
      const auto largest = std::ranges::max_element(direction, {}, [](double each) { return std::abs(each); });
      EXPECT_GT(*largest, 0) << "the sign is always the same";
    }
    EXPECT_NEAR(plane.share, best_share(numbers, rows, dims), 1e-9);
  }
}

TEST(VectorPlane, OfLongVectorsKeepsWhatTheBestPlaneKeeps) {
  // Without a gap between singular values directions are not determined, but what they keep is.
  for (const auto& [rows, dims, decay] : {PlaneShape{160, 300, 1}, {400, 150, 1}, {180, 180, 0.999}}) {
    SCOPED_TRACE(std::to_string(rows) + " × " + std::to_string(dims));
    const Numbers numbers = random_rows(rows, dims, decay);
    const VectorPlane plane = vector_plane(numbers, dims);
    expect_orthonormal(plane);
    const double best = best_share(numbers, rows, dims);
    EXPECT_NEAR(plane.share, best, 1e-6 * best);
    EXPECT_EQ(plane.directions, vector_plane(numbers, dims).directions) << "the same every time";
  }
}

TEST(VectorPlane, FindsBothOfTwoEqualSingularValues) {
  const Index dims = 200;
  Numbers numbers(static_cast<std::size_t>(dims * dims), 0);
  for (Index i = 0; i < dims; ++i) numbers[static_cast<std::size_t>(i * dims + i)] = i == 3 || i == 150 ? 9 : 1;
  const VectorPlane plane = vector_plane(numbers, dims);
  EXPECT_NEAR(plane.share, 162.0 / (162 + dims - 2), 1e-9);
}

TEST(VectorPlane, OfTwoDimensionsOrOneIsTheDimensionsThemselves) {
  const std::vector<double> rows = {3, -4, 0.5, 2, -1, -1};
  const VectorPlane two = vector_plane(rows, 2);
  EXPECT_EQ(two.share, 1);
  EXPECT_TRUE(two.is_exact());
  EXPECT_EQ(two.at(std::span(rows).first(2)), (std::array<double, 2>{3, -4}));
  const auto a = two.at(std::span(rows).subspan(2, 2));
  const auto b = two.at(std::span(rows).subspan(4, 2));
  EXPECT_EQ(a[0] * b[0] + a[1] * b[1], dot_product_of(std::span(rows).subspan(2, 2), std::span(rows).subspan(4, 2)));
  const VectorPlane one = vector_plane(rows, 1);
  EXPECT_EQ(one.at(std::span(rows).first(1)), (std::array<double, 2>{3, 0}));
  EXPECT_EQ(one.share, 1);
}

TEST(VectorPlane, OfFewDirectionsTakesAnyOthers) {
  // Zeros, one row, rows that are multiples of one another, and numbers whose squares no double holds.
  for (const double scale : {0.0, 1.0, 1e-200, 1e200}) {
    std::vector<double> rows;
    for (const double factor : {1.0, -2.0, 0.25}) {
      for (const double each : {1.0, 2.0, -2.0, 0.0}) rows.push_back(scale * factor * each);
    }
    for (const Index count : {1, 3}) {
      const VectorPlane plane = vector_plane(std::span(rows).first(static_cast<std::size_t>(4 * count)), 4);
      expect_orthonormal(plane);
      if (scale == 1) {
        EXPECT_NEAR(plane.share, 1, 1e-12);
        EXPECT_NEAR(plane.at(std::span(rows).first(4))[0], 3, 1e-12) << "of 2 and −2 the first counts";
      }
    }
  }
  EXPECT_EQ(vector_plane(std::vector<double>(8, 0), 4).share, 1) << "nothing is lost of nothing";
}

TEST(VectorPlane, SaysWhatItKeepsOfARow) {
  const std::vector<double> rows = {5, 0, 0, 0, 3, 0, 0, 0, 1, 4, 3, 2};
  VectorPlane plane;
  plane.directions = {std::vector<double>{1, 0, 0}, std::vector<double>{0, 1, 0}};
  EXPECT_EQ(plane.share_of(std::span(rows).first(3)), 1);
  EXPECT_EQ(plane.share_of(std::span(rows).subspan(6, 3)), 0);
  EXPECT_NEAR(plane.share_of(std::span(rows).subspan(9, 3)), 25.0 / 29, 1e-15);
  EXPECT_EQ(plane.share_of(std::vector<double>{0, 0, 0}), 1);
}

}  // namespace
}  // namespace attnscope::test
