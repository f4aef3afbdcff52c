// In a file of its own: compilers take longer for these two templates than for any other file.
#include "core/heads/spectra.h"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

namespace attnscope {
namespace {

using Matrix = Eigen::MatrixXd;

}  // namespace

std::vector<double> singular_values(std::span<const double> numbers, Index rows, Index columns) {
  const Eigen::Map<const Matrix> matrix(numbers.data(), rows, columns);
  const Eigen::VectorXd values = Eigen::BDCSVD<Matrix>(matrix).singularValues();
  return {values.begin(), values.end()};
}

double sum_of_eigenvalue_magnitudes(std::span<const double> numbers, Index size) {
  const Eigen::Map<const Matrix> matrix(numbers.data(), size, size);
  return Eigen::EigenSolver<Matrix>(matrix, false).eigenvalues().cwiseAbs().sum();
}

}  // namespace attnscope
