// Heatmaps at a pixel per cell and more: colours, gaps, clip, scales.
#include "platform/heatmap/heatmap.h"

#include <bit>
#include <cmath>
#include <limits>

#include "drawing.h"
#include "support/floats.h"

namespace attnscope::platform {
namespace {

using test::kInfinity;
using test::kNaN;

TEST_F(Drawing, EveryCellHasItsColour) {
  const Numbers numbers = Numbers::random(8, 16, 0, 255, 1);
  const Image image = draw({quad(numbers.view())});
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      const int value = static_cast<int>(numbers.view().at(y / 8, x / 4));
      ASSERT_TRUE(near(image.pixel(x, y), pixel_of(value))) << x << ", " << y;
    }
  }
}

TEST_F(Drawing, OneCellPerPixel) {
  const Numbers numbers = Numbers::random(64, 64, 0, 255, 2);
  const Image image = draw({quad(numbers.view())});
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      ASSERT_TRUE(near(image.pixel(x, y), pixel_of(static_cast<int>(numbers.view().at(y, x))))) << x << ", " << y;
    }
  }
}

TEST_F(Drawing, StridedAndTransposedViews) {
  const Numbers numbers = Numbers::random(32, 32, 0, 255, 3);
  MatrixView inner{numbers.values.data() + 5, 16, 8, 64, 3};  // every second row, every third column
  const Image strided = draw({quad(inner)});
  const Image transposed = draw({quad(inner.transposed())});
  const Image turned = draw({quad(numbers.view().transposed(), 2)});
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      ASSERT_TRUE(near(strided.pixel(x, y), pixel_of(static_cast<int>(inner.at(y / 4, x / 8)))));
      ASSERT_TRUE(near(transposed.pixel(x, y), pixel_of(static_cast<int>(inner.at(x / 4, y / 8)))));
      ASSERT_TRUE(near(turned.pixel(x, y), pixel_of(static_cast<int>(numbers.view().at(x / 2, y / 2)))));
    }
  }
}

TEST_F(Drawing, RepeatedRowOfStrideZero) {
  const Numbers numbers = Numbers::random(1, 16, 0, 255, 4);
  const Image image = draw({quad({numbers.values.data(), 8, 16, 0, 1})});
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      ASSERT_TRUE(near(image.pixel(x, y), pixel_of(static_cast<int>(numbers.view().at(0, x / 4)))));
    }
  }
}

TEST_F(Drawing, OddSizesKeepEdgesAtRoundedPlaces) {
  const Numbers numbers = Numbers::random(5, 7, 0, 255, 5);
  HeatmapQuad odd = quad(numbers.view());
  odd.area = {2, 1, 61, 54};  // 59 × 53 pixels for 7 × 5 cells
  const Image image = draw({odd});
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      const bool inside = x >= 2 && x < 61 && y >= 1 && y < 54;
      const int column = static_cast<int>(std::floor((x - 2 + 0.5) * 7 / 59));
      const int row = static_cast<int>(std::floor((y - 1 + 0.5) * 5 / 53));
      const Pixel wanted = inside ? pixel_of(static_cast<int>(numbers.view().at(row, column))) : kBackgroundPixel;
      ASSERT_TRUE(near(image.pixel(x, y), wanted)) << x << ", " << y;
    }
  }
}

TEST_F(Drawing, GapsAreWholePixelsBetweenCellsOnly) {
  const Numbers numbers = Numbers::random(4, 6, 0, 255, 6);
  for (const int gap : {1, 2, 3}) {
    HeatmapQuad spaced = quad(numbers.view());
    spaced.area = {3, 5, 3 + 6 * 9.0 - gap, 5 + 4 * 9.0 - gap};  // a pitch of 9 pixels
    spaced.gap = gap;
    spaced.gap_color = {1, 1, 1, 1};
    const Image image = draw({spaced});
    for (int y = 5; y < 5 + 4 * 9 - gap; ++y) {
      for (int x = 3; x < 3 + 6 * 9 - gap; ++x) {
        const bool in_gap = (x - 3) % 9 >= 9 - gap || (y - 5) % 9 >= 9 - gap;
        const Pixel cell = pixel_of(static_cast<int>(numbers.view().at((y - 5) / 9, (x - 3) / 9)));
        ASSERT_TRUE(near(image.pixel(x, y), in_gap ? Pixel{255, 255, 255, 255} : cell))
            << gap << ": " << x << ", " << y;
      }
    }
    EXPECT_TRUE(near(image.pixel(3 + 6 * 9 - gap, 10), kBackgroundPixel));
  }
}

