// The arithmetic of pixels, cells and tiles, without drawing anything.
#include "platform/heatmap/heatmap_axis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace attnscope::platform {
namespace {

/// Runs follow one another from one end of the clip to the other, and every pixel finds its texels in its run's tile.
void expect_sound(const AxisRequest& request) {
  const AxisPlan plan = plan_axis(request);
  std::int64_t next = std::max(request.begin, request.clip_begin);
  const std::int64_t texels = ((request.cells - 1) >> plan.level) + 1;
  const std::int64_t pixels = request.end - request.begin + plan.gap;
  for (const AxisRun& run : plan.runs) {
    ASSERT_EQ(run.begin, next);
    ASSERT_GT(run.end, run.begin);
    ASSERT_GE(run.base, 0);
    ASSERT_LT(run.base, run.tile_size);
    ASSERT_LE(run.tile_size, request.tile_side);
    ASSERT_LE(run.tile_first + run.tile_size, texels);
    ASSERT_GE(run.fraction, 0);
    ASSERT_LT(run.fraction, 1.001);
    // The last texel of the last pixel of the run.
    const std::int64_t edge = (run.end - request.begin) * request.cells;
    const std::int64_t scale = pixels << plan.level;
    const std::int64_t last = (edge + scale - 1) / scale - 1;
    ASSERT_LT(std::min(last, texels - 1), run.tile_first + run.tile_size);
    if (plan.minified) {
      ASSERT_LT(static_cast<double>(run.end - run.begin + 2) * plan.divisor, 4294967296.0 + 1);
      ASSERT_LT(plan.excess, plan.divisor);
    }
    next = run.end;
  }
  if (!plan.runs.empty()) {
    ASSERT_EQ(next, std::min(request.end, request.clip_end));
  }
}

TEST(HeatmapAxis, EveryPixelHasItsTile) {
  std::mt19937_64 generator(41);
  const auto up_to = [&](std::int64_t bits) {
    return static_cast<std::int64_t>(generator() %
                                     (std::uint64_t{1} << (1 + generator() % static_cast<unsigned>(bits))));
  };
  for (int i = 0; i < 20000; ++i) {
    AxisRequest request;
    request.cells = 1 + up_to(29);
    request.begin = up_to(29) - up_to(29);
    request.end = request.begin + 1 + up_to(29);
    // A screen somewhere in it.
    request.clip_begin = request.begin + up_to(30) - up_to(10);
    request.clip_end = request.clip_begin + up_to(13);
    request.gap = static_cast<int>(up_to(2));
    request.tile_side = 8 + static_cast<int>(up_to(11));
    expect_sound(request);
    ASSERT_FALSE(HasFatalFailure()) << request.cells << " cells from " << request.begin << " to " << request.end
                                    << ", clip " << request.clip_begin << " to " << request.clip_end << ", tiles of "
                                    << request.tile_side;
  }
}

TEST(HeatmapAxis, LevelsHaveOneToTwoTexelsPerPixel) {
  for (const std::int64_t pixels : {1, 2, 3, 100, 1000}) {
    for (const std::int64_t cells : {1001, 1999, 2000, 2001, 65536, 1 << 30}) {
      const AxisPlan plan = plan_axis({cells, 0, pixels, 0, pixels, 0, 2048});
      EXPECT_TRUE(plan.minified);
      const double texels = std::ldexp(static_cast<double>(cells), -plan.level);
      EXPECT_GE(texels, static_cast<double>(pixels));
      EXPECT_LT(texels, 2.0 * static_cast<double>(pixels));
    }
  }
}

}  // namespace
}  // namespace attnscope::platform
