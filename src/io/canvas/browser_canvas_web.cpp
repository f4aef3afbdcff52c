#include <emscripten.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "io/canvas/browser_canvas.h"
#include "io/canvas/canvas_style.h"
#include "io/canvas/cell_colors.h"
#include "io/canvas/css_style.h"

EM_JS_DEPS(attnscope_browser_canvas, "$UTF8ToString");

// clang-format off
EM_JS(int, attnscope_canvas_works, (), { return typeof OffscreenCanvas === "undefined" ? 0 : 1; });

EM_JS(void, attnscope_canvas_begin, (int width, int height, const char* color), {
  const context = Module["attnscopeCanvas"] = new OffscreenCanvas(width, height).getContext("2d", { alpha: false });
  context.fillStyle = UTF8ToString(color);
  context.fillRect(0, 0, width, height);
});

EM_JS(void, attnscope_canvas_end, (), { delete Module["attnscopeCanvas"]; });

EM_JS(void, attnscope_canvas_read, (unsigned char* rgba, int width, int height), {
  const data = Module["attnscopeCanvas"].getImageData(0, 0, width, height).data;
  HEAPU8.set(data, rgba);
});

/// Draws over what is there; a pixel that is not opaque shows it.
EM_JS(void, attnscope_canvas_pixels, (const unsigned char* rgba, int width, int height, double x, double y), {
  const image = new OffscreenCanvas(width, height);
  image.getContext("2d").putImageData(
    new ImageData(new Uint8ClampedArray(HEAPU8.slice(rgba, rgba + 4 * width * height).buffer), width, height), 0, 0);
  Module["attnscopeCanvas"].drawImage(image, x, y);
});

EM_JS(void, attnscope_canvas_fill, (double x, double y, double width, double height, const char* color, double opacity), {
  const context = Module["attnscopeCanvas"];
  context.globalAlpha = opacity;
  context.fillStyle = UTF8ToString(color);
  context.fillRect(x, y, width, height);
  context.globalAlpha = 1;
});

EM_JS(void, attnscope_canvas_outline, (double x, double y, double width, double height, double radius, const char* color,
                                       double thickness), {
  const context = Module["attnscopeCanvas"];
  context.strokeStyle = UTF8ToString(color);
  context.lineWidth = thickness;
  context.setLineDash([]);
  context.lineJoin = "miter";
  context.beginPath();
  if (radius > 0) context.roundRect(x, y, width, height, radius);
  else context.rect(x, y, width, height);
  context.stroke();
});

/// `points`: x and y of each, in turn. `dash`: its length; 0: none.
EM_JS(void, attnscope_canvas_path, (const double* points, int count, const char* color, double opacity, double thickness,
                                    double dash, int round, int filled), {
  const context = Module["attnscopeCanvas"];
  const at = points / 8;
  context.beginPath();
  context.moveTo(HEAPF64[at], HEAPF64[at + 1]);
  for (let i = 1; i < count; ++i) context.lineTo(HEAPF64[at + 2 * i], HEAPF64[at + 2 * i + 1]);
  context.globalAlpha = opacity;
  if (filled) {
    context.closePath();
    context.fillStyle = UTF8ToString(color);
    context.fill();
  } else {
    context.strokeStyle = UTF8ToString(color);
    context.lineWidth = thickness;
    context.setLineDash(dash > 0 ? [dash, dash] : []);
    context.lineJoin = round ? "round" : "miter";
    context.lineCap = round && !dash ? "round" : "butt";
    context.stroke();
  }
  context.globalAlpha = 1;
});

EM_JS(double, attnscope_canvas_text_width, (const char* text, const char* font), {
  const context = Module["attnscopeCanvas"];
  context.font = UTF8ToString(font);
  return context.measureText(UTF8ToString(text)).width;
});

