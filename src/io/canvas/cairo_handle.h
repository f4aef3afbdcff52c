// Cairo's objects, released when they go out of scope. Private to io/.
#pragma once

#include <cairo.h>

#include <memory>

#include "io/canvas/pixels.h"

namespace attnscope {

struct CairoRelease {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};

using CairoSurface = std::unique_ptr<cairo_surface_t, CairoRelease>;
using CairoContext = std::unique_ptr<cairo_t, CairoRelease>;

/// The pixels of an image surface in CAIRO_FORMAT_RGB24, which is without error and must outlive them.
PixelView pixels_of(cairo_surface_t* image);

/// An image surface that shows `image`, which must outlive it.
CairoSurface surface_of(PixelImage& image);

/// For cairo's stream functions: appends to the std::string that `text` is.
cairo_status_t append_bytes(void* text, const unsigned char* bytes, unsigned int count);

}  // namespace attnscope
