#include "ui/imgui/imgui_canvas.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <utility>

#include "io/canvas/canvas_style.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/outside_line.h"
#include "ui/imgui/wanted_characters.h"

namespace attnscope::ui {
namespace {

ImVec2 vec(Point p) { return {static_cast<float>(p.x), static_cast<float>(p.y)}; }

// Steps from the low to the high colour of a colour bar.
constexpr int kGradientSteps = 64;

// A matrix in memory up to this size is drawn within the frame, in a fraction of a millisecond; all matrices of a
// figure in a few.
constexpr Index kCellsAtOnce = Index{512} * 512;
constexpr Index kCellsInAFrame = 12 * kCellsAtOnce;

// Tells numbers that a figure computed from those of a trace.
constexpr std::uint64_t kOwnNumbers = std::uint64_t{1} << 63U;

struct ShapedSpan {
  const TextSpan* span;
  const Font* font;
  float line;  ///< ImGui's size of it
  float width;
  float rise;               ///< of its baseline, upwards
  Lettering pictured = {};  ///< size 0: ImGui sets it
};

std::vector<ShapedSpan> shape(const Style& style, const PlacedText& text) {
  std::vector<ShapedSpan> shaped;
  for (const TextSpan& span : text.spans) {
    const bool base = span.level == TextSpan::Level::base;
    const auto em = static_cast<float>(base ? text.size : text.size * kScriptSize);
    const Font& font = style.fonts.nearest(text.weight, em);
    // A loaded size within half a pixel is sharper than a scaled one.
    const float line = std::abs(font.size - em) <= 0.6F ? font.line : font.line * em / font.size;
    const double rise = base ? 0 : span.level == TextSpan::Level::superscript ? kSuperscriptRise : -kSubscriptDrop;
    ShapedSpan& made = shaped.emplace_back(ShapedSpan{&span, &font, line, 0, static_cast<float>(rise * text.size)});
    // The window has no other font than Inter: a figure in another one shows its letters as pictures.
    const FigureFont figure_font = FontScope::current();
    if (figure_font != FigureFont::inter || needs_picture(span.text)) {
      made.pictured = {em, text.weight, color(text.color), figure_font};
      made.width = line_pictures().width(span.text, made.pictured);
    } else {
      wanted_characters().add(span.text);
      made.width = font.font->CalcTextSizeA(line, FLT_MAX, 0, span.text.data(), span.text.data() + span.text.size()).x;
    }
  }
  return shaped;
}

/// Rotates what was added to the list since `first` by 90° counter-clockwise about `center`.
void turn_upright(ImDrawList& list, int first, ImVec2 center) {
  for (int i = first; i < list.VtxBuffer.Size; ++i) {
    ImVec2& at = list.VtxBuffer[i].pos;
    at = ImVec2(center.x + (at.y - center.y), center.y - (at.x - center.x));
  }
}

}  // namespace

ColorLuts::ColorLuts() {
  for (const ColorMap map : color_maps()) {
    platform::ColorLut& entries = luts_.emplace_back();
    const auto colors = lut(map);
    for (std::size_t i = 0; i < colors.size(); ++i) entries[i] = {colors[i].red, colors[i].green, colors[i].blue};
  }
}

ImGuiCanvas::ImGuiCanvas(ImDrawList& list, const Style& style, const ColorLuts& luts, const Rect& clip,
                         float pixels_per_unit, std::uint64_t trace_number, std::vector<platform::HeatmapQuad>& quads,
                         platform::LineLayer& lines)
    : list_(list),
      style_(style),
      luts_(luts),
      clip_(clip),
      pixels_per_unit_(pixels_per_unit),
      trace_number_(trace_number),
      quads_(quads),
      lines_(lines) {}

void ImGuiCanvas::heatmap(const HeatmapMark& mark, const Rect& box, double gap) {
  const auto pixels = [&](const Rect& r) {
    const auto s = static_cast<double>(pixels_per_unit_);
    return platform::PixelRect{r.x * s, r.y * s, r.right() * s, r.bottom() * s};
  };
  platform::HeatmapQuad quad;
  const std::shared_ptr<const MatrixSource>& source = colored(mark);
  const std::optional<MatrixView> held = source->held();
  const Index cells = held ? saturating_product(held->rows, held->columns) : 0;
  if (held && cells <= kCellsAtOnce && cells_ + cells <= kCellsInAFrame) {
    quad.matrix = *held;
    // What the figure computed is of the trace too, but the next one's may be at the same address.
    const bool own = mark.shares != nullptr || mark.step < 0;
    quad.identity = own ? kOwnNumbers | source->number() : trace_number_;
    cells_ += cells;
  } else {
    quad.source = source;
  }
  // Without the gap after the last cell all cells are equally wide.
  quad.area = pixels({box.x, box.y, box.width - gap, box.height - gap});
  quad.clip = pixels(clip_);
  quad.colors = &luts_[mark.scale.map];
  quad.low = static_cast<float>(mark.scale.low);
  quad.high = static_cast<float>(mark.scale.high);
  quad.logarithmic = mark.scale.kind == ScaleKind::logarithmic;
  if (const std::optional<Rgb> masked = masked_color(mark.scale.map); masked && mark.scale.masked) {
    quad.special = mark.scale.masked;
    quad.special_color = rgba(*masked);
  }
  quad.gap = static_cast<int>(std::lround(gap * static_cast<double>(pixels_per_unit_)));
  quads_.push_back(quad);
}

void ImGuiCanvas::gradient(ColorMap map, const Rect& box) {
  for (int i = 0; i < kGradientSteps; ++i) {
    const Point from = {box.x + box.width * i / kGradientSteps, box.y};
    const Point to = {box.x + box.width * (i + 1) / kGradientSteps, box.bottom()};
    list_.AddRectFilled(vec(from), vec(to), color(color_at(map, (static_cast<float>(i) + 0.5F) / kGradientSteps)));
  }
}

void ImGuiCanvas::fill(const Rect& box, Rgb rgb, double opacity) {
  list_.AddRectFilled(vec({box.x, box.y}), vec({box.right(), box.bottom()}), color(rgb, static_cast<float>(opacity)));
}

void ImGuiCanvas::outline(const Rect& box, Rgb rgb, double width, double radius) {
  list_.AddRect(vec({box.x, box.y}), vec({box.right(), box.bottom()}), color(rgb), static_cast<float>(radius), 0,
                static_cast<float>(width));
}

void ImGuiCanvas::line(Point from, Point to, Rgb rgb, double width, bool dashed) {
  if (dashed) {
    const std::array<Point, 2> ends = {from, to};
    dashed_curve(ends, color(rgb), width);
  } else if (from.x == to.x || from.y == to.y) {
    // On whole pixels, as in files: ImGui would blur the edge over one more pixel.
    const auto pixels = static_cast<double>(pixels_per_unit_);
    const double wide = std::max(1.0, std::round(width * pixels));
    const double middle = std::floor(wide / 2);
    const auto corner = [&](double at) { return std::round(at * pixels - wide / 2); };
    const double left = corner(std::min(from.x, to.x));
    const double top = corner(std::min(from.y, to.y));
    const double right = corner(std::max(from.x, to.x));
    const double bottom = corner(std::max(from.y, to.y));
    const Rect box =
        from.x == to.x ? Rect{left, top + middle, wide, bottom - top} : Rect{left + middle, top, right - left, wide};
    fill({box.x / pixels, box.y / pixels, box.width / pixels, box.height / pixels}, rgb, 1);
  } else {
    list_.AddLine(vec(from), vec(to), color(rgb), static_cast<float>(width));
  }
}

void ImGuiCanvas::curve(std::span<const Point> points, Rgb rgb, double opacity, double width, bool dashed) {
  const ImU32 ink = color(rgb, static_cast<float>(opacity));
  if (points.size() < 2 || (ink & IM_COL32_A_MASK) == 0) return;
  if (dashed) {
    dashed_curve(points, ink, width);
    return;
  }
  if (points.size() == 2) {
    list_.AddLine(vec(points[0]), vec(points[1]), ink, static_cast<float>(width));
    return;
  }
  for (const Point& point : points) list_.PathLineTo(vec(point));
  list_.PathStroke(ink, 0, static_cast<float>(width));
}

void ImGuiCanvas::dashed_curve(std::span<const Point> points, ImU32 ink, double width) {
  const double dash = kDashLength * width;
  double done = 0;  // length since the last dash began
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point from = points[i - 1];
    const double length = std::hypot(points[i].x - from.x, points[i].y - from.y);
    const auto at = [&](double way) {
      return vec({from.x + (points[i].x - from.x) * way / length, from.y + (points[i].y - from.y) * way / length});
    };
    for (double way = 0; way < length;) {
      const bool drawn = done < dash;
      const double step = std::min(length - way, (drawn ? dash : 2 * dash) - done);
      if (drawn) list_.AddLine(at(way), at(way + step), ink, static_cast<float>(width));
      way += step;
      done += step;
      if (done >= 2 * dash) done = 0;
    }
  }
}

