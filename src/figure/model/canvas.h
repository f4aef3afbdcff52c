// Painting a figure: one traversal for every kind of output.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/explain/explain.h"
#include "figure/model/figure.h"
#include "figure/style/markup.h"
#include "figure/style/palette.h"

namespace attnscope {

/// Text as a canvas gets it: placed and coloured, in output units.
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

/// A strand as a canvas gets it, in output units.
struct PlacedStrand {
  Point from;
  Point to;
  Rgb color;
  double opacity = 1;
  double width = 1;
};

/// What a figure is painted with: the window, a bitmap, a vector file. Coordinates are the output's own, y downwards.
class Canvas {
 public:
  virtual ~Canvas() = default;

  /// The matrix of `mark` in `box`. Cells are divided by `gap` units of background (0: none). Where cells are smaller
  /// than the output can show, the value of largest magnitude stands for those it covers.
  virtual void heatmap(const HeatmapMark& mark, const Rect& box, double gap) = 0;
  /// The colours of a scale, low at the left.
  virtual void gradient(ColorMap map, const Rect& box) = 0;
  virtual void fill(const Rect& box, Rgb color, double opacity) = 0;
  virtual void outline(const Rect& box, Rgb color, double width, double radius) = 0;
  virtual void line(Point from, Point to, Rgb color, double width, bool dashed) = 0;
  /// A line through all of `points`, with round joints. `opacity` is that of the whole.
  virtual void curve(std::span<const Point> points, Rgb color, double opacity, double width, bool dashed) = 0;
  /// All strands of a figure at once, in the order in which they cover each other.
  virtual void strands(std::span<const PlacedStrand> strands);
  virtual void triangle(Point a, Point b, Point c, Rgb color) = 0;
  virtual void text(const PlacedText& text) = 0;

  /// Whether painting waits for the numbers in cells, however long they take to come, or leaves them out until they are
  /// ready.
  [[nodiscard]] virtual bool waits_for_numbers() const { return true; }
};

/// From figure to output: positions are scaled by `scale` and then moved by `offset`; type is scaled by `type_scale`,
/// so that a window that zooms into cells keeps its letters at reading size.
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

/// Paints everything but the background. Numbers are written into cells that have room for them, labels that would
/// touch each other are thinned out, and nothing outside `visible` (output units) is painted. Of the strands those that
/// end at `isolated`, where it is not negative.
void paint(const Figure& figure, const Palette& palette, const FigureTransform& transform, const Rect& visible,
           Canvas& canvas, int isolated = -1);

/// Frames around cells, drawn over a painted figure: `cell` strongly, the boxes of `regions` in every heatmap that
/// shows some of them.
void paint_highlights(const Figure& figure, std::span<const Region> regions, const std::optional<Region>& cell,
                      const Palette& palette, const FigureTransform& transform, Canvas& canvas);

/// The part of a heatmap's box that shows cells of `region`, if any.
std::optional<Rect> region_box(const HeatmapMark& mark, const Rect& box, const Region& region);

}  // namespace attnscope
