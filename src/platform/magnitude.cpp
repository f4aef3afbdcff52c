#include "platform/magnitude.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace attnscope::platform {
namespace {

/// The cells [begin, end) that texel `texel` of level `level` stands for, of `count` cells.
struct CellRange {
  Index begin = 0;
  Index end = 0;
};

CellRange cells_of(Index first_texel, Index texels, int level, Index count) {
  return {first_texel << level, std::min((first_texel + texels) << level, count)};
}

/// keys[i] becomes the larger of itself and the key of `cells[i * stride]`.
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

/// Pools with the cells of a row as the inner loop.
std::vector<std::uint32_t> pool_by_rows(const MatrixView& matrix, const TileRegion& region) {
  const CellRange columns = cells_of(region.first_column, region.columns, region.column_level, matrix.columns);
  std::vector<std::uint32_t> pooled;
  pooled.reserve(static_cast<std::size_t>(region.rows) * static_cast<std::size_t>(region.columns));
  // First the rows of a texel are merged cell by cell, then the columns in pairs; 0 is the lowest key.
  std::vector<std::uint32_t> keys(static_cast<std::size_t>(region.columns) << region.column_level);
  for (Index row = region.first_row; row < region.first_row + region.rows; ++row) {
    std::fill(keys.begin(), keys.end(), 0U);
    const CellRange rows = cells_of(row, 1, region.row_level, matrix.rows);
    for (Index r = rows.begin; r < rows.end; ++r) {
      const float* cells = matrix.data + r * matrix.row_stride + columns.begin * matrix.column_stride;
      raise_keys(keys, cells, matrix.column_stride, columns.end - columns.begin);
    }
    std::size_t width = keys.size();
    for (int level = 0; level < region.column_level; ++level) {
      width /= 2;
      for (std::size_t i = 0; i < width; ++i) keys[i] = std::max(keys[2 * i], keys[2 * i + 1]);
    }
    for (std::size_t i = 0; i < width; ++i) pooled.push_back(bits_of_key(keys[i]));
  }
  return pooled;
}

}  // namespace

std::vector<std::uint32_t> pool_region(const MatrixView& matrix, const TileRegion& region) {
  // Walk memory in its own order: the columns of a transposed view are the rows of what it was made from.
  const bool transposed = matrix.column_stride != 1 && matrix.row_stride == 1;
  if (!transposed) return pool_by_rows(matrix, region);
  const TileRegion turned{region.column_level, region.row_level, region.first_column,
                          region.first_row,    region.columns,   region.rows};
  const std::vector<std::uint32_t> source = pool_by_rows(matrix.transposed(), turned);
  std::vector<std::uint32_t> pooled(source.size());
  const auto rows = static_cast<std::size_t>(region.rows);
  const auto columns = static_cast<std::size_t>(region.columns);
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows; ++r) pooled[r * columns + c] = source[c * rows + r];
  }
  return pooled;
}

}  // namespace attnscope::platform
