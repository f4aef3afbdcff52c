// PNG files in memory. Private to io/.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "io/canvas/cairo_handle.h"
#include "io/canvas/png_chunk.h"

namespace attnscope {

/// A text of a PNG file under its keyword (chunk iTXt), in UTF-8.
struct PngText {
  std::string keyword;  ///< Latin-1, 1 to 79 bytes
  std::string text;
};

/// The image as a PNG file. With `dpi` it says how large it is to be printed (chunk pHYs). The same pixels give the
/// same bytes; there is no date in them. Long texts are packed.
Result<std::string> png_bytes(cairo_surface_t* image, int dpi = 0, std::span<const PngText> texts = {});

/// For cairo's stream functions: appends to the std::string that `text` is.
cairo_status_t append_bytes(void* text, const unsigned char* bytes, unsigned int count);

}  // namespace attnscope
