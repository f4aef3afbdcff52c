// Shrinking part of a matrix by largest magnitude, on the bits of the numbers. Private to the heatmap.
#pragma once

#include <cstdint>
#include <vector>

#include "core/tensor.h"

namespace attnscope::platform {

/// A rectangle of texels of a pooled matrix. Texel (i, j) of the pooled matrix stands for the cells of rows
/// [i·2^row_level, (i+1)·2^row_level) and columns [j·2^column_level, (j+1)·2^column_level), as far as they exist.
struct TileRegion {
  int row_level = 0;
  int column_level = 0;
  Index first_row = 0;
  Index first_column = 0;
  int rows = 0;
  int columns = 0;

  friend bool operator==(const TileRegion&, const TileRegion&) = default;
};

/// A float's bits rearranged so that comparing them as whole numbers compares magnitudes: -0 lowest, then by |x|, then
/// infinity, then NaN above everything; of x and -x the positive one is larger. The order of comparison thus never
/// matters, and heatmap.frag does the same.
constexpr std::uint32_t magnitude_key(std::uint32_t bits) { return (bits << 1U) | (~bits >> 31U); }
constexpr std::uint32_t bits_of_key(std::uint32_t key) { return (key >> 1U) | (~key << 31U); }

/// The bits of the texels of `region`, row-major: of each texel's cells the one of largest magnitude.
std::vector<std::uint32_t> pool_region(const MatrixView& matrix, const TileRegion& region);

}  // namespace attnscope::platform
