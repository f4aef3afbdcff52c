// PNG files in memory. Private to io/.
#pragma once

#include <string>

#include "core/result.h"
#include "io/cairo_handle.h"

namespace attnscope {

/// The image as a PNG file. With `dpi` it says how large it is to be printed (chunk pHYs). The same pixels give the
/// same bytes; there is no date in them.
Result<std::string> png_bytes(cairo_surface_t* image, int dpi = 0);

/// For cairo's stream functions: appends to the std::string that `text` is.
cairo_status_t append_bytes(void* text, const unsigned char* bytes, unsigned int count);

}  // namespace attnscope