void ImGuiCanvas::strands(std::span<const PlacedStrand> strands) {
  const auto pixels = static_cast<double>(pixels_per_unit_);
  std::vector<platform::TranslucentLine> lines;
  lines.reserve(strands.size());
  Point least = {clip_.right(), clip_.bottom()};
  Point most = {clip_.x, clip_.y};
  for (const PlacedStrand& strand : strands) {
    const auto [above, below] = std::minmax(strand.from.y, strand.to.y);
    least = {std::min(least.x, strand.from.x), std::min(least.y, above - strand.width)};
    most = {std::max(most.x, strand.to.x), std::max(most.y, below + strand.width)};
    const auto pixel = [&](double at) { return static_cast<float>(at * pixels); };
    platform::Rgba color = rgba(strand.color);
    color[3] = static_cast<float>(strand.opacity);
    lines.push_back({pixel(strand.from.x), pixel(strand.from.y), pixel(strand.to.x), pixel(strand.to.y),
                     pixel(strand.width), color});
  }
  const Rect shown = Rect{least.x, least.y, most.x - least.x, most.y - least.y}.intersection(clip_);
  if (shown.width <= 0 || shown.height <= 0) return;
  platform::PixelArea area;
  area.x = static_cast<int>(std::floor(shown.x * pixels));
  area.y = static_cast<int>(std::floor(shown.y * pixels));
  area.width = static_cast<int>(std::ceil(shown.right() * pixels)) - area.x;
  area.height = static_cast<int>(std::ceil(shown.bottom() * pixels)) - area.y;
  const auto on_list = [&](int x, int y) { return vec({x / pixels, y / pixels}); };
  add_texture(list_, lines_.texture(std::move(lines), area), on_list(area.x, area.y),
              on_list(area.x + area.width, area.y + area.height));
}

