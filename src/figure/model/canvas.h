// Painting a figure: the same traversal for every output.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/explain/explain.h"
#include "figure/model/figure.h"
#include "figure/style/markup.h"
#include "figure/style/palette.h"

namespace attnscope {

/// Text with its place and colour, in output units.
struct PlacedText {
  Point at;
  std::vector<TextSpan> spans;
  double size = TypeSize::kBody;
  FontWeight weight = FontWeight::regular;
  Rgb color;
  HorizontalAlign horizontal = HorizontalAlign::left;
  VerticalAlign vertical = VerticalAlign::baseline;
  double angle = 0;
};

/// A strand with its place and colour, in output units.
struct PlacedStrand {
  Point from;
  Point to;
  Rgb color;
  double opacity = 1;
  double width = 1;
};

/// The output a figure is painted on: the window, a bitmap or a vector file. Coordinates are output units, y downwards.
class Canvas {
 public:
  virtual ~Canvas() = default;

  /// The matrix of `mark` in `box`. Gaps of `gap` units of background divide the cells (0: none). Where one pixel
  /// covers several cells, it shows the value of largest magnitude.
  virtual void heatmap(const HeatmapMark& mark, const Rect& box, double gap) = 0;
  /// The colours of a scale, low at the left.
  virtual void gradient(ColorMap map, const Rect& box) = 0;
  virtual void fill(const Rect& box, Rgb color, double opacity) = 0;
  virtual void outline(const Rect& box, Rgb color, double width, double radius) = 0;
  virtual void line(Point from, Point to, Rgb color, double width, bool dashed) = 0;
  /// A line through all of `points`, with round joints. `opacity` applies to the line as a whole.
  virtual void curve(std::span<const Point> points, Rgb color, double opacity, double width, bool dashed) = 0;
  /// All strands of a figure at once, the lowest first.
  virtual void strands(std::span<const PlacedStrand> strands);
  virtual void triangle(Point a, Point b, Point c, Rgb color) = 0;
  virtual void text(const PlacedText& text) = 0;

  /// Whether painting waits for the numbers in cells however long they take, or leaves them out until they are ready.
  [[nodiscard]] virtual bool waits_for_numbers() const { return true; }
};

/// From figure to output: positions are scaled by `scale`, then moved by `offset`; type is scaled by `type_scale`, so
/// that letters keep their size while the window zooms into cells.
struct FigureTransform {
  double scale = 1;
  double type_scale = 1;
  Point offset;

  [[nodiscard]] Point apply(Point p) const { return {p.x * scale + offset.x, p.y * scale + offset.y}; }
  [[nodiscard]] Rect apply(const Rect& r) const {
    return {r.x * scale + offset.x, r.y * scale + offset.y, r.width * scale, r.height * scale};
  }
  [[nodiscard]] Point invert(Point p) const { return {(p.x - offset.x) / scale, (p.y - offset.y) / scale}; }
};

/// Paints everything but the background. Cells show their numbers where those fit, labels that would touch are thinned
/// out, and nothing outside `visible` (output units) is painted. If `isolated` is not negative, only strands that end
/// there are painted.
void paint(const Figure& figure, const Palette& palette, const FigureTransform& transform, const Rect& visible,
           Canvas& canvas, int isolated = -1);

/// Frames around cells, drawn over a painted figure: a strong one around `cell`, and one around each of `regions` in
/// every heatmap that shows part of it.
void paint_highlights(const Figure& figure, std::span<const Region> regions, const std::optional<Region>& cell,
                      const Palette& palette, const FigureTransform& transform, Canvas& canvas);

/// The part of a heatmap's box that shows cells of `region`, if any.
std::optional<Rect> region_box(const HeatmapMark& mark, const Rect& box, const Region& region);

}  // namespace attnscope
