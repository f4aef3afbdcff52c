// Figures drawn by cairo: bitmaps and PDF.
#pragma once

#include <memory>

#include "figure/model/canvas.h"

// Declared as in cairo and pango, because users of this header need neither.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the names are theirs
using cairo_t = struct _cairo;
using PangoLayout = struct _PangoLayout;
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

namespace attnscope {

/// Draws on a cairo context in the units of its matrix, which may scale (both axes alike) and move.
///
/// **Cells.** On a bitmap a heatmap lies on whole pixels: cells have sharp edges, differ in size by at most a pixel and
/// have equal gaps. If there are more cells than pixels, each pixel shows the number of largest magnitude among the
/// cells that it covers. In a vector file cells are rectangles, or, if they are very many, an image with a pixel for
/// each cell (at most 2048 along a side) that asks viewers not to smooth it.
///
/// **Text** is set by pango in `font`, or DejaVu Sans for characters that it lacks, with figures of equal width and
/// without hinting: letters and their places are the same at every resolution. In a PDF it stays text.
///
/// **Lines** and edges that are horizontal or vertical fall on whole pixels of a bitmap too.
class CairoCanvas final : public Canvas {
 public:
  /// `context` must outlive the canvas.
  explicit CairoCanvas(cairo_t* context, FigureFont font = FigureFont::inter);
  ~CairoCanvas() override;
  CairoCanvas(const CairoCanvas&) = delete;
  CairoCanvas& operator=(const CairoCanvas&) = delete;

  void heatmap(const HeatmapMark& mark, const Rect& box, double gap) override;
  void gradient(ColorMap map, const Rect& box) override;
  void fill(const Rect& box, Rgb color, double opacity) override;
  void outline(const Rect& box, Rgb color, double width, double radius) override;
  void line(Point from, Point to, Rgb color, double width, bool dashed) override;
  void curve(std::span<const Point> points, Rgb color, double opacity, double width, bool dashed) override;
  void triangle(Point a, Point b, Point c, Rgb color) override;
  void text(const PlacedText& text) override;
  /// How far `text` advances, wherever it is placed.
  double width(const PlacedText& text);

 private:
  struct LayoutRelease {
    void operator()(PangoLayout* layout) const;
  };

  void heatmap_pixels(const HeatmapMark& mark, const Rect& box, double gap);
  void heatmap_shapes(const HeatmapMark& mark, const Rect& box, double gap);
  void heatmap_image(const HeatmapMark& mark, const Rect& box);
  void set_span(const TextSpan& span, const PlacedText& text);
  /// `box` on whole device pixels, at least one each way, in device units.
  [[nodiscard]] Rect device_box(const Rect& box) const;
  /// `length` in device pixels.
  [[nodiscard]] double device_length(double length) const;
  /// `at` moved to where the edges of a stroke of `width` along the axes lie between pixels.
  [[nodiscard]] Point stroke_point(Point at, double width) const;

  cairo_t* context_;
  FigureFont font_;
  bool bitmap_;
  std::unique_ptr<PangoLayout, LayoutRelease> layout_;
};

}  // namespace attnscope
