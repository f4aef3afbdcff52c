// Figures as SVG, written here: letters stay text, and the same figure gives the same bytes.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "figure/model/canvas.h"

namespace attnscope {

/// Writes an SVG 1.1 document whose units are logical pixels, 96 per inch. Writing needs no font: the reader sets the
/// text, in the font of the figure if it has that, and aligns it.
///
/// Cells are shapes, those of one colour in one path; very many cells are an embedded PNG with a pixel for each (at
/// most 2048 along a side) that asks viewers not to smooth it. The title of a heatmap is its `about`, for tooltips and
/// screen readers.
class SvgCanvas final : public Canvas {
 public:
  /// A page of `width` × `height` units, filled with `background`. `title` may be empty.
  SvgCanvas(double width, double height, std::string_view title, Rgb background, FigureFont font = FigureFont::inter);

  /// Adds the figure's caption, and JSON about its source for programs. Call it before drawing.
  void annotate(std::string_view caption, std::string_view source);

  /// The document so far; empty if there was no memory for an embedded image.
  [[nodiscard]] std::string document() const;

  void heatmap(const HeatmapMark& mark, const Rect& box, double gap) override;
  void gradient(ColorMap map, const Rect& box) override;
  void fill(const Rect& box, Rgb color, double opacity) override;
  void outline(const Rect& box, Rgb color, double width, double radius) override;
  void line(Point from, Point to, Rgb color, double width, bool dashed) override;
  void curve(std::span<const Point> points, Rgb color, double opacity, double width, bool dashed) override;
  void triangle(Point a, Point b, Point c, Rgb color) override;
  void text(const PlacedText& text) override;

 private:
  void heatmap_shapes(const HeatmapMark& mark, const Rect& box, double gap);
  void heatmap_image(const HeatmapMark& mark, const Rect& box);
  void define_gradient(ColorMap map);

  FigureFont font_;
  std::string head_;
  std::string body_;
  std::set<ColorMap> gradients_;  ///< already defined in the document
  bool complete_ = true;
};

}  // namespace attnscope
