#include "io/canvas/cairo_canvas.h"

#include <hb-ot.h>
#include <pango/pangocairo.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/canvas/cairo_handle.h"
#include "io/canvas/canvas_style.h"
#include "io/canvas/cell_colors.h"

namespace attnscope {
namespace {

/// Restores cairo's state at the end of the scope.
class Saved {
 public:
  explicit Saved(cairo_t* context) : context_(context) { cairo_save(context); }
  ~Saved() { cairo_restore(context_); }
  Saved(const Saved&) = delete;
  Saved& operator=(const Saved&) = delete;

 private:
  cairo_t* context_;
};

void set_color(cairo_t* context, Rgb color, double opacity = 1) {
  // Opaque colours are written without an opacity: files stay smaller, and PDF needs no groups.
  if (opacity >= 1) {
    cairo_set_source_rgb(context, color.red / 255.0, color.green / 255.0, color.blue / 255.0);
  } else {
    cairo_set_source_rgba(context, color.red / 255.0, color.green / 255.0, color.blue / 255.0, opacity);
  }
}

void add_box(cairo_t* context, const Rect& box) { cairo_rectangle(context, box.x, box.y, box.width, box.height); }

/// Makes `image` the source, stretched over `box`, each of its pixels a sharp rectangle.
void set_image(cairo_t* context, cairo_surface_t* image, const Rect& box) {
  cairo_translate(context, box.x, box.y);
  cairo_scale(context, box.width / cairo_image_surface_get_width(image),
              box.height / cairo_image_surface_get_height(image));
  cairo_set_source_surface(context, image, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_NEAREST);
}

/// A layout for one line of text whose letters have the same places at every resolution and with all settings of the
/// user.
PangoLayout* make_layout(cairo_t* context) {
  PangoContext* const pango = pango_cairo_create_context(context);
  cairo_font_options_t* const options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options(pango, options);
  cairo_font_options_destroy(options);
  pango_context_set_round_glyph_positions(pango, FALSE);
  // Otherwise the locale influences which font replaces Inter for a character that it lacks.
  pango_context_set_language(pango, pango_language_from_string("en"));
  PangoLayout* const layout = pango_layout_new(pango);
  g_object_unref(pango);
  pango_layout_set_single_paragraph_mode(layout, TRUE);
  // Equal widths for figures; no ligatures, which would turn "6x9" and "->" into other characters.
  PangoAttrList* const attributes = pango_attr_list_new();
  pango_attr_list_insert(attributes, pango_attr_font_features_new("tnum=1, calt=0"));
  pango_layout_set_attributes(layout, attributes);
  pango_attr_list_unref(attributes);
  return layout;
}

double line_width(PangoLayout* layout) {
  PangoRectangle logical{};
  pango_layout_line_get_extents(pango_layout_get_line_readonly(layout, 0), nullptr, &logical);
  return static_cast<double>(logical.width) / PANGO_SCALE;
}

/// Whether a font with coloured glyphs, such as emoji, is used.
bool has_colors(const PangoLayoutLine* line) {
  for (const GSList* item = line->runs; item != nullptr; item = item->next) {
    const auto* const run = static_cast<const PangoLayoutRun*>(item->data);
    hb_face_t* const face = hb_font_get_face(pango_font_get_hb_font(run->item->analysis.font));
    if (hb_ot_color_has_png(face) || hb_ot_color_has_layers(face) || hb_ot_color_has_svg(face)) return true;
  }
  return false;
}

/// Draws the line of the layout with its baseline at the current point.
void show_line(cairo_t* context, PangoLayout* layout, bool bitmap) {
  PangoLayoutLine* const line = pango_layout_get_line_readonly(layout, 0);
  // Before 1.17.4 cairo moves every glyph of a bitmap to a whole pixel, which spaces small type unevenly. Outlines keep
  // their places, but they have no colours.
  if (bitmap && !has_colors(line)) {
    pango_cairo_layout_line_path(context, line);
    cairo_fill(context);
  } else {
    pango_cairo_show_layout_line(context, line);
  }
}

double left_shift(HorizontalAlign align, double width) {
  return align == HorizontalAlign::left ? 0 : align == HorizontalAlign::center ? width / 2 : width;
}

}  // namespace

void CairoCanvas::LayoutRelease::operator()(PangoLayout* layout) const { g_object_unref(layout); }

CairoCanvas::CairoCanvas(cairo_t* context, FigureFont font)
    : context_(context),
      font_(font),
      bitmap_(cairo_surface_get_type(cairo_get_target(context)) == CAIRO_SURFACE_TYPE_IMAGE),
      layout_(make_layout(context)) {}

CairoCanvas::~CairoCanvas() = default;

double CairoCanvas::device_length(double length) const {
  double height = 0;
  cairo_user_to_device_distance(context_, &length, &height);
  return length;
}

Rect CairoCanvas::device_box(const Rect& box) const {
  double left = box.x;
  double top = box.y;
  double right = box.right();
  double bottom = box.bottom();
  cairo_user_to_device(context_, &left, &top);
  cairo_user_to_device(context_, &right, &bottom);
  left = std::round(left);
  top = std::round(top);
  return {left, top, std::max(1.0, std::round(right) - left), std::max(1.0, std::round(bottom) - top)};
}

Point CairoCanvas::stroke_point(Point at, double width) const {
  const double half = std::max(1.0, std::round(device_length(width))) / 2;
  cairo_user_to_device(context_, &at.x, &at.y);
  return {std::round(at.x - half) + half, std::round(at.y - half) + half};
}

void CairoCanvas::heatmap(const HeatmapMark& mark, const Rect& box, double gap) {
  const MatrixSource& matrix = *mark.source;
  if (matrix.empty() || box.width <= 0 || box.height <= 0) return;
  if (bitmap_) {
    heatmap_pixels(mark, box, gap);
  } else if (cells_as_shapes(matrix, gap)) {
    heatmap_shapes(mark, box, gap);
  } else {
    heatmap_image(mark, box);
  }
}

void CairoCanvas::heatmap_pixels(const HeatmapMark& mark, const Rect& box, double gap) {
  const Rect pixels = device_box(box);
  const double pixel_gap = device_length(gap);
  // One row after the other through an image one pixel high: exact pixels, and little memory for any bitmap.
  const CairoSurface strip(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(pixels.width), 1));
  const bool usable = cairo_surface_status(strip.get()) == CAIRO_STATUS_SUCCESS;
  const Saved saved(context_);
  cairo_identity_matrix(context_);
  cairo_set_antialias(context_, CAIRO_ANTIALIAS_NONE);
  cairo_set_source_surface(context_, strip.get(), pixels.x, pixels.y);  // an unusable one makes the context fail
  cairo_pattern_set_filter(cairo_get_source(context_), CAIRO_FILTER_NEAREST);
  cairo_pattern_set_extend(cairo_get_source(context_), CAIRO_EXTEND_PAD);
  if (!usable) return;
  const auto paint_row = [&](double top, double bottom, const std::vector<std::uint32_t>& line) {
    cairo_surface_flush(strip.get());
    std::ranges::copy(line, reinterpret_cast<std::uint32_t*>(cairo_image_surface_get_data(strip.get())));
    cairo_surface_mark_dirty(strip.get());
    cairo_rectangle(context_, pixels.x, pixels.y + top, pixels.width, bottom - top);
    cairo_fill(context_);
  };
  each_pixel_row(mark, pixels.width, pixels.height, pixel_gap, paint_row);
}