TEST_F(Drawing, GapsAreEquallyWideAtAnyPitch) {
  const Numbers numbers(1, 7, 128);
  for (int width = 14; width <= 64; ++width) {
    HeatmapQuad spaced = quad(numbers.view());
    spaced.area = {0, 0, static_cast<double>(width), 10};
    spaced.gap = 1;
    spaced.gap_color = {0, 0, 0, 0};
    const Image image = draw({spaced});
    int gaps = 0;
    for (int x = 0; x < width; ++x) {
      if (near(image.pixel(x, 5), kBackgroundPixel)) {
        ++gaps;
        ASSERT_TRUE(near(image.pixel(x + 1, 5), pixel_of(128))) << width << ": two pixels of gap at " << x;
      }
    }
    EXPECT_EQ(gaps, 6) << width;
  }
}

TEST_F(Drawing, NoGapWhereNothingOfTheCellWouldRemain) {
  const Numbers numbers(40, 40, 9);
  HeatmapQuad spaced = quad(numbers.view());
  spaced.gap = 1;
  spaced.gap_color = {1, 1, 1, 1};
  const Image image = draw({spaced});
  for (int i = 0; i < 64; ++i) EXPECT_TRUE(near(image.pixel(i, i), pixel_of(9)));
}

TEST_F(Drawing, WhatIsNoNumberHasItsOwnColour) {
  Numbers numbers(1, 4, 3);
  numbers.at(0, 0) = kNaN;
  numbers.at(0, 1) = kInfinity;
  numbers.at(0, 2) = -kInfinity;
  renderer->set_special_colors({{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}});
  for (const bool logarithmic : {false, true}) {
    HeatmapQuad special = quad(numbers.view());
    special.logarithmic = logarithmic;
    special.low = logarithmic ? 3 : 0;
    const Image image = draw({special});
    EXPECT_TRUE(near(image.pixel(8, 8), {255, 0, 0, 255}));
    EXPECT_TRUE(near(image.pixel(24, 8), {0, 255, 0, 255}));
    EXPECT_TRUE(near(image.pixel(40, 8), {0, 0, 255, 255}));
    EXPECT_TRUE(near(image.pixel(56, 8), pixel_of(logarithmic ? 0 : 3)));
  }
}

TEST_F(Drawing, OneNumberCanHaveItsOwnColour) {
  for (const float fill : {-9e15F, -kInfinity, 0.0F}) {
    Numbers numbers(1, 4, 3);
    numbers.at(0, 1) = fill;
    numbers.at(0, 2) = kNaN;
    HeatmapQuad masked = quad(numbers.view());
    masked.identity = std::bit_cast<std::uint32_t>(fill);  // other numbers at the same place
    masked.special = fill;
    masked.special_color = {0, 1, 0, 1};
    const Image image = draw({masked});
    EXPECT_TRUE(near(image.pixel(8, 8), pixel_of(3))) << fill;
    EXPECT_TRUE(near(image.pixel(24, 8), {0, 255, 0, 255})) << fill;
    EXPECT_FALSE(near(image.pixel(40, 8), {0, 255, 0, 255})) << "NaN";
  }
}

/// The step of the map that one number gets.
TEST_F(Drawing, LimitsClampRunBackwardsOrCoincide) {
  constexpr float largest = std::numeric_limits<float>::max();
  struct Case {
    float value, low, high;
    bool logarithmic;
    int step;
  };
  const std::vector<Case> cases = {
      {-5, 0, 1, false, 0},
      {7, 0, 1, false, 255},
      {0, -1, 1, false, 128},
      {0.25F, 1, 0, false, 192},
      {2, 2, 2, false, 128},
      {1.5F, 2, 2, false, 0},
      {3, 2, 2, false, 255},
      {0, 0, 0, false, 128},
      {0, -largest, largest, false, 128},
      {largest, -largest, largest, false, 255},
      {-largest, -largest, largest, false, 0},
      {2.5e-38F, 2e-38F, 3e-38F, false, 127},
      {largest, 0, 1, false, 255},
      {10, 1, 100, true, 128},
      {0, 1, 100, true, 0},
      {-3, 1, 100, true, 0},
      {0.5F, 1, 100, true, 0},
      {1000, 1, 100, true, 255},
      {-1, 0, 100, true, 0},
      {5, kNaN, 100, false, 255},
      {-5, 0, kInfinity, false, 0},
      {1e-30F, 1e-38F, 1e-22F, true, 128},
  };
  for (const Case& item : cases) {
    const Numbers one(1, 1, item.value);
    HeatmapQuad scaled = quad(one.view());
    scaled.identity = static_cast<std::uint64_t>(&item - cases.data());
    scaled.low = item.low;
    scaled.high = item.high;
    scaled.logarithmic = item.logarithmic;
    const Pixel found = draw({scaled}).pixel(30, 30);
    // A logarithm may round to the step below.
    EXPECT_NEAR(found[0], item.step, item.logarithmic || item.step == 127 ? 1 : 0)
        << item.value << " from " << item.low << " to " << item.high;
  }
}

