// Whether two pictures of the same thing, drawn by different programs, show the same.
#pragma once

#include <cstdint>
#include <vector>

namespace attnscope::test {

/// Raster in rows, three bytes each.
struct Raster {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> bytes;

  /// Of anything that has `at(x, y)` with red, green and blue; from `left` and `top` on.
  template <typename Source>
  static Raster of(const Source& source, int left, int top, int width, int height) {
    Raster pixels = {width, height, {}};
    pixels.bytes.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3);
    for (int y = top; y < top + height; ++y) {
      for (int x = left; x < left + width; ++x) {
        const auto color = source.at(x, y);
        pixels.bytes.push_back(color.red);
        pixels.bytes.push_back(color.green);
        pixels.bytes.push_back(color.blue);
      }
    }
    return pixels;
  }
};

/// Whole pixels, to but not with `right` and `bottom`.
struct PixelBox {
  int left;
  int top;
  int right;
  int bottom;
};

/// How far a picture is outside of what another one allows for, in steps of 8-bit colours.
struct Unlikeness {
  double mean = 0;   ///< of all pixels
  double worst = 0;  ///< the mean of that block of 8 × 8 pixels that is outside the most
  int x = 0;         ///< its left upper corner
  int y = 0;
};

/// How far `a` is outside of what `b` allows for, and the other way round: a pixel may have any colour between those of
/// the other's pixels that are at most `reach` to its sides. There edges of shapes and letters may lie, smooth or not;
/// what is missing, moved by more than that or of another colour is outside with all of its pixels. Raster in `without`
/// are not looked at. Pictures that are larger on one side are compared as far as both reach.
Unlikeness unlikeness(const Raster& a, const Raster& b, int reach, const std::vector<PixelBox>& without = {});

}  // namespace attnscope::test
