// Heatmaps with more cells than pixels: no cell is skipped.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "drawing.h"
#include "platform/heatmap/heatmap.h"

namespace attnscope::platform {
namespace {

/// Cells [begin, end) of an axis.
struct Cells {
  Index begin;
  Index end;
};

/// The cells that pixel `pixel` of `pixels` touches, widened to whole groups of 2^level as the renderer merges them.
Cells cells_of_pixel(Index pixel, Index pixels, Index cells) {
  if (cells <= pixels) {
    const Index cell = (2 * pixel + 1) * cells / (2 * pixels);
    return {cell, cell + 1};
  }
  Index group = 1;
  while (2 * group * pixels <= cells) group *= 2;
  const Index begin = pixel * cells / pixels;
  const Index end = ((pixel + 1) * cells + pixels - 1) / pixels;
  return {begin / group * group, std::min((end + group - 1) / group * group, cells)};
}

float largest(const MatrixView& matrix, Cells rows, Cells columns) {
  float found = matrix.at(rows.begin, columns.begin);
  for (Index r = rows.begin; r < rows.end; ++r) {
    for (Index c = columns.begin; c < columns.end; ++c) found = std::max(found, matrix.at(r, c));
  }
  return found;
}

void expect_exact(const Image& image, const MatrixView& matrix) {
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const Cells rows = cells_of_pixel(y, image.height, matrix.rows);
      const Cells columns = cells_of_pixel(x, image.width, matrix.columns);
      const int wanted = static_cast<int>(largest(matrix, rows, columns));
      ASSERT_TRUE(near(image.pixel(x, y), pixel_of(wanted)))
          << x << ", " << y << " of " << image.width << " × " << image.height << " for " << matrix.rows << " × "
          << matrix.columns;
    }
  }
}

/// Mostly small numbers, so that the largest of many still differs from place to place.
Numbers mostly_small(Index rows, Index columns, unsigned seed) {
  Numbers numbers = Numbers::random(rows, columns, 0, 255, seed);
  for (float& value : numbers.values) value = value < 250 ? std::floor(value / 64) : value;
  return numbers;
}

TEST_F(Drawing, EachPixelShowsTheLargestOfItsCells) {
  struct Case {
    Index rows, columns;
    int height, width;
  };
  const std::vector<Case> cases = {{128, 128, 64, 64},  {65, 65, 64, 64},     {100, 100, 64, 64}, {127, 129, 64, 64},
                                   {1000, 777, 61, 53}, {191, 193, 64, 64},   {3, 5000, 60, 100}, {5000, 3, 64, 30},
                                   {1, 4097, 1, 64},    {257, 1, 3, 2},       {1025, 1025, 1, 1}, {513, 40, 17, 200},
                                   {2047, 31, 1023, 7}, {300, 7000, 299, 150}};
  for (const Case& item : cases) {
    start(item.width, item.height, {});
    const Numbers numbers = mostly_small(item.rows, item.columns, 11);
    expect_exact(draw({quad(numbers.view())}), numbers.view());
  }
}

TEST_F(Drawing, TransposedViewIsMinifiedAlike) {
  start(50, 40, {});
  const Numbers numbers = mostly_small(333, 555, 12);
  expect_exact(draw({quad(numbers.view())}), numbers.view());
  expect_exact(draw({quad(numbers.view().transposed())}), numbers.view().transposed());
  const MatrixView strided{numbers.values.data(), 166, 185, 1110, 3};
  expect_exact(draw({quad(strided)}), strided);
}

TEST_F(Drawing, EverySpikeOfALargeMatrixIsSeen) {
  Numbers numbers(4096, 4096);
  std::mt19937 generator(13);
  std::vector<std::pair<Index, Index>> spikes = {{0, 0}, {4095, 4095}, {0, 4095}, {4095, 0}};
  for (int i = 0; i < 300; ++i) spikes.emplace_back(generator() % 4096, generator() % 4096);
  for (const auto& [row, column] : spikes) numbers.at(row, column) = 200;
  std::uint64_t identity = 0;
  for (const auto& [width, height] : {std::pair{600, 500}, {1000, 1000}, {333, 777}, {64, 64}, {1, 1}, {3000, 90}}) {
    start(width, height, {});
    const Image image = draw({quad(numbers.view(), ++identity)});
    for (const auto& [row, column] : spikes) {
      const int x = static_cast<int>(column * width / 4096);
      const int y = static_cast<int>(row * height / 4096);
      EXPECT_TRUE(near(image.pixel(x, y), pixel_of(200)))
          << row << ", " << column << " at " << width << " × " << height;
    }
  }
}

