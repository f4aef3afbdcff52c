#include "io/canvas/text_image.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "io/canvas/cairo_canvas.h"
#include "io/canvas/cairo_handle.h"

namespace attnscope {
namespace {

/// The smallest box that holds all pixels that are not transparent.
struct Extents {
  int left;
  int top;
  int right = 0;
  int bottom = 0;
};

/// Cairo's pixels: numbers of 32 bits, alpha on top, premultiplied.
class Pixels {
 public:
  explicit Pixels(cairo_surface_t* surface)
      : data_(cairo_image_surface_get_data(surface)),
        stride_(cairo_image_surface_get_stride(surface)),
        width_(cairo_image_surface_get_width(surface)),
        height_(cairo_image_surface_get_height(surface)) {}

  [[nodiscard]] std::uint32_t at(int x, int y) const {
    return reinterpret_cast<const std::uint32_t*>(data_ + static_cast<std::ptrdiff_t>(y) * stride_)[x];
  }

  [[nodiscard]] Extents extents() const {
    Extents extents = {width_, height_};
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) {
        if (at(x, y) >> 24U == 0) continue;
        extents = {std::min(extents.left, x), std::min(extents.top, y), std::max(extents.right, x + 1), y + 1};
      }
    }
    return extents;
  }

 private:
  const unsigned char* data_;
  int stride_;
  int width_;
  int height_;
};

void append_straight(std::vector<std::uint8_t>& rgba, std::uint32_t pixel) {
  const std::uint32_t alpha = pixel >> 24U;
  for (const unsigned shift : {16U, 8U, 0U}) {
    const std::uint32_t part = pixel >> shift & 0xffU;
    rgba.push_back(static_cast<std::uint8_t>(alpha == 0 ? 0 : std::min(255U, (part * 255 + alpha / 2) / alpha)));
  }
  rgba.push_back(static_cast<std::uint8_t>(alpha));
}

CairoSurface make_surface(int width, int height) {
  return CairoSurface(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height));
}

PlacedText placed_line(std::string_view text, double size, FontWeight weight) {
  PlacedText line;
  line.spans = {{std::string(text)}};
  line.size = size;
  line.weight = weight;
  return line;
}

}  // namespace

int line_advance(std::string_view text, double size, FontWeight weight, FigureFont font) {
  const CairoSurface none = make_surface(1, 1);
  const CairoContext context(cairo_create(none.get()));
  return static_cast<int>(std::ceil(CairoCanvas(context.get(), font).width(placed_line(text, size, weight))));
}

TextImage draw_line_of_text(std::string_view text, double size, FontWeight weight, Rgb color, FigureFont font) {
  // Letters may reach beyond their advance, and those of some scripts far above and below Latin ones.
  const int margin = static_cast<int>(std::ceil(size));
  const int above = 2 * margin;
  const CairoSurface surface = make_surface(line_advance(text, size, weight, font) + 2 * margin, above + 2 * margin);
  const CairoContext context(cairo_create(surface.get()));
  PlacedText line = placed_line(text, size, weight);
  line.color = color;
  line.at = {static_cast<double>(margin), static_cast<double>(above)};
  CairoCanvas(context.get(), font).text(line);
  cairo_surface_flush(surface.get());
  TextImage image;
  if (cairo_status(context.get()) != CAIRO_STATUS_SUCCESS) return image;
  const Pixels pixels(surface.get());
  const Extents extents = pixels.extents();
  if (extents.right == 0) return image;
  image.width = extents.right - extents.left;
  image.height = extents.bottom - extents.top;
  image.left = extents.left - margin;
  image.top = extents.top - above;
  image.rgba.reserve(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 4);
  for (int y = extents.top; y < extents.bottom; ++y) {
    for (int x = extents.left; x < extents.right; ++x) append_straight(image.rgba, pixels.at(x, y));
  }
  return image;
}

}  // namespace attnscope