/// Draws a line of text in `font` with its baseline `along` and `below` from x, y, in the direction of `angle` (radians).
EM_JS(void, attnscope_canvas_text, (const char* text, const char* font, const char* color, double x, double y, double angle,
                                    double along, double below), {
  const context = Module["attnscopeCanvas"];
  context.save();
  context.translate(x, y);
  context.rotate(angle);
  context.font = UTF8ToString(font);
  context.fillStyle = UTF8ToString(color);
  context.fillText(UTF8ToString(text), along, below);
  context.restore();
});
// clang-format on

namespace attnscope {
namespace {

/// Pixels as a browser has them: red, green, blue and opacity, a byte each. None is transparent but 0.
std::vector<std::uint8_t> browser_pixels(std::span<const std::uint32_t> pixels) {
  std::vector<std::uint8_t> rgba;
  rgba.reserve(4 * pixels.size());
  for (const std::uint32_t pixel : pixels) {
    for (const unsigned shift : {16U, 8U, 0U, 24U}) rgba.push_back(static_cast<std::uint8_t>(pixel >> shift));
  }
  return rgba;
}

void draw_pixels(const PixelImage& image, double x, double y) {
  attnscope_canvas_pixels(browser_pixels(image.pixels).data(), static_cast<int>(image.width),
                          static_cast<int>(image.height), x, y);
}

}  // namespace

Result<void> BrowserCanvas::check() {
  if (attnscope_canvas_works() == 0)
    return fail("PNG files need a browser with OffscreenCanvas; SVG files can be written");
  return {};
}

BrowserCanvas::BrowserCanvas(int width, int height, double scale, Rgb background, FigureFont font)
    : width_(width), height_(height), scale_(scale), font_(font) {
  attnscope_canvas_begin(width, height, css_color(background).c_str());
}

BrowserCanvas::~BrowserCanvas() { attnscope_canvas_end(); }

PixelImage BrowserCanvas::pixels() const {
  PixelImage image = {static_cast<std::size_t>(width_), static_cast<std::size_t>(height_), {}};
  std::vector<std::uint8_t> rgba(4 * image.width * image.height);
  attnscope_canvas_read(rgba.data(), width_, height_);
  image.pixels.reserve(image.width * image.height);
  for (std::size_t i = 0; i < rgba.size(); i += 4)
    image.pixels.push_back(pixel_of({rgba[i], rgba[i + 1], rgba[i + 2]}));
  return image;
}

Rect BrowserCanvas::device_box(const Rect& box) const {
  const double left = std::round(box.x * scale_);
  const double top = std::round(box.y * scale_);
  return {left, top, std::max(1.0, std::round(box.right() * scale_) - left),
          std::max(1.0, std::round(box.bottom() * scale_) - top)};
}

double BrowserCanvas::stroke_width(double width) const { return std::max(1.0, std::round(width * scale_)); }

Point BrowserCanvas::stroke_point(Point at, double width) const {
  const double half = width / 2;
  return {std::round(at.x * scale_ - half) + half, std::round(at.y * scale_ - half) + half};
}

void BrowserCanvas::heatmap(const HeatmapMark& mark, const Rect& box, double gap) {
  if (mark.source->empty() || box.width <= 0 || box.height <= 0) return;
  const Rect pixels = device_box(box);
  PixelImage image = {static_cast<std::size_t>(pixels.width), static_cast<std::size_t>(pixels.height), {}};
  image.pixels.resize(image.width * image.height);
  each_pixel_row(mark, pixels.width, pixels.height, gap * scale_,
                 [&](double top, double bottom, const std::vector<std::uint32_t>& line) {
                   for (auto y = static_cast<std::size_t>(top); y < static_cast<std::size_t>(bottom); ++y)
                     std::copy(line.begin(), line.end(),
                               image.pixels.begin() + static_cast<std::ptrdiff_t>(y * image.width));
                 });
  draw_pixels(image, pixels.x, pixels.y);
}

void BrowserCanvas::gradient(ColorMap map, const Rect& box) {
  const auto colors = lut(map);
  const Rect pixels = device_box(box);
  PixelImage image = {static_cast<std::size_t>(pixels.width), static_cast<std::size_t>(pixels.height), {}};
  image.pixels.reserve(image.width * image.height);
  for (std::size_t y = 0; y < image.height; ++y) {
    for (std::size_t x = 0; x < image.width; ++x)
      image.pixels.push_back(pixel_of(colors[x * colors.size() / image.width]));
  }
  draw_pixels(image, pixels.x, pixels.y);
}

void BrowserCanvas::fill(const Rect& box, Rgb color, double opacity) {
  const Rect pixels = device_box(box);
  attnscope_canvas_fill(pixels.x, pixels.y, pixels.width, pixels.height, css_color(color).c_str(), opacity);
}

void BrowserCanvas::outline(const Rect& box, Rgb color, double width, double radius) {
  const double thickness = stroke_width(width);
  const Point begin = stroke_point({box.x, box.y}, thickness);
  const Point end = stroke_point({box.right(), box.bottom()}, thickness);
  const double rounded = std::min({radius * scale_, (end.x - begin.x) / 2, (end.y - begin.y) / 2});
  attnscope_canvas_outline(begin.x, begin.y, end.x - begin.x, end.y - begin.y, std::max(0.0, rounded),
                           css_color(color).c_str(), thickness);
}

void BrowserCanvas::stroke(std::span<const Point> points, Rgb color, double opacity, double width, bool dashed,
                           bool round) const {
  std::vector<double> numbers;
  numbers.reserve(2 * points.size());
  for (const Point& point : points) numbers.insert(numbers.end(), {point.x, point.y});
  attnscope_canvas_path(numbers.data(), static_cast<int>(points.size()), css_color(color).c_str(), opacity, width,
                        dashed ? kDashLength * width : 0, round ? 1 : 0, 0);
}

void BrowserCanvas::line(Point from, Point to, Rgb color, double width, bool dashed) {
  const bool along_axis = from.x == to.x || from.y == to.y;
  const double thickness = along_axis ? stroke_width(width) : width * scale_;
  const auto place = [&](Point at) {
    return along_axis ? stroke_point(at, thickness) : Point{at.x * scale_, at.y * scale_};
  };
  const std::array<Point, 2> ends = {place(from), place(to)};
  stroke(ends, color, 1, thickness, dashed, false);
}

void BrowserCanvas::curve(std::span<const Point> points, Rgb color, double opacity, double width, bool dashed) {
  if (points.size() < 2) return;
  std::vector<Point> places(points.begin(), points.end());
  for (Point& place : places) place = {place.x * scale_, place.y * scale_};
  stroke(places, color, opacity, width * scale_, dashed, true);
}

void BrowserCanvas::triangle(Point a, Point b, Point c, Rgb color) {
  const std::array<double, 6> corners = {a.x * scale_, a.y * scale_, b.x * scale_,
                                         b.y * scale_, c.x * scale_, c.y * scale_};
  attnscope_canvas_path(corners.data(), 3, css_color(color).c_str(), 1, 0, 0, 0, 1);
}

void BrowserCanvas::text(const PlacedText& text) {
  std::vector<std::string> lines;
  std::vector<std::string> fonts;
  std::vector<double> widths;
  double width = 0;
  for (const TextSpan& span : text.spans) {
    lines.push_back(clean_text(span.text));
    fonts.push_back(css_font(span_size(span.level, text.size) * scale_, text.weight, font_));
    widths.push_back(attnscope_canvas_text_width(lines.back().c_str(), fonts.back().c_str()));
    width += widths.back();
  }
  double along = text.horizontal == HorizontalAlign::left     ? 0
                 : text.horizontal == HorizontalAlign::center ? -width / 2
                                                              : -width;
  const double baseline = baseline_shift(text.vertical, text.size, font_);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    attnscope_canvas_text(lines[i].c_str(), fonts[i].c_str(), css_color(text.color).c_str(), text.at.x * scale_,
                          text.at.y * scale_, text.angle * std::numbers::pi / 180, along,
                          (baseline + span_drop(text.spans[i].level, text.size)) * scale_);
    along += widths[i];
  }
}

}  // namespace attnscope
