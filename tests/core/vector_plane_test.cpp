// The plane of arrows, against a full singular value decomposition.
#include "core/heads/vector_plane.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <cmath>
#include <random>

#include "core/heads/singular_directions.h"

namespace attnscope::test {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Random rows; each next dimension is `decay` times as long as the one before it, and then all are mixed.
RowMajor random_rows(Index rows, Index dims, double decay, unsigned seed = 5) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  RowMajor numbers(rows, dims);
  for (Index i = 0; i < numbers.size(); ++i) numbers.data()[i] = normal(generator);
  double scale = 1;
  for (Index dim = 0; dim < dims; ++dim, scale *= decay) numbers.col(dim) *= scale;
  // A mirror that mixes all dimensions.
  Eigen::VectorXd mirror(dims);
  for (Index i = 0; i < dims; ++i) mirror[i] = normal(generator);
  mirror.normalize();
  return numbers - 2 * (numbers * mirror) * mirror.transpose();
}

std::span<const double> all(const RowMajor& rows) { return {rows.data(), static_cast<std::size_t>(rows.size())}; }

Eigen::VectorXd as_vector(const std::vector<double>& numbers) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), std::ssize(numbers));
}

void expect_orthonormal(const VectorPlane& plane) {
  EXPECT_NEAR(length_of(plane.directions[0]), 1, 1e-12);
  EXPECT_NEAR(length_of(plane.directions[1]), 1, 1e-12);
  EXPECT_NEAR(dot_product_of(plane.directions[0], plane.directions[1]), 0, 1e-12);
}

struct Shape {
  Index rows;
  Index dims;
  double decay;
};

TEST(VectorPlane, IsThatOfTheFirstTwoSingularVectors) {
  for (const auto& [rows, dims, decay] :
       {Shape{12, 7, 0.8}, {3, 64, 0.9}, {200, 16, 1}, {2, 5, 0.5}, {150, 140, 0.9}, {300, 200, 0.7}}) {
    SCOPED_TRACE(std::to_string(rows) + " × " + std::to_string(dims));
    const RowMajor numbers = random_rows(rows, dims, decay);
    const VectorPlane plane = vector_plane(all(numbers), dims);
    expect_orthonormal(plane);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(numbers, Eigen::ComputeThinV);
    for (Index i = 0; i < 2; ++i) {
      const Eigen::VectorXd found = as_vector(plane.directions[static_cast<std::size_t>(i)]);
      EXPECT_NEAR(std::abs(found.dot(svd.matrixV().col(i))), 1, 1e-8) << i;
      Index at = 0;
      found.cwiseAbs().maxCoeff(&at);
      EXPECT_GT(found[at], 0) << "the sign is always the same";
    }
    const double kept = svd.singularValues().head(2).squaredNorm() / svd.singularValues().squaredNorm();
    EXPECT_NEAR(plane.share, kept, 1e-10);
  }
}

TEST(VectorPlane, OfLongVectorsKeepsWhatTheBestPlaneKeeps) {
  // Without a gap between singular values directions are not determined, but what they keep is.
  for (const auto& [rows, dims, decay] : {Shape{160, 300, 1}, {400, 150, 1}, {180, 180, 0.999}}) {
    SCOPED_TRACE(std::to_string(rows) + " × " + std::to_string(dims));
    const RowMajor numbers = random_rows(rows, dims, decay);
    const VectorPlane plane = vector_plane(all(numbers), dims);
    expect_orthonormal(plane);
    const Eigen::MatrixXd squares = numbers.transpose() * numbers;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(squares, Eigen::EigenvaluesOnly);
    const double best = solver.eigenvalues().tail(2).sum() / squares.trace();
    EXPECT_NEAR(plane.share, best, 1e-6 * best);
    EXPECT_EQ(plane.directions, vector_plane(all(numbers), dims).directions) << "the same every time";
  }
}

TEST(VectorPlane, FindsBothOfTwoEqualSingularValues) {
  const Index dims = 200;
  RowMajor numbers = RowMajor::Identity(dims, dims);
  numbers(3, 3) = 9;
  numbers(150, 150) = 9;
  const VectorPlane plane = vector_plane(all(numbers), dims);
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
