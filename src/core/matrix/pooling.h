// Shrinking a matrix for display without losing its extremes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/tensor.h"

namespace attnscope {

/// A rectangle of texels of a matrix at a level. Texel (i, j) covers the cells of rows
/// [i·2^row_level, (i+1)·2^row_level) and columns [j·2^column_level, (j+1)·2^column_level), as far as they exist.
struct MatrixPart {
  int row_level = 0;
  int column_level = 0;
  Index first_row = 0;  ///< in texels, like the other members
  Index first_column = 0;
  Index rows = 0;
  Index columns = 0;

  friend bool operator==(const MatrixPart&, const MatrixPart&) = default;
};

/// The number of texels along an axis of `cells` cells, at least one.
constexpr Index texels_at(Index cells, int level) { return ((cells - 1) >> level) + 1; }

/// Maps a float to an integer key that orders by magnitude: -0 is lowest, then by |x|, then infinity, then NaN; x is
/// larger than -x for positive x. This order is total, so pooling gives the same result in any order. heatmap.frag does
/// the same.
constexpr std::uint32_t magnitude_key(std::uint32_t bits) { return (bits << 1U) | (~bits >> 31U); }
constexpr std::uint32_t bits_of_key(std::uint32_t key) { return (key >> 1U) | (~key << 31U); }

/// The number of larger magnitude, with its sign; of x and -x the positive one. NaN wins over everything and is never
/// hidden.
float larger_magnitude(float a, float b);

/// Shrinks `source` to `rows` × `columns` (each at most the source's): every cell of the result is the source value of
/// largest magnitude among the source cells it covers, and every source cell is covered. Row-major.
std::vector<float> pool_magnitude(const MatrixView& source, Index rows, Index columns);

/// The texels of `part`, row-major: the value of largest magnitude among the cells of each. `out` has exactly that
/// size.
void pool_part(const MatrixView& matrix, const MatrixPart& part, std::span<float> out);

}  // namespace attnscope
