#include "core/kernels/pooling.h"

#include <algorithm>
#include <cmath>

namespace attnscope {

float larger_magnitude(float a, float b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  return std::abs(b) > std::abs(a) ? b : a;
}

std::vector<float> pool_magnitude(const MatrixView& source, Index rows, Index columns) {
  std::vector<float> pooled(static_cast<std::size_t>(rows * columns));
  for (Index r = 0; r < rows; ++r) {
    const Index row_begin = r * source.rows / rows;
    const Index row_end = std::max(row_begin + 1, (r + 1) * source.rows / rows);
    for (Index c = 0; c < columns; ++c) {
      const Index column_begin = c * source.columns / columns;
      const Index column_end = std::max(column_begin + 1, (c + 1) * source.columns / columns);
      float largest = source.at(row_begin, column_begin);
      for (Index i = row_begin; i < row_end; ++i) {
        for (Index j = column_begin; j < column_end; ++j) largest = larger_magnitude(largest, source.at(i, j));
      }
      pooled[static_cast<std::size_t>(r * columns + c)] = largest;
    }
  }
  return pooled;
}

}  // namespace attnscope
