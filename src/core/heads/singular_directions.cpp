// In a file of its own: compilers take long for the eigenvalues.
#include "core/heads/singular_directions.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <random>

namespace attnscope {
namespace {

using Matrix = Eigen::MatrixXd;
using Rows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

// Up to this length of the shorter side, all eigenvalues take no longer than the search for two of them.
constexpr Index kSmall = 128;
// The search: vectors that are multiplied together, how often before it starts again, and how often it does at most.
constexpr Index kStartVectors = 4;
constexpr int kProducts = 12;
constexpr int kMaxStarts = 24;
// Of the largest eigenvalue: what may be missing for an eigenvector.
constexpr double kResidual = 1e-7;
// What is left of a vector without its parts along others; less is rounding.
constexpr double kLeast = 1e-10;

/// The eigenvectors of the largest eigenvalues, largest first, at most `count`.
Matrix leading_eigenvectors(const Matrix& symmetric, Index count) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(symmetric);
  const Index most = std::min<Index>(count, symmetric.rows());
  return solver.eigenvectors().rightCols(most).rowwise().reverse();
}

/// Adds the directions of `vectors` that `basis` does not have yet.
Matrix with_directions(const Matrix& basis, const Matrix& vectors) {
  Matrix all(vectors.rows(), basis.cols() + vectors.cols());
  all.leftCols(basis.cols()) = basis;
  Index count = basis.cols();
  for (Index i = 0; i < vectors.cols(); ++i) {
    Eigen::VectorXd each = vectors.col(i);
    const double length = each.norm();
    if (!(length > 0)) continue;
    each /= length;
    // Twice: rounding leaves parts along the others the first time.
    for (int time = 0; time < 2; ++time) each -= all.leftCols(count) * (all.leftCols(count).transpose() * each);
    const double left = each.norm();
    if (left < kLeast) continue;
    all.col(count++) = each / left;
  }
  return all.leftCols(count);
}

/// The same vectors every time, as good as random.
Matrix start_vectors(Index dims) {
  std::minstd_rand generator(1);
  Matrix start(dims, kStartVectors);
  for (Index i = 0; i < start.size(); ++i)
    start.data()[i] = static_cast<double>(generator()) / std::minstd_rand::max() - 0.5;
  return start;
}

/// Block Krylov: eigenvectors of Aᵀ A, found in the space of the start vectors and their products with it.
Matrix searched_directions(const Rows& a) {
  Matrix found = with_directions(Matrix(a.cols(), 0), start_vectors(a.cols()));
  for (int start = 0; start < kMaxStarts; ++start) {
    Matrix basis = found;
    Matrix products(a.cols(), 0);
    for (int times = 0; times < kProducts && products.cols() < basis.cols(); ++times) {
      const Matrix fresh = basis.rightCols(basis.cols() - products.cols());
      const Matrix next = a.transpose() * (a * fresh);
      Matrix longer(a.cols(), basis.cols());
      longer.leftCols(products.cols()) = products;
      longer.rightCols(next.cols()) = next;
      products = std::move(longer);
      if (times + 1 < kProducts) basis = with_directions(basis, next);
    }
    const Matrix projected = basis.transpose() * products;
    const Matrix mixed = leading_eigenvectors((projected + projected.transpose()) / 2, kStartVectors);
    found = basis * mixed;
    const Matrix multiplied = products * mixed;
    double largest = 0;
    double missing = 0;
    for (Index i = 0; i < std::min<Index>(2, found.cols()); ++i) {
      const double value = found.col(i).dot(multiplied.col(i));
      largest = std::max(largest, value);
      missing = std::max(missing, (multiplied.col(i) - value * found.col(i)).norm());
    }
    if (missing <= kResidual * largest) break;
  }
  return found;
}

/// The component of largest magnitude; of those that are equal but for rounding, the first one.
double first_of_largest(const Eigen::VectorXd& vector) {
  const double largest = vector.cwiseAbs().maxCoeff();
  return *std::find_if(vector.begin(), vector.end(),
                       [&](double each) { return std::abs(each) >= largest * (1 - 1e-9); });
}

Matrix directions_of(const Rows& a) {
  if (std::min(a.rows(), a.cols()) > kSmall) return searched_directions(a);
  if (a.cols() <= a.rows()) return leading_eigenvectors(a.transpose() * a, 2);
  return a.transpose() * leading_eigenvectors(a * a.transpose(), 2);
}

}  // namespace

std::array<std::vector<double>, 2> singular_directions(std::span<const double> numbers, Index rows, Index dims) {
  // Squares of very small or large numbers would leave the range.
  double largest = 0;
  for (const double number : numbers) largest = std::max(largest, std::abs(number));
  const double divisor = largest > 0 ? largest : 1;
  std::vector<double> scaled(numbers.begin(), numbers.end());
  for (double& number : scaled) number /= divisor;
  Matrix found = directions_of(Rows(scaled.data(), rows, dims));
  // Products with vectors that the rows do not have are rounding.
  for (Index i = 0; i < found.cols(); ++i) {
    if (found.col(i).norm() < kLeast) found.col(i).setZero();
  }
  found = with_directions(Matrix(dims, 0), found);
  for (Index i = 0; i < dims && found.cols() < 2; ++i) found = with_directions(found, Eigen::VectorXd::Unit(dims, i));
  std::array<std::vector<double>, 2> directions;
  for (Index i = 0; i < 2; ++i) {
    if (first_of_largest(found.col(i)) < 0) found.col(i) = -found.col(i);
    directions[static_cast<std::size_t>(i)] = {found.col(i).begin(), found.col(i).end()};
  }
  return directions;
}

}  // namespace attnscope
