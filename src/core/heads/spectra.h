// Singular values and eigenvalues, in double precision.
#pragma once

#include <span>
#include <vector>

#include "core/base/tensor.h"

namespace attnscope {

/// The singular values, largest first, of a matrix of finite `numbers`, [columns, rows]: its columns follow each other. Of
/// a matrix with 32 or more rows and columns, values below 1e-8 · √(shorter side) of the largest are 0.
std::vector<double> singular_values(std::span<const double> numbers, Index rows, Index columns);

/// Σ|λ| over the eigenvalues λ of a square matrix of finite `numbers`, [column, row].
double sum_of_eigenvalue_magnitudes(std::span<const double> numbers, Index size);

}  // namespace attnscope
