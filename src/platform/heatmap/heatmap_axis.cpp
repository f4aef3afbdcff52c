#include "platform/heatmap/heatmap_axis.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace attnscope::platform {
namespace {

/// Shifts pixel centres slightly to the right, in pixels: a centre exactly between two cells must not depend on the
/// rounding of the graphics card.
constexpr double kTieBreak = 1.0 / 1024;

/// The largest level that leaves at least one texel per pixel.
int level_for(std::int64_t cells, std::int64_t pixels) {
  int level = 0;
  while ((cells >> (level + 1)) >= pixels) ++level;
  return level;
}

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The tiles of a level.
struct Tiles {
  std::int64_t texels = 0;  ///< of the whole level
  std::int64_t stride = 0;  ///< from the start of one tile to the start of the next
  std::int64_t count = 0;
};

Tiles cut(std::int64_t texels, int side) {
  if (texels <= side) return {texels, texels, 1};
  const std::int64_t stride = side - kTileOverlap;
  return {texels, stride, divided_up(texels - kTileOverlap, stride)};
}

/// Maps pixels to texels of a level: `rise` texels per `pixels` pixels.
struct Slope {
  std::int64_t rise = 0;
  std::int64_t pixels = 1;

  /// The first pixel of the axis whose left edge is at `texel` or after it.
  [[nodiscard]] std::int64_t pixel_at(std::int64_t texel) const { return divided_up(texel * pixels, rise); }
  /// The texel that holds the left edge of pixel `pixel` of the axis.
  [[nodiscard]] std::int64_t texel_at(std::int64_t pixel) const { return pixel * rise / pixels; }
};

/// The run that begins at pixel `first` of the axis, in the tile that starts at texel `tile_first`.
AxisRun run_from(std::int64_t first, std::int64_t tile_first, const Slope& slope, bool minified) {
  AxisRun run;
  run.tile_first = tile_first;
  const std::int64_t texel = slope.texel_at(first);
  const std::int64_t remainder = first * slope.rise - texel * slope.pixels;
  run.base = static_cast<int>(texel - tile_first);
  run.fraction = static_cast<double>(remainder) / static_cast<double>(slope.pixels);
  if (minified) {
    run.remainder = static_cast<std::uint32_t>(remainder);
  } else {
    run.fraction += kTieBreak * static_cast<double>(slope.rise) / static_cast<double>(slope.pixels);
  }
  return run;
}

}  // namespace

AxisPlan plan_axis(const AxisRequest& request) {
  assert(request.cells > 0 && request.cells <= kMaxCells && request.end > request.begin);
  assert(request.tile_side >= kMinTileSide);
  const std::int64_t pixels = request.end - request.begin;
  AxisPlan plan;
  const int suitable = level_for(request.cells, pixels);
  plan.level = std::max(suitable + (request.quick && request.cells > pixels ? 1 : 0), request.least_level);
  plan.minified = request.cells > pixels && plan.level == suitable;
  // With gaps, a cell and the gap after it make one period; there is no gap after the last cell.
  const bool room_for_gap = (pixels + request.gap) / request.cells > request.gap;
  const int gap = !plan.minified && room_for_gap ? request.gap : 0;
  plan.gap = plan.level == 0 ? gap : 0;
  const Slope slope{request.cells, (pixels + gap) << plan.level};
  plan.step = static_cast<double>(slope.rise) / static_cast<double>(slope.pixels);
  std::int64_t longest = pixels;
  if (plan.minified) {
    plan.divisor = static_cast<std::uint32_t>(slope.pixels);
    plan.excess = static_cast<std::uint32_t>(slope.rise - slope.pixels);
    longest = (std::int64_t{1} << 32) / slope.pixels - 2;
  }

  const std::int64_t clip_begin = std::max(request.begin, request.clip_begin) - request.begin;
  const std::int64_t clip_end = std::min(request.end, request.clip_end) - request.begin;
  if (clip_begin >= clip_end) return plan;
  const Tiles tiles = cut(((request.cells - 1) >> plan.level) + 1, request.tile_side);
  for (std::int64_t first = clip_begin; first < clip_end;) {
    const std::int64_t tile = std::min(slope.texel_at(first) / tiles.stride, tiles.count - 1);
    const std::int64_t tile_end = tile + 1 < tiles.count ? slope.pixel_at((tile + 1) * tiles.stride) : pixels;
    const std::int64_t end = std::min({clip_end, tile_end, first + longest});
    AxisRun run = run_from(first, tile * tiles.stride, slope, plan.minified);
    run.tile_size = static_cast<int>(std::min<std::int64_t>(tiles.texels - run.tile_first, request.tile_side));
    run.begin = request.begin + first;
    run.end = request.begin + end;
    plan.runs.push_back(run);
    first = end;
  }
  return plan;
}

}  // namespace attnscope::platform
