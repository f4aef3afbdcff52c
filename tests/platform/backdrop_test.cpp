#include "platform/gl/backdrop.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>

namespace attnscope::platform {
namespace {

constexpr int kWidth = 40;
constexpr int kHeight = 30;

using Pixels = std::vector<float>;

void fill(Pixels& pixels, const Fill& fill) {
  for (int y = fill.y0; y < fill.y1; ++y) {
    for (int x = fill.x0; x < fill.x1; ++x)
      pixels.at(static_cast<std::size_t>(y) * kWidth + static_cast<std::size_t>(x)) = fill.color[0];
  }
}

Pixels painted(const Backdrop& backdrop) {
  Pixels pixels(std::size_t{kWidth} * kHeight, backdrop.color[0]);
  for (const Fill& each : backdrop.fills) fill(pixels, each);
  return pixels;
}

Rgba gray(float level) { return {level, level, level, 1}; }

TEST(Backdrop, LooksLikeTheAreasOneAfterTheOther) {
  std::mt19937 random(4);
  const auto any = [&](int most) { return std::uniform_int_distribution<int>(0, most)(random); };
  for (int run = 0; run < 500; ++run) {
    std::vector<ColoredArea> areas;
    Pixels expected(std::size_t{kWidth} * kHeight, 0);
    for (int i = any(6); i > 0; --i) {
      const int x = any(kWidth);
      const int y = any(kHeight);
      const Fill area = {x, y, x + any(kWidth - x), y + any(kHeight - y), gray(static_cast<float>(any(3)))};
      areas.push_back({{static_cast<double>(area.x0), static_cast<double>(area.y0), static_cast<double>(area.x1),
                        static_cast<double>(area.y1)},
                       area.color});
      fill(expected, area);
    }
    const Backdrop backdrop = plan_backdrop(kWidth, kHeight, gray(0), areas);
    ASSERT_EQ(painted(backdrop), expected);
    std::size_t pixels = 0;
    for (const Fill& each : backdrop.fills)
      pixels += static_cast<std::size_t>((each.x1 - each.x0) * (each.y1 - each.y0));
    EXPECT_LE(pixels, expected.size() * 3 / 4) << "of four colours the most frequent one is filled at once";
  }
}

TEST(Backdrop, RoundsToWholePixelsWithinTheFramebuffer) {
  const std::vector<ColoredArea> areas = {{{-5, 9.6, 100, 1e9}, gray(1)}};
  const Backdrop backdrop = plan_backdrop(kWidth, kHeight, gray(0), areas);
  EXPECT_EQ(backdrop.color, gray(1));
  ASSERT_EQ(backdrop.fills.size(), 1U);
  EXPECT_EQ(backdrop.fills[0].y1, 10);
  EXPECT_EQ(backdrop.fills[0].color, gray(0));
}

TEST(Backdrop, PartsOfAWindowAreFilledOnceEach) {
  // A bar, a line below it, and two panels with a line between them.
  const std::vector<ColoredArea> areas = {
      {{0, 0, 40, 4}, gray(1)}, {{0, 5, 9, 30}, gray(1)}, {{10, 5, 40, 15}, gray(2)}, {{10, 15, 40, 30}, gray(2)}};
  const Backdrop backdrop = plan_backdrop(kWidth, kHeight, gray(0), areas);
  EXPECT_EQ(backdrop.color, gray(2));
  EXPECT_EQ(backdrop.fills.size(), 4U);
}

}  // namespace
}  // namespace attnscope::platform
