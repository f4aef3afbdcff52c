// Lines of text as the browser's own canvas draws them. Where there is none, as under Node.js, a line has a width only.
#include <emscripten.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "figure/style/font_metrics.h"
#include "io/canvas/canvas_style.h"
#include "io/canvas/css_style.h"
#include "io/canvas/text_image.h"

EM_JS_DEPS(attnscope_text_image, "$UTF8ToString");

// clang-format off
EM_JS(double, attnscope_text_advance, (const char* text, const char* font), {
  if (typeof OffscreenCanvas === "undefined") return -1;
  const context = Module["attnscopeMeasure"] ||= new OffscreenCanvas(1, 1).getContext("2d");
  context.font = UTF8ToString(font);
  return context.measureText(UTF8ToString(text)).width;
});

/// Draws into `rgba`, which has width × height pixels.
EM_JS(void, attnscope_draw_text, (const char* text, const char* font, const char* color, int x, int baseline,
                                  int width, int height, unsigned char* rgba), {
  if (typeof OffscreenCanvas === "undefined") return;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.font = UTF8ToString(font);
  context.fillStyle = UTF8ToString(color);
  context.fillText(UTF8ToString(text), x, baseline);
  HEAPU8.set(context.getImageData(0, 0, width, height).data, rgba);
});
// clang-format on

namespace attnscope {
namespace {

/// What remains of `image` without the rows and columns around it in which nothing is drawn.
TextImage cropped(const TextImage& image) {
  int left = image.width;
  int right = 0;
  int top = image.height;
  int bottom = 0;
  const auto at = [&](int x, int y) {
    return 4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x));
  };
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      if (image.rgba[at(x, y) + 3] == 0) continue;
      left = std::min(left, x), right = std::max(right, x + 1);
      top = std::min(top, y), bottom = y + 1;
    }
  }
  TextImage part;
  if (right == 0) return part;
  part.width = right - left;
  part.height = bottom - top;
  part.left = image.left + left;
  part.top = image.top + top;
  for (int y = top; y < bottom; ++y) {
    const auto row = image.rgba.begin() + static_cast<std::ptrdiff_t>(at(left, y));
    part.rgba.insert(part.rgba.end(), row, row + 4 * static_cast<std::ptrdiff_t>(part.width));
  }
  return part;
}

}  // namespace

int line_advance(std::string_view text, double size, FontWeight weight, FigureFont font) {
  const std::string line = clean_text(text);
  const double advance = attnscope_text_advance(line.c_str(), css_font(size, weight, font).c_str());
  if (advance >= 0) return static_cast<int>(std::ceil(advance));
  const FontScope scope(font);
  return static_cast<int>(std::ceil(text_width(line, size, weight)));
}

TextImage draw_line_of_text(std::string_view text, double size, FontWeight weight, Rgb color, FigureFont font) {
  const std::string line = clean_text(text);
  // Letters may reach beyond their advance, and those of some scripts far above and below Latin ones.
  const int margin = static_cast<int>(std::ceil(size));
  TextImage image;
  image.width = line_advance(text, size, weight, font) + 2 * margin;
  image.height = 4 * margin;
  image.left = -margin;
  image.top = -2 * margin;
  image.rgba.resize(4 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  attnscope_draw_text(line.c_str(), css_font(size, weight, font).c_str(), css_color(color).c_str(), margin, 2 * margin,
                      image.width, image.height, image.rgba.data());
  return cropped(image);
}

}  // namespace attnscope
