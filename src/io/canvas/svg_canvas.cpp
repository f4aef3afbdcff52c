#include "io/canvas/svg_canvas.h"

#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "io/canvas/canvas_style.h"
#include "io/canvas/cell_colors.h"
#include "io/canvas/png.h"

namespace attnscope {
namespace {

/// `value` to two decimals (a hundredth of a pixel), without trailing zeros; the same in every locale.
std::string number(double value, int decimals = 2) {
  if (!std::isfinite(value)) value = 0;
  std::array<char, 400> buffer{};
  char* const begin = buffer.data();
  const auto result = std::to_chars(begin, begin + buffer.size(), value, std::chars_format::fixed, decimals);
  std::string text(begin, result.ptr);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string hex(Rgb color) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "#";
  for (const unsigned channel : {color.red, color.green, color.blue}) {
    text += digits[channel >> 4U];
    text += digits[channel & 15U];
  }
  return text;
}

/// ` name="value"`
std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + std::string(value) + "\"";
}
std::string attribute(std::string_view name, double value) { return attribute(name, number(value)); }

std::string box_attributes(const Rect& box) {
  return attribute("x", box.x) + attribute("y", box.y) + attribute("width", box.width) +
         attribute("height", box.height);
}

std::string point_list(std::span<const Point> points) {
  std::string list;
  for (const Point& p : points) list += (list.empty() ? "" : " ") + number(p.x) + "," + number(p.y);
  return list;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = (bits << 8U) | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (unsigned k = 0; k < 4; ++k) {
      text += i + k <= bytes.size() ? alphabet[(bits >> (18U - 6U * k)) & 63U] : '=';
    }
  }
  return text;
}

std::string_view anchor(HorizontalAlign align) { return align == HorizontalAlign::center ? "middle" : "end"; }

}  // namespace

SvgCanvas::SvgCanvas(double width, double height, std::string_view title, Rgb background, FigureFont font)
    : font_(font) {
  head_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg";
  head_ += attribute("xmlns", "http://www.w3.org/2000/svg");
  head_ += attribute("xmlns:xlink", "http://www.w3.org/1999/xlink") + attribute("version", "1.1");
  head_ += attribute("width", number(width / 96, 4) + "in") + attribute("height", number(height / 96, 4) + "in");
  head_ += attribute("viewBox", "0 0 " + number(width) + " " + number(height));
  // Spaces count: they separate the spans of a formula.
  head_ += attribute("xml:space", "preserve") + attribute("font-family", css_font_families(font));
  head_ += attribute("style", "font-variant-numeric:tabular-nums;font-variant-ligatures:no-contextual") + ">\n";
  if (!title.empty()) head_ += "<title>" + xml_escaped(title) + "</title>\n";
  fill({0, 0, width, height}, background, 1);
}

void SvgCanvas::annotate(std::string_view caption, std::string_view source) {
  head_ += "<desc>" + xml_escaped(caption) + "</desc>\n";
  head_ += "<metadata" + attribute("id", "attnscope") + ">" + xml_escaped(source) + "</metadata>\n";
}

std::string SvgCanvas::document() const { return complete_ ? head_ + body_ + "</svg>\n" : std::string(); }

void SvgCanvas::heatmap(const HeatmapMark& mark, const Rect& box, double gap) {
  const MatrixSource& matrix = *mark.source;
  if (matrix.empty() || box.width <= 0 || box.height <= 0) return;
  body_ += "<g" + attribute("role", "img") + ">";
  if (!mark.about.empty()) body_ += "<title>" + xml_escaped(mark.about) + "</title>";
  body_ += '\n';
  if (cells_as_shapes(matrix, gap)) {
    heatmap_shapes(mark, box, gap);
  } else {
    heatmap_image(mark, box);
  }
  body_ += "</g>\n";
}

void SvgCanvas::heatmap_shapes(const HeatmapMark& mark, const Rect& box, double gap) {
  const std::vector<float> cells = all_cells(*colored(mark));
  const auto number_at = [&](Index row, Index column) {
    return cells[static_cast<std::size_t>(row * mark.columns() + column)];
  };
  const CellPitch across(box.width, mark.columns(), gap);
  const CellPitch down(box.height, mark.rows(), gap);
  const std::string height = number(down.pitch - gap);
  std::map<std::uint32_t, std::pair<Rgb, std::string>> paths;
  for (Index row = 0; row < mark.rows(); ++row) {
    const std::string top = number(box.y + down.begin(row));
    for (Index column = 0; column < mark.columns();) {
      const Rgb color = cell_color(number_at(row, column), mark.scale);
      // Adjacent cells of one colour are one shape.
      const Index first = column++;
      while (gap <= 0 && column < mark.columns() && cell_color(number_at(row, column), mark.scale) == color) {
        ++column;
      }
      const std::string width = number(across.end(column - 1) - across.begin(first));
      auto& [fill_color, path] = paths[pixel_of(color)];
      fill_color = color;
      path.append("M").append(number(box.x + across.begin(first))).append(" ").append(top);
      path.append("h").append(width).append("v").append(height).append("h-").append(width).append("z");
    }
  }
  for (const auto& [key, path] : paths) {
    body_ += "<path" + attribute("shape-rendering", "crispEdges") + attribute("fill", hex(path.first)) +
             attribute("d", path.second) + "/>\n";
  }
}

