#include "platform/lines/line_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/base/thread_pool.h"
#include "offscreen/offscreen.h"
#include "platform/lines/line_layer.h"

namespace attnscope::platform {
namespace {

using Pixel = std::array<std::uint8_t, 4>;

Image drawn(const std::vector<TranslucentLine>& lines, const PixelArea& area) {
  return draw_lines(lines, area, nullptr);
}

constexpr Rgba kRed = {1, 0, 0, 1};

TEST(LineImage, AnUprightEdgeOnAPixelsBorderIsCrisp) {
  // Two pixels wide, in rows 3 and 4, from column 2 to half of column 7.
  const Image image = drawn({{2, 4, 7.5F, 4, 2, kRed}}, {0, 0, 10, 8});
  ASSERT_EQ(image.width, 10);
  ASSERT_EQ(image.height, 8);
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 10; ++x) {
      const bool inside = (y == 3 || y == 4) && x >= 2 && x <= 7;
      const std::uint8_t alpha = !inside ? 0 : x == 7 ? 128 : 255;
      EXPECT_EQ(image.pixel(x, y), (Pixel{inside ? std::uint8_t{255} : std::uint8_t{0}, 0, 0, alpha})) << x << " " << y;
    }
  }
}

TEST(LineImage, ThinLinesAreFaintAndShareWhatTheyTouch) {
  // A quarter of a pixel, in the middle of row 1; then half a pixel on the border of rows 1 and 2.
  const Image thin = drawn({{0, 1.5F, 4, 1.5F, 0.25F, kRed}}, {0, 0, 4, 4});
  EXPECT_EQ(thin.pixel(1, 1), (Pixel{255, 0, 0, 64}));
  EXPECT_EQ(thin.pixel(1, 0)[3], 0);
  const Image between = drawn({{0, 2, 4, 2, 0.5F, kRed}}, {0, 0, 4, 4});
  EXPECT_EQ(between.pixel(1, 1)[3], 64);
  EXPECT_EQ(between.pixel(1, 2)[3], 64);
}

TEST(LineImage, LaterLinesCoverEarlierOnes) {
  const TranslucentLine red = {0, 1, 4, 1, 2, {1, 0, 0, 1}};
  const TranslucentLine half_blue = {0, 1, 4, 1, 2, {0, 0, 1, 0.5F}};
  EXPECT_EQ(drawn({red, half_blue}, {0, 0, 4, 2}).pixel(1, 1), (Pixel{128, 0, 128, 255}));
  EXPECT_EQ(drawn({half_blue, red}, {0, 0, 4, 2}).pixel(1, 1), (Pixel{255, 0, 0, 255}));
  // ½ and then ½ of the rest; the colour is not darkened by what is not there.
  EXPECT_EQ(drawn({half_blue, half_blue}, {0, 0, 4, 2}).pixel(1, 1), (Pixel{0, 0, 255, 191}));
}

TEST(LineImage, AThousandFaintLinesAreNotLost) {
  const std::vector<TranslucentLine> lines(1000, {0, 1, 4, 1, 2, {0, 1, 0, 0.001F}});
  const Pixel pixel = draw_lines(lines, {0, 0, 4, 2}, nullptr).pixel(2, 0);
  EXPECT_NEAR(pixel[3], 255 * (1 - std::pow(0.999, 1000)), 1.0);
  EXPECT_EQ(pixel[1], 255);
}

TEST(LineImage, WhatIsNoLineDrawsNothing) {
  const std::vector<TranslucentLine> lines = {{3, 1, 3, 2, 1, kRed},
                                              {4, 1, 1, 2, 1, kRed},
                                              {0, 1, 4, 1, 0, kRed},
                                              {0, 1, 4, 1, 1, {1, 0, 0, 0}},
                                              {0, NAN, 4, 1, 1, kRed}};
  const Image image = draw_lines(lines, {0, 0, 5, 5}, nullptr);
  EXPECT_TRUE(std::all_of(image.rgba.begin(), image.rgba.end(), [](std::uint8_t byte) { return byte == 0; }));
  EXPECT_TRUE(draw_lines(lines, {0, 0, 0, 5}, nullptr).rgba.empty());
  EXPECT_TRUE(draw_lines(lines, {0, 0, 5, -1}, nullptr).rgba.empty());
}

