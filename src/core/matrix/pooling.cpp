#include "core/matrix/pooling.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>

namespace attnscope {
namespace {

/// keys[i] = max(keys[i], key of cells[i * stride]).
void raise_keys(std::vector<std::uint32_t>& keys, const float* cells, Index stride, Index count) {
  std::uint32_t* key = keys.data();
  if (stride == 1) {
    for (Index i = 0; i < count; ++i) key[i] = std::max(key[i], magnitude_key(std::bit_cast<std::uint32_t>(cells[i])));
    return;
  }
  for (Index i = 0; i < count; ++i) {
    key[i] = std::max(key[i], magnitude_key(std::bit_cast<std::uint32_t>(cells[i * stride])));
  }
}

void copy_cells(const MatrixView& matrix, const MatrixPart& part, float* out) {
  for (Index row = 0; row < part.rows; ++row) {
    const float* from =
        matrix.data + (part.first_row + row) * matrix.row_stride + part.first_column * matrix.column_stride;
    if (matrix.column_stride == 1) {
      out = std::copy_n(from, part.columns, out);
    } else {
      for (Index column = 0; column < part.columns; ++column) *out++ = from[column * matrix.column_stride];
    }
  }
}

/// Pools with the cells of a row as the inner loop.
void pool_by_rows(const MatrixView& matrix, const MatrixPart& part, float* out) {
  const Index first_column = part.first_column << part.column_level;
  const Index columns =
      std::min((part.first_column + part.columns) << part.column_level, matrix.columns) - first_column;
  // Merges the rows of a texel cell by cell, then the columns in pairs; 0 is the lowest key.
  std::vector<std::uint32_t> keys(static_cast<std::size_t>(part.columns) << part.column_level);
  for (Index row = part.first_row; row < part.first_row + part.rows; ++row) {
    std::fill(keys.begin(), keys.end(), 0U);
    const Index end = std::min((row + 1) << part.row_level, matrix.rows);
    for (Index r = row << part.row_level; r < end; ++r) {
      raise_keys(keys, matrix.data + r * matrix.row_stride + first_column * matrix.column_stride, matrix.column_stride,
                 columns);
    }
    std::size_t width = keys.size();
    for (int level = 0; level < part.column_level; ++level) {
      width /= 2;
      for (std::size_t i = 0; i < width; ++i) keys[i] = std::max(keys[2 * i], keys[2 * i + 1]);
    }
    out = std::transform(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(width), out,
                         [](std::uint32_t key) { return std::bit_cast<float>(bits_of_key(key)); });
  }
}

}  // namespace

float larger_magnitude(float a, float b) {
  return magnitude_key(std::bit_cast<std::uint32_t>(b)) > magnitude_key(std::bit_cast<std::uint32_t>(a)) ? b : a;
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

void pool_part(const MatrixView& matrix, const MatrixPart& part, std::span<float> out) {
  assert(std::ssize(out) == part.rows * part.columns);
  // Reads memory in order: the columns of a transposed view are contiguous rows in memory.
  const bool transposed = matrix.column_stride != 1 && matrix.row_stride == 1;
  if (!transposed) {
    if (part.row_level == 0 && part.column_level == 0) {
      copy_cells(matrix, part, out.data());
    } else {
      pool_by_rows(matrix, part, out.data());
    }
    return;
  }
  std::vector<float> source(out.size());
  pool_part(matrix.transposed(),
            {part.column_level, part.row_level, part.first_column, part.first_row, part.columns, part.rows}, source);
  for (Index c = 0; c < part.columns; ++c) {
    for (Index r = 0; r < part.rows; ++r) {
      out[static_cast<std::size_t>(r * part.columns + c)] = source[static_cast<std::size_t>(c * part.rows + r)];
    }
  }
}

}  // namespace attnscope
