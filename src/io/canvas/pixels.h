// Images in memory, whatever paints or writes them. Private to io/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "figure/style/colormap.h"

namespace attnscope {

/// An opaque colour as in an image: a byte each of 255, red, green and blue, from the most to the least significant.
constexpr std::uint32_t pixel_of(Rgb color) {
  return 0xFF000000U | (static_cast<std::uint32_t>(color.red) << 16U) |
         (static_cast<std::uint32_t>(color.green) << 8U) | color.blue;
}

/// Pixels that somebody else holds, as `pixel_of` makes them; the most significant byte does not count.
struct PixelView {
  const std::uint32_t* pixels = nullptr;
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t stride = 0;  ///< pixels from the beginning of a row to that of the next
};

/// Rows of pixels from the top.
struct PixelImage {
  std::size_t width = 0;
  std::size_t height = 0;
  std::vector<std::uint32_t> pixels;  ///< height × width

  [[nodiscard]] PixelView view() const { return {pixels.data(), width, height, width}; }
};

}  // namespace attnscope
