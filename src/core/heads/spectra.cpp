// In a file of its own: compilers take longer for these two templates than for any other file.
#include "core/heads/spectra.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

namespace attnscope {
namespace {

using Matrix = Eigen::MatrixXd;

// From this length of the shorter side on, eigenvalues are several times faster.
constexpr Index kLarge = 32;

/// The roots of the eigenvalues of the smaller of A Aᵀ and Aᵀ A. Squares lose half of the digits: what is below √ε of the
/// largest is noise, and counts as 0.
std::vector<double> roots_of_eigenvalues(const Eigen::Map<const Matrix>& matrix) {
  const Index size = std::min(matrix.rows(), matrix.cols());
  Matrix gram = Matrix::Zero(size, size);
  if (matrix.rows() <= matrix.cols()) {
    gram.selfadjointView<Eigen::Lower>().rankUpdate(matrix);
  } else {
    gram.selfadjointView<Eigen::Lower>().rankUpdate(matrix.transpose());
  }
  const Eigen::VectorXd squares = Eigen::SelfAdjointEigenSolver<Matrix>(gram, Eigen::EigenvaluesOnly).eigenvalues();
  const double least = squares.maxCoeff() * static_cast<double>(size) * std::numeric_limits<double>::epsilon();
  std::vector<double> values;
  for (Index i = size; i-- > 0;) values.push_back(squares[i] > least ? std::sqrt(squares[i]) : 0);
  return values;
}

}  // namespace

std::vector<double> singular_values(std::span<const double> numbers, Index rows, Index columns) {
  const Eigen::Map<const Matrix> matrix(numbers.data(), rows, columns);
  if (std::min(rows, columns) >= kLarge) return roots_of_eigenvalues(matrix);
  // Compilers need four times as long for BDCSVD, which would be twice as fast.
  using Svd = Eigen::JacobiSVD<Matrix, Eigen::HouseholderQRPreconditioner>;
  const Eigen::VectorXd values = Svd(matrix).singularValues();
  return {values.begin(), values.end()};
}

double sum_of_eigenvalue_magnitudes(std::span<const double> numbers, Index size) {
  const Eigen::Map<const Matrix> matrix(numbers.data(), size, size);
  return Eigen::EigenSolver<Matrix>(matrix, false).eigenvalues().cwiseAbs().sum();
}

}  // namespace attnscope
