// What the tests of drawing share: matrices whose numbers can be read back from the colours on the screen.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "offscreen/offscreen.h"
#include "platform/heatmap/heatmap.h"

namespace attnscope::platform {

inline std::filesystem::path shader_folder() { return std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "shaders"; }

/// rows × columns numbers, row-major.
struct Numbers {
  Index rows;
  Index columns;
  std::vector<float> values;

  Numbers(Index row_count, Index column_count, float fill = 0)
      : rows(row_count), columns(column_count), values(static_cast<std::size_t>(row_count * column_count), fill) {}

  float& at(Index row, Index column) { return values[static_cast<std::size_t>(row * columns + column)]; }
  [[nodiscard]] MatrixView view() const { return {values.data(), rows, columns, columns, 1}; }

  /// Whole numbers from `least` to `most`.
  static Numbers random(Index rows, Index columns, int least, int most, unsigned seed) {
    Numbers numbers(rows, columns);
    std::mt19937 generator(seed);
    for (float& value : numbers.values) {
      value = static_cast<float>(least + static_cast<int>(generator() % static_cast<unsigned>(most - least + 1)));
    }
    return numbers;
  }
};

/// A colour map in which every step looks different: with limits 0 and 256, red is the whole number below the value.
inline const ColorLut& readable_colors() {
  static const ColorLut colors = [] {
    ColorLut made{};
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(255 - i), static_cast<std::uint8_t>(i * 7)};
    }
    return made;
  }();
  return colors;
}

inline constexpr Rgba kBackground = {0.2F, 0.4F, 0.6F, 1.0F};  // 51, 102, 153

using Pixel = std::array<std::uint8_t, 4>;
inline constexpr Pixel kBackgroundPixel = {51, 102, 153, 255};

/// The pixel that shows step `step` of `readable_colors`.
inline Pixel pixel_of(int step) {
  const auto& color = readable_colors()[static_cast<std::size_t>(step)];
  return {color[0], color[1], color[2], 255};
}

inline ::testing::AssertionResult near(const Pixel& found, const Pixel& wanted) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (std::abs(int{found[i]} - int{wanted[i]}) > 1) {
      auto failure = ::testing::AssertionFailure();
      for (const int channel : found) failure << channel << ' ';
      failure << "instead of ";
      for (const int channel : wanted) failure << channel << ' ';
      return failure;
    }
  }
  return ::testing::AssertionSuccess();
}

/// A framebuffer without a screen and a renderer for it.
class Drawing : public ::testing::Test {
 protected:
  void SetUp() override { start(64, 64, {}); }

  void start(int width, int height, const HeatmapOptions& options) {
    setenv("LIBGL_ALWAYS_SOFTWARE", "1", 1);
    // Mesa's renderer then draws in this thread: threads of its own are slow where other tests run beside this one.
    setenv("LP_NUM_THREADS", "0", 1);
    renderer.reset();
    if (!screen) {
      Result<OffscreenContext> made = OffscreenContext::create(width, height);
      ASSERT_TRUE(made) << made.error().message;
      screen = std::move(*made);
    }
    const Result<void> resized = screen->resize(width, height);
    ASSERT_TRUE(resized) << resized.error().message;
    Result<HeatmapRenderer> created = HeatmapRenderer::create(shader_folder(), options);
    ASSERT_TRUE(created) << created.error().message;
    renderer = std::move(*created);
  }

  /// All of the framebuffer, readable colours from 0 to 256.
  [[nodiscard]] HeatmapQuad quad(const MatrixView& matrix, std::uint64_t identity = 1) const {
    HeatmapQuad quad;
    quad.matrix = matrix;
    quad.identity = identity;
    quad.area = {0, 0, static_cast<double>(screen->width()), static_cast<double>(screen->height())};
    quad.clip = quad.area;
    quad.colors = &readable_colors();
    quad.low = 0;
    quad.high = 256;
    return quad;
  }

  [[nodiscard]] HeatmapQuad quad_of(std::shared_ptr<const MatrixSource> source) const {
    HeatmapQuad made = quad({});
    made.source = std::move(source);
    return made;
  }

  /// Frames until every tile is there; the last one.
  Image settled(const std::vector<HeatmapQuad>& quads) {
    Image image = draw(quads);
    for (int i = 0; renderer->loading(); ++i) {
      EXPECT_LT(i, 20000) << "the tiles never arrive";
      if (i == 20000) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      image = draw(quads);
    }
    return image;
  }

  /// One frame: the background, then the quads.
  Image draw(const std::vector<HeatmapQuad>& quads) {
    screen->clear(kBackground);
    renderer->begin_frame();
    renderer->draw(quads, screen->width(), screen->height());
    renderer->end_frame();
    return screen->read_pixels();
  }

  std::optional<OffscreenContext> screen;
  std::optional<HeatmapRenderer> renderer;
};

}  // namespace attnscope::platform
