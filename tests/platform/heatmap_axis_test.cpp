// The arithmetic of pixels, cells and tiles, without drawing anything.
#include "platform/heatmap_axis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/kernels/pooling.h"
#include "platform/magnitude.h"

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

TEST(Magnitude, KeysOrderAsTheNumbersDo) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> ascending = {-0.0F, 0.0F,  -1e-45F,   1e-45F,   -1,           1,
                                        -2,    3e38F, -infinity, infinity, std::nanf("")};
  for (std::size_t i = 0; i + 1 < ascending.size(); ++i) {
    const auto lower = std::bit_cast<std::uint32_t>(ascending[i]);
    const auto higher = std::bit_cast<std::uint32_t>(ascending[i + 1]);
    EXPECT_LT(magnitude_key(lower), magnitude_key(higher)) << ascending[i] << ", " << ascending[i + 1];
    EXPECT_EQ(bits_of_key(magnitude_key(lower)), lower);
  }
}

TEST(Magnitude, PoolingAgreesWithTheOneOfTheFigures) {
  std::mt19937 generator(43);
  std::vector<float> values(960);
  // No two of the same magnitude: there the two may choose differently.
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1) * (i % 3 == 0 ? -1.0F : 1.0F);
  std::shuffle(values.begin(), values.end(), generator);
  const MatrixView matrix{values.data(), 24, 40, 40, 1};
  for (const MatrixView& view : {matrix, matrix.transposed()}) {
    const TileRegion region{2, 3, 0, 0, static_cast<int>(view.rows / 4), static_cast<int>(view.columns / 8)};
    const std::vector<float> wanted = pool_magnitude(view, region.rows, region.columns);
    const std::vector<std::uint32_t> found = pool_region(view, region);
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(std::bit_cast<float>(found[i]), wanted[i]);
  }
}

}  // namespace
}  // namespace attnscope::platform
