// PNG files in memory. Private to io/.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "io/cairo_handle.h"

namespace attnscope {

inline constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1A\n";

/// A text of a PNG file under its keyword (chunk iTXt), in UTF-8.
struct PngText {
  std::string keyword;  ///< Latin-1, 1 to 79 bytes
  std::string text;
};

/// The image as a PNG file. With `dpi` it says how large it is to be printed (chunk pHYs). The same pixels give the
/// same bytes; there is no date in them. Long texts are packed.
Result<std::string> png_bytes(cairo_surface_t* image, int dpi = 0, std::span<const PngText> texts = {});

/// The first four bytes as a number, the first one counting most.
std::uint32_t big_endian(std::string_view bytes);

/// Of a chunk's name and content.
std::uint32_t chunk_checksum(std::string_view bytes);

/// For cairo's stream functions: appends to the std::string that `text` is.
cairo_status_t append_bytes(void* text, const unsigned char* bytes, unsigned int count);

}  // namespace attnscope