TEST_F(Drawing, NothingOutsideTheClipOrTheFramebuffer) {
  const Numbers numbers = Numbers::random(10, 10, 0, 255, 7);
  HeatmapQuad clipped = quad(numbers.view());
  clipped.area = {-50, -30, 150, 170};  // 20 pixels per cell
  clipped.clip = {10, 20, 41, 33};
  const Image image = draw({clipped});
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      const bool inside = x >= 10 && x < 41 && y >= 20 && y < 33;
      const int value = static_cast<int>(numbers.view().at((y + 30) / 20, (x + 50) / 20));
      ASSERT_TRUE(near(image.pixel(x, y), inside ? pixel_of(value) : kBackgroundPixel)) << x << ", " << y;
    }
  }
  clipped.clip = {-1000, -1000, 1000, 1000};
  EXPECT_TRUE(near(draw({clipped}).pixel(63, 63), pixel_of(static_cast<int>(numbers.view().at(4, 5)))));
}

TEST_F(Drawing, NothingForWhatCannotBeDrawn) {
  const Numbers numbers(2, 2, 5);
  HeatmapQuad empty = quad({});
  HeatmapQuad no_rows = quad({numbers.values.data(), 0, 2, 2, 1});
  HeatmapQuad nowhere = quad(numbers.view());
  nowhere.area.x0 = std::nan("");
  HeatmapQuad hidden = quad(numbers.view());
  hidden.clip = {20, 20, 20, 40};
  HeatmapQuad elsewhere = quad(numbers.view());
  elsewhere.area = {500, 500, 600, 600};
  const Image image = draw({empty, no_rows, nowhere, hidden, elsewhere});
  for (int i = 0; i < 64; ++i) EXPECT_TRUE(near(image.pixel(i, i), kBackgroundPixel));
  EXPECT_EQ(renderer->uploads(), 0U);
}

TEST_F(Drawing, FarInsideALargeMatrix) {
  const Numbers numbers = Numbers::random(3000, 3000, 0, 255, 8);
  HeatmapQuad deep = quad(numbers.view());
  // 100 pixels per cell, looking at the corner shared by rows 2998 and 2999, columns 2499 and 2500.
  deep.area = {-250000.0 + 30, -299900.0 + 40, 50000.0 + 30, 100.0 + 40};
  const Image image = draw({deep});
  EXPECT_TRUE(near(image.pixel(29, 39), pixel_of(static_cast<int>(numbers.view().at(2998, 2499)))));
  EXPECT_TRUE(near(image.pixel(30, 39), pixel_of(static_cast<int>(numbers.view().at(2998, 2500)))));
  EXPECT_TRUE(near(image.pixel(29, 40), pixel_of(static_cast<int>(numbers.view().at(2999, 2499)))));
  EXPECT_TRUE(near(image.pixel(30, 40), pixel_of(static_cast<int>(numbers.view().at(2999, 2500)))));
}

TEST_F(Drawing, SeveralMapsInOneDraw) {
  const Numbers numbers(1, 1, 100);
  ColorLut green{};
  green.fill({0, 200, 0});
  HeatmapQuad left = quad(numbers.view());
  left.area = {0, 0, 32, 64};
  HeatmapQuad right = quad(numbers.view());
  right.area = {32, 0, 64, 64};
  right.colors = &green;
  const Image image = draw({left, right, left});
  EXPECT_TRUE(near(image.pixel(31, 8), pixel_of(100)));
  EXPECT_TRUE(near(image.pixel(32, 8), {0, 200, 0, 255}));
  EXPECT_EQ(renderer->uploads(), 1U);
  green.fill({0, 0, 77});  // the same address with other colours
  EXPECT_TRUE(near(draw({right}).pixel(50, 8), {0, 0, 77, 255}));
}

}  // namespace
}  // namespace attnscope::platform