TEST_F(Drawing, TheLastCellOfALongAxisIsSeen) {
  // 2^level is 1024 and more here: the last cell is a sliver of its texel and of its pixel.
  for (const Index cells : {1025, 65537, 100001, 1048577}) {
    for (const int width : {1, 2, 31, 64}) {
      Numbers numbers(1, cells);
      numbers.at(0, cells - 1) = 77;
      HeatmapQuad line = quad(numbers.view(), static_cast<std::uint64_t>(cells));
      line.area = {0, 0, static_cast<double>(width), 4};
      EXPECT_TRUE(near(draw({line}).pixel(width - 1, 2), pixel_of(77))) << cells << " in " << width;
    }
  }
}

TEST_F(Drawing, NoCellIsLostAtAnyWidthOrPlace) {
  // One cell lit at a time, at widths that do not divide: some pixel must show it.
  Numbers numbers(1, 203);
  for (const int width : {1, 7, 50, 63, 64}) {
    for (Index cell = 0; cell < numbers.columns; ++cell) {
      numbers.at(0, cell) = 99;
      HeatmapQuad line = quad(numbers.view(), static_cast<std::uint64_t>(cell));
      line.area = {0.4, 0, width + 0.3, 1};
      const Image image = draw({line});
      bool seen = false;
      for (int x = 0; x < 64; ++x) seen = seen || near(image.pixel(x, 0), pixel_of(99));
      EXPECT_TRUE(seen) << "cell " << cell << " at width " << width;
      numbers.at(0, cell) = 0;
    }
  }
}

TEST_F(Drawing, MagnitudeCountsAndNanWins) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Numbers numbers(64, 256, 1);
  numbers.at(0, 1) = -90;  // pixel 0: larger magnitude than 50
  numbers.at(0, 2) = 50;
  numbers.at(0, 4) = std::nanf("");  // pixel 1
  numbers.at(0, 5) = infinity;
  numbers.at(0, 9) = -infinity;  // pixel 2
  numbers.at(0, 12) = -40;       // pixel 3: the positive one of two alike
  numbers.at(0, 15) = 40;
  renderer->set_special_colors({{1, 0, 0, 1}, {0, 1, 0, 1}, {0, 0, 1, 1}});
  HeatmapQuad signs = quad(numbers.view());
  signs.low = -128;
  signs.high = 128;
  const Image image = draw({signs});
  EXPECT_TRUE(near(image.pixel(0, 0), pixel_of(128 - 90)));
  EXPECT_TRUE(near(image.pixel(1, 0), {255, 0, 0, 255}));
  EXPECT_TRUE(near(image.pixel(2, 0), {0, 0, 255, 255}));
  EXPECT_TRUE(near(image.pixel(3, 0), pixel_of(128 + 40)));
  EXPECT_TRUE(near(image.pixel(4, 0), pixel_of(128 + 1)));
}

TEST_F(Drawing, TiledLevelsShowTheSame) {
  // 16 texels per tile: every picture is made of many.
  struct Case {
    Index rows, columns;
    int height, width;
  };
  const std::vector<Case> cases = {{64, 64, 64, 64},   {100, 90, 64, 64}, {200, 200, 63, 61},
                                   {300, 50, 70, 200}, {17, 33, 64, 120}, {1000, 999, 64, 64}};
  for (const int side : {8, 16, 29}) {
    for (const Case& item : cases) {
      start(item.width, item.height, {.tile_side = side});
      const Numbers numbers = mostly_small(item.rows, item.columns, 14);
      expect_exact(draw({quad(numbers.view())}), numbers.view());
      EXPECT_GT(renderer->textures(), 1U);
    }
  }
}

TEST_F(Drawing, OnlyVisibleTilesAreSent) {
  start(64, 64, {.tile_side = 32});
  const Numbers numbers = Numbers::random(2000, 2000, 0, 255, 15);
  HeatmapQuad zoomed = quad(numbers.view());
  const double pitch = 10;
  zoomed.area = {-1000 * pitch, -1500 * pitch, 1000 * pitch, 500 * pitch};
  const Image image = draw({zoomed});
  EXPECT_LE(renderer->textures(), 4U);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      const int value = static_cast<int>(numbers.view().at(1500 + y / 10, 1000 + x / 10));
      ASSERT_TRUE(near(image.pixel(x, y), pixel_of(value))) << x << ", " << y;
    }
  }
}

TEST_F(Drawing, GapsAcrossTiles) {
  start(200, 64, {.tile_side = 8});
  const Numbers numbers = Numbers::random(1, 40, 0, 255, 16);
  HeatmapQuad spaced = quad(numbers.view());
  spaced.area = {0, 0, 40 * 5 - 1, 64};
  spaced.gap = 1;
  spaced.gap_color = {1, 1, 1, 1};
  const Image image = draw({spaced});
  for (int x = 0; x < 40 * 5 - 1; ++x) {
    const Pixel cell = pixel_of(static_cast<int>(numbers.view().at(0, x / 5)));
    ASSERT_TRUE(near(image.pixel(x, 9), x % 5 == 4 ? Pixel{255, 255, 255, 255} : cell)) << x;
  }
}

}  // namespace
}  // namespace attnscope::platform