void SvgCanvas::heatmap_image(const HeatmapMark& mark, const Rect& box) {
  const Result<std::string> png = png_bytes(cell_image(*colored(mark), mark.scale, kMaxImageSide).view());
  if (!png) {
    complete_ = false;
    return;
  }
  // Readers without `pixelated` obey the older name.
  body_ += "<image" + box_attributes(box) + attribute("preserveAspectRatio", "none") +
           attribute("style", "image-rendering:optimizeSpeed;image-rendering:pixelated") +
           attribute("xlink:href", "data:image/png;base64," + base64(*png)) + "/>\n";
}

void SvgCanvas::define_gradient(ColorMap map) {
  if (!gradients_.insert(map).second) return;
  // 32 steps come within a level or two of the 256 colours, and readers blend between them.
  constexpr int steps = 32;
  head_ += "<defs><linearGradient" + attribute("id", color_map_name(map)) + ">";
  for (int i = 0; i <= steps; ++i) {
    const double at = static_cast<double>(i) / steps;
    head_ += "<stop" + attribute("offset", number(at, 5)) +
             attribute("stop-color", hex(color_at(map, static_cast<float>(at)))) + "/>";
  }
  head_ += "</linearGradient></defs>\n";
}

void SvgCanvas::gradient(ColorMap map, const Rect& box) {
  define_gradient(map);
  body_ += "<rect" + box_attributes(box) + attribute("fill", "url(#" + std::string(color_map_name(map)) + ")") + "/>\n";
}

void SvgCanvas::fill(const Rect& box, Rgb color, double opacity) {
  body_ += "<rect" + box_attributes(box) + attribute("fill", hex(color)) +
           (opacity < 1 ? attribute("fill-opacity", number(opacity, 4)) : "") + "/>\n";
}

void SvgCanvas::outline(const Rect& box, Rgb color, double width, double radius) {
  body_ += "<rect" + box_attributes(box) + (radius > 0 ? attribute("rx", radius) : "") + attribute("fill", "none") +
           attribute("stroke", hex(color)) + attribute("stroke-width", width) + "/>\n";
}

void SvgCanvas::line(Point from, Point to, Rgb color, double width, bool dashed) {
  body_ += "<line" + attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) + attribute("y2", to.y) +
           attribute("stroke", hex(color)) + attribute("stroke-width", width) +
           (dashed ? attribute("stroke-dasharray", kDashLength * width) : "") + "/>\n";
}

void SvgCanvas::curve(std::span<const Point> points, Rgb color, double opacity, double width, bool dashed) {
  if (points.size() < 2) return;
  body_ += "<polyline" + attribute("points", point_list(points)) + attribute("fill", "none") +
           attribute("stroke", hex(color)) + (opacity < 1 ? attribute("stroke-opacity", number(opacity, 4)) : "") +
           attribute("stroke-width", width) + attribute("stroke-linejoin", "round") +
           (dashed ? attribute("stroke-dasharray", kDashLength * width) : attribute("stroke-linecap", "round")) +
           "/>\n";
}

void SvgCanvas::triangle(Point a, Point b, Point c, Rgb color) {
  const std::array<Point, 3> corners = {a, b, c};
  body_ += "<polygon" + attribute("points", point_list(corners)) + attribute("fill", hex(color)) + "/>\n";
}

void SvgCanvas::text(const PlacedText& text) {
  body_ += "<text" + attribute("x", text.at.x) +
           attribute("y", text.at.y + baseline_shift(text.vertical, text.size, font_)) +
           attribute("font-size", text.size) + attribute("fill", hex(text.color));
  if (text.weight == FontWeight::semibold) body_ += attribute("font-weight", "600");
  if (text.horizontal != HorizontalAlign::left) body_ += attribute("text-anchor", anchor(text.horizontal));
  if (text.angle != 0) {
    body_ += attribute("transform",
                       "rotate(" + number(text.angle) + " " + number(text.at.x) + " " + number(text.at.y) + ")");
  }
  body_ += ">";
  // A shift applies to everything after it, until the next one cancels it.
  double drop = 0;
  for (const TextSpan& span : text.spans) {
    const double wanted = span_drop(span.level, text.size);
    const bool plain = span.level == TextSpan::Level::base && wanted == drop;
    if (!plain) {
      body_ += "<tspan" + (wanted == drop ? "" : attribute("dy", wanted - drop));
      if (span.level != TextSpan::Level::base) body_ += attribute("font-size", span_size(span.level, text.size));
      body_ += ">";
    }
    body_ += xml_escaped(span.text) + (plain ? "" : "</tspan>");
    // A span without letters shifts nothing.
    if (!span.text.empty()) drop = wanted;
  }
  body_ += "</text>\n";
}

}  // namespace attnscope
