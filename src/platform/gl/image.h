// An image in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attnscope::platform {

/// Red, green, blue and alpha, each 0–1, not premultiplied, in the display's (sRGB) encoding.
using Rgba = std::array<float, 4>;

/// An image: `height` rows of `width` pixels, top row first, four bytes (red, green, blue, alpha) per pixel.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;

  /// The four bytes of the pixel in column `x`, row `y`; both count from the top left corner.
  [[nodiscard]] std::array<std::uint8_t, 4> pixel(int x, int y) const {
    const std::size_t at =
        4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
    return {rgba[at], rgba[at + 1], rgba[at + 2], rgba[at + 3]};
  }
};

/// A rectangle on the framebuffer, in pixels from its top left corner, y downwards. On a HiDPI screen these are device
/// pixels: screen coordinates times the framebuffer's scale. May reach beyond the framebuffer; a
/// rectangle with a corner more than 2^30 pixels away is not drawn.
struct PixelRect {
  double x0 = 0;
  double y0 = 0;
  double x1 = 0;
  double y1 = 0;
};

/// A rectangle in one colour, rounded to whole pixels.
struct ColoredArea {
  PixelRect area;
  Rgba color = {0, 0, 0, 1};
};

}  // namespace attnscope::platform
