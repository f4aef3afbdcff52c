// PNG files in memory, written and read by libpng. Private to io/.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "io/canvas/pixels.h"

namespace attnscope {

/// A text of a PNG file under its keyword (chunk iTXt), in UTF-8.
struct PngText {
  std::string keyword;  ///< Latin-1, 1 to 79 bytes
  std::string text;
};

/// An image as a PNG file. With `dpi` it says how large it is in print (chunk pHYs). The same pixels give the same bytes,
/// without a date. Long texts are compressed, unless they are longer than 4 MB. An image without pixels is an error, and so is a stop.
Result<std::string> png_bytes(const PixelView& image, int dpi = 0, std::span<const PngText> texts = {},
                              const StopToken& stop = {});

/// The width and height in a PNG file's header, where it has one at its beginning.
struct PngSize {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};
Result<PngSize> png_size(std::string_view bytes);

/// The pixels of a PNG file of any kind with 1 to kMaxPngSide of them along a side: rows from the top, each of red,
/// green, blue and opacity in 8 bits. Memory is taken for those, for a row, and for nothing else in the file. Refuses
/// damaged and incomplete files, and those that unpack to more than their pixels.
Result<std::vector<std::uint8_t>> png_pixels(std::string_view bytes);

/// Pixels along a side that `png_pixels` reads.
inline constexpr std::uint32_t kMaxPngSide = 16'384;

}  // namespace attnscope