void ImGuiCanvas::triangle(Point a, Point b, Point c, Rgb rgb) {
  list_.AddTriangleFilled(vec(a), vec(b), vec(c), color(rgb));
}

void ImGuiCanvas::text(const PlacedText& text) {
  // Far outside the clip rectangle.
  const Rect near = clip_.grown(400.0 * static_cast<double>(style_.scale));
  if (near.contains(text.at)) draw_text(list_, style_, text);
}

float drawn_width(const Style& style, const PlacedText& text) {
  float width = 0;
  for (const ShapedSpan& span : shape(style, text)) width += span.width;
  return width;
}

float draw_text(ImDrawList& list, const Style& style, const PlacedText& text) {
  // Nobody can read it, and ImGui 1.92 has no font that small.
  if (text.size < 1) return 0;
  const std::vector<ShapedSpan> spans = shape(style, text);
  float width = 0;
  for (const ShapedSpan& span : spans) width += span.width;
  // Pictures of lines stay sharp where they lie on whole pixels, turned as well.
  const bool on_pixels =
      std::any_of(spans.begin(), spans.end(), [](const ShapedSpan& span) { return span.pictured.size > 0; });
  const Point at = on_pixels ? Point{std::round(text.at.x), std::round(text.at.y)} : text.at;
  auto x = static_cast<float>(at.x);
  auto baseline = static_cast<float>(at.y);
  if (text.horizontal != HorizontalAlign::left) x -= text.horizontal == HorizontalAlign::center ? width / 2 : width;
  if (text.vertical == VerticalAlign::top) baseline += static_cast<float>(text.size * kFontAscent);
  if (text.vertical == VerticalAlign::middle)
    baseline += static_cast<float>(text.size * cap_height(FontScope::current()) / 2);
  const int first = list.VtxBuffer.Size;
  const ImVec4 everywhere(-FLT_MAX, -FLT_MAX, FLT_MAX, FLT_MAX);
  for (const ShapedSpan& span : spans) {
    if (span.pictured.size > 0) {
      line_pictures().draw(list, ImVec2(x, baseline - span.rise), span.span->text, span.pictured);
      x += span.width;
      continue;
    }
    const float top = baseline - span.rise - baseline_offset(span.font->font, span.line);
    const char* begin = span.span->text.data();
    // AddText would drop letters outside the clip rectangle before the rotation.
    span.font->font->RenderText(&list, span.line, ImVec2(x, std::round(top)), color(text.color), everywhere, begin,
                                begin + span.span->text.size());
    x += span.width;
  }
  if (text.angle != 0) turn_upright(list, first, vec(at));
  return width;
}

}  // namespace attnscope::ui
