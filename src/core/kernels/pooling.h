// Shrinking a matrix for display without losing its extremes.
#pragma once

#include <vector>

#include "core/tensor.h"

namespace attnscope {

/// Of two numbers the one of larger magnitude, sign kept; NaN wins over everything so that it is never hidden.
float larger_magnitude(float a, float b);

/// Shrinks `source` to `rows` × `columns` (each at most the source's): every cell of the result is the source value of
/// largest magnitude among the source cells it covers, and every source cell is covered. Row-major.
std::vector<float> pool_magnitude(const MatrixView& source, Index rows, Index columns);

}  // namespace attnscope
