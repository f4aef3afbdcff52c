// A picture in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace attnscope::platform {

/// Red, green, blue and alpha, each 0–1, not premultiplied, in the display's own (sRGB) encoding.
using Rgba = std::array<float, 4>;

/// A picture: `height` rows of `width` pixels, the top row first, four bytes (red, green, blue, alpha) per pixel.
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

}  // namespace attnscope::platform
