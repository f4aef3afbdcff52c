// Which pixels show which cells, along one axis of a heatmap. Pure arithmetic, private to the heatmap; the rows and the
// columns of a matrix go through it separately, each with the level that suits its scale.
#pragma once

#include <cstdint>
#include <vector>

namespace attnscope::platform {

/// Texels by which neighbouring tiles of a level overlap: a pixel that starts on the last texel of a tile's own part
/// also needs the two after it, and one more keeps rounding harmless.
inline constexpr int kTileOverlap = 4;
/// The smallest tile side that leaves more than the overlap.
inline constexpr int kMinTileSide = 2 * kTileOverlap;

/// The maximum number of cells along an axis; keeps the arithmetic within 32 and 64 bits.
inline constexpr std::int64_t kMaxCells = std::int64_t{1} << 30;

/// One axis of one matrix on the screen. Pixels count from the left (or top) of the framebuffer.
struct AxisRequest {
  std::int64_t cells = 0;  ///< 1 to `kMaxCells`
  /// The pixels of the whole axis, [begin, end), at least one.
  std::int64_t begin = 0;
  std::int64_t end = 0;
  /// The wanted pixels.
  std::int64_t clip_begin = 0;
  std::int64_t clip_end = 0;
  /// Pixels between neighbouring cells.
  int gap = 0;
  /// The maximum number of texels of a texture along this axis; at least `kMinTileSide`.
  int tile_side = 0;
  /// Plans a level coarser than the suitable one as cells larger than a pixel, without gaps.
  int least_level = 0;
  /// At most one texel per pixel if there are more cells than pixels: one level coarser, faster to draw.
  bool quick = false;
};

/// A run of pixels [begin, end) that uses one tile. The left edge of its first pixel lies at texel `base` of the tile
/// and a part of the next one: `fraction`, in [0, 1). Separate from `base`, a fraction needs few digits,
/// however far into the matrix the run lies.
struct AxisRun {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t tile_first = 0;  ///< texel of the level at which the tile starts
  int tile_size = 0;            ///< texels of the tile
  int base = 0;
  double fraction = 0;
  /// If minified, the fraction as a multiple of 1 / `AxisPlan::divisor`.
  std::uint32_t remainder = 0;
};

/// How one axis is drawn.
struct AxisPlan {
  /// More texels than pixels: a pixel shows all the texels that it touches, at most three. Otherwise it shows the one
  /// texel at its centre.
  bool minified = false;
  /// Texels of the level each stand for 2^level cells. If minified there are 1 to 2 per pixel, otherwise at most 1.
  int level = 0;
  /// If not minified: texels per pixel.
  double step = 0;
  /// If minified: there are exactly 1 + excess / divisor texels per pixel. Integers make pixels end at exactly the
  /// right cell; for a run of m pixels, (m + 2) · divisor is at most 2^32.
  std::uint32_t excess = 0;
  std::uint32_t divisor = 1;
  /// The requested gap, or 0 if the cells are too small for one.
  int gap = 0;
  std::vector<AxisRun> runs;  ///< in order; empty if the clip leaves nothing
};

AxisPlan plan_axis(const AxisRequest& request);

}  // namespace attnscope::platform