void CairoCanvas::heatmap_shapes(const HeatmapMark& mark, const Rect& box, double gap) {
  const std::vector<float> cells = all_cells(*colored(mark));
  const auto number_at = [&](Index row, Index column) {
    return cells[static_cast<std::size_t>(row * mark.columns() + column)];
  };
  const CellPitch across(box.width, mark.columns(), gap);
  const CellPitch down(box.height, mark.rows(), gap);
  // Adjacent cells reach halfway under their later neighbours: viewers smooth edges, and the background would show
  // where two cells only touch.
  const double under = gap > 0 ? 0 : 0.5;
  for (Index row = 0; row < mark.rows(); ++row) {
    const double top = down.begin(row);
    const double bottom = std::min(box.height, down.end(row) + under * down.pitch);
    for (Index column = 0; column < mark.columns(); ++column) {
      const double left = across.begin(column);
      const double right = std::min(box.width, across.end(column) + under * across.pitch);
      set_color(context_, cell_color(number_at(row, column), mark.scale));
      add_box(context_, {box.x + left, box.y + top, right - left, bottom - top});
      cairo_fill(context_);
    }
  }
}

void CairoCanvas::heatmap_image(const HeatmapMark& mark, const Rect& box) {
  PixelImage cells = cell_image(*colored(mark), mark.scale, kMaxImageSide);
  const CairoSurface image = surface_of(cells);
  const Saved saved(context_);
  set_image(context_, image.get(), box);
  cairo_paint(context_);
}

void CairoCanvas::gradient(ColorMap map, const Rect& box) {
  const auto colors = lut(map);
  const CairoSurface image(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(colors.size()), 1));
  if (unsigned char* const data = cairo_image_surface_get_data(image.get())) {
    std::ranges::transform(colors, reinterpret_cast<std::uint32_t*>(data), pixel_of);
    cairo_surface_mark_dirty(image.get());
  }
  const Saved saved(context_);
  if (!bitmap_) {
    set_image(context_, image.get(), box);
    cairo_paint(context_);
    return;
  }
  const Rect pixels = device_box(box);
  cairo_identity_matrix(context_);
  cairo_set_antialias(context_, CAIRO_ANTIALIAS_NONE);
  add_box(context_, pixels);
  set_image(context_, image.get(), pixels);
  cairo_pattern_set_extend(cairo_get_source(context_), CAIRO_EXTEND_PAD);
  cairo_fill(context_);
}

