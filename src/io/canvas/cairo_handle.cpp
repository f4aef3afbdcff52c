#include "io/canvas/cairo_handle.h"

#include <exception>
#include <string>

namespace attnscope {

PixelView pixels_of(cairo_surface_t* image) {
  cairo_surface_flush(image);
  return {reinterpret_cast<const std::uint32_t*>(cairo_image_surface_get_data(image)),
          static_cast<std::size_t>(cairo_image_surface_get_width(image)),
          static_cast<std::size_t>(cairo_image_surface_get_height(image)),
          static_cast<std::size_t>(cairo_image_surface_get_stride(image)) / sizeof(std::uint32_t)};
}

CairoSurface surface_of(PixelImage& image) {
  return CairoSurface(cairo_image_surface_create_for_data(
      reinterpret_cast<unsigned char*>(image.pixels.data()), CAIRO_FORMAT_RGB24, static_cast<int>(image.width),
      static_cast<int>(image.height), static_cast<int>(image.width * sizeof(std::uint32_t))));
}

cairo_status_t append_bytes(void* text, const unsigned char* bytes, unsigned int count) {
  // Called from C, which no exception may pass.
  try {
    static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
  } catch (const std::exception&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
}

}  // namespace attnscope