/// Which share of 32 × 32 points in the pixel lie within the line.
double sampled_cover(const TranslucentLine& line, int x, int y) {
  constexpr int kSamples = 32;
  const double length = std::hypot(line.x1 - line.x0, line.y1 - line.y0);
  const double along_x = static_cast<double>(line.x1 - line.x0) / length;
  const double along_y = static_cast<double>(line.y1 - line.y0) / length;
  int inside = 0;
  for (int i = 0; i < kSamples * kSamples; ++i) {
    const double px = x + (i % kSamples + 0.5) / kSamples - static_cast<double>(line.x0);
    const double py = y + (i / kSamples + 0.5) / kSamples - static_cast<double>(line.y0);
    const double across = std::abs(px * along_y - py * along_x);
    if (across <= static_cast<double>(line.width) / 2) ++inside;
  }
  return static_cast<double>(inside) / (kSamples * kSamples);
}

TEST(LineImage, SlopesCoverTheirShareOfEveryPixel) {
  for (const float y1 : {5.0F, 17.0F, 60.0F, 95.0F}) {
    const TranslucentLine line = {0, 5, 30, y1, 2.5F, kRed};
    const Image image = drawn({line}, {0, 0, 30, 100});
    double sum = 0;
    double expected_sum = 0;
    for (int y = 0; y < 100; ++y) {
      for (int x = 2; x < 28; ++x) {
        const double expected = sampled_cover(line, x, y);
        const double cover = image.pixel(x, y)[3] / 255.0;
        EXPECT_NEAR(cover, expected, 0.13) << "to " << y1 << " at " << x << " " << y;
        sum += cover;
        expected_sum += expected;
      }
    }
    EXPECT_NEAR(sum, expected_sum, 0.01 * expected_sum) << "to " << y1;
  }
}

std::vector<TranslucentLine> many_lines() {
  std::mt19937 generator(7);
  const auto number = [&](float most) { return most * static_cast<float>(generator() % 1000) / 1000; };
  std::vector<TranslucentLine> lines;
  for (int i = 0; i < 2000; ++i)
    lines.push_back({20, number(200), 180, number(200), 1 + number(2), {number(1), number(1), number(1), number(1)}});
  return lines;
}

TEST(LineImage, ThreadsAndAPartOfTheAreaMakeNoDifference) {
  const std::vector<TranslucentLine> lines = many_lines();
  ThreadPool pool(3);
  const Image whole = draw_lines(lines, {0, 0, 200, 200}, nullptr);
  EXPECT_EQ(draw_lines(lines, {0, 0, 200, 200}, &pool).rgba, whole.rgba);
  const Image part = draw_lines(lines, {37, 50, 90, 61}, &pool);
  int worst = 0;
  for (int y = 0; y < 61; ++y) {
    for (int x = 0; x < 90; ++x) {
      for (std::size_t i = 0; i < 4; ++i)
        worst = std::max(worst, std::abs(part.pixel(x, y)[i] - whole.pixel(x + 37, y + 50)[i]));
    }
  }
  // Places in an area are rounded as they are in it.
  EXPECT_LE(worst, 1);
}

TEST(LineLayer, DrawsAnewForOtherLinesOnly) {
  Result<OffscreenContext> context = OffscreenContext::create(32, 32);
  ASSERT_TRUE(context.has_value()) << context.error().message;
  LineLayer layer;
  std::vector<TranslucentLine> lines = many_lines();
  const unsigned name = layer.texture(lines, {0, 0, 32, 32});
  EXPECT_NE(name, 0U);
  EXPECT_EQ(layer.texture(lines, {0, 0, 32, 32}), name);
  EXPECT_EQ(layer.pictures(), 1U);
  lines[1500].color[3] += 0.1F;
  layer.texture(lines, {0, 0, 32, 32});
  EXPECT_EQ(layer.pictures(), 2U);
  layer.texture(lines, {0, 1, 32, 32});
  EXPECT_EQ(layer.pictures(), 3U);
}

}  // namespace
}  // namespace attnscope::platform