void CairoCanvas::fill(const Rect& box, Rgb color, double opacity) {
  const Saved saved(context_);
  set_color(context_, color, opacity);
  if (bitmap_) {
    const Rect pixels = device_box(box);
    cairo_identity_matrix(context_);
    add_box(context_, pixels);
  } else {
    add_box(context_, box);
  }
  cairo_fill(context_);
}

void CairoCanvas::outline(const Rect& box, Rgb color, double width, double radius) {
  const Saved saved(context_);
  Point begin = {box.x, box.y};
  Point end = {box.right(), box.bottom()};
  if (bitmap_) {
    begin = stroke_point(begin, width);
    end = stroke_point(end, width);
    radius = device_length(radius);
    width = std::max(1.0, std::round(device_length(width)));
    cairo_identity_matrix(context_);
  }
  const double r = std::min({radius, (end.x - begin.x) / 2, (end.y - begin.y) / 2});
  if (r > 0) {
    constexpr double quarter = std::numbers::pi / 2;
    cairo_new_sub_path(context_);
    cairo_arc(context_, end.x - r, begin.y + r, r, -quarter, 0);
    cairo_arc(context_, end.x - r, end.y - r, r, 0, quarter);
    cairo_arc(context_, begin.x + r, end.y - r, r, quarter, 2 * quarter);
    cairo_arc(context_, begin.x + r, begin.y + r, r, 2 * quarter, 3 * quarter);
    cairo_close_path(context_);
  } else {
    add_box(context_, {begin.x, begin.y, end.x - begin.x, end.y - begin.y});
  }
  set_color(context_, color);
  cairo_set_line_width(context_, width);
  cairo_stroke(context_);
}

void CairoCanvas::line(Point from, Point to, Rgb color, double width, bool dashed) {
  const Saved saved(context_);
  if (bitmap_ && (from.x == to.x || from.y == to.y)) {
    from = stroke_point(from, width);
    to = stroke_point(to, width);
    width = std::max(1.0, std::round(device_length(width)));
    cairo_identity_matrix(context_);
  }
  if (dashed) {
    const double lengths[] = {kDashLength * width, kDashLength * width};
    cairo_set_dash(context_, lengths, 2, 0);
  }
  set_color(context_, color);
  cairo_set_line_width(context_, width);
  cairo_move_to(context_, from.x, from.y);
  cairo_line_to(context_, to.x, to.y);
  cairo_stroke(context_);
}

void CairoCanvas::curve(std::span<const Point> points, Rgb color, double opacity, double width, bool dashed) {
  if (points.size() < 2) return;
  const Saved saved(context_);
  if (dashed) {
    const double lengths[] = {kDashLength * width, kDashLength * width};
    cairo_set_dash(context_, lengths, 2, 0);
  }
  set_color(context_, color, opacity);
  cairo_set_line_width(context_, width);
  cairo_set_line_join(context_, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(context_, dashed ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
  // Text leaves a point behind, from which a line would go to the first one here.
  cairo_new_path(context_);
  for (const Point& point : points) cairo_line_to(context_, point.x, point.y);
  cairo_stroke(context_);
}

void CairoCanvas::triangle(Point a, Point b, Point c, Rgb color) {
  cairo_move_to(context_, a.x, a.y);
  cairo_line_to(context_, b.x, b.y);
  cairo_line_to(context_, c.x, c.y);
  cairo_close_path(context_);
  set_color(context_, color);
  cairo_fill(context_);
}

void CairoCanvas::set_span(const TextSpan& span, const PlacedText& text) {
  PangoFontDescription* const font = pango_font_description_new();
  pango_font_description_set_family_static(font, font_families(font_));
  pango_font_description_set_weight(font,
                                    text.weight == FontWeight::regular ? PANGO_WEIGHT_NORMAL : PANGO_WEIGHT_SEMIBOLD);
  pango_font_description_set_absolute_size(font, span_size(span.level, text.size) * PANGO_SCALE);
  pango_layout_set_font_description(layout_.get(), font);
  pango_font_description_free(font);
  const std::string clean = clean_text(span.text);
  pango_layout_set_text(layout_.get(), clean.data(), static_cast<int>(clean.size()));
}

double CairoCanvas::width(const PlacedText& text) {
  double width = 0;
  for (const TextSpan& span : text.spans) {
    set_span(span, text);
    width += line_width(layout_.get());
  }
  return width;
}

void CairoCanvas::text(const PlacedText& text) {
  const Saved saved(context_);
  cairo_translate(context_, text.at.x, text.at.y);
  cairo_rotate(context_, text.angle * std::numbers::pi / 180);
  pango_cairo_update_layout(context_, layout_.get());
  set_color(context_, text.color);
  double x = -left_shift(text.horizontal, width(text));
  const double baseline = baseline_shift(text.vertical, text.size, font_);
  for (const TextSpan& span : text.spans) {
    set_span(span, text);
    cairo_move_to(context_, x, baseline + span_drop(span.level, text.size));
    show_line(context_, layout_.get(), bitmap_);
    x += line_width(layout_.get());
  }
}

}  // namespace attnscope
