// Figures drawn by a browser: bitmaps on a canvas that no page shows.
#pragma once

#include <vector>

#include "core/base/result.h"
#include "figure/model/canvas.h"
#include "io/canvas/pixels.h"

namespace attnscope {

/// Draws on a bitmap of `width` × `height` pixels, with `scale` pixels to an output unit. Cells, lines and edges along the
/// axes lie on whole pixels, as `CairoCanvas` has them. Text is set by the browser, in the fonts of the page and of the
/// system. One at a time.
class BrowserCanvas final : public Canvas {
 public:
  /// An error where the browser has no such canvas, or no memory for it.
  static Result<void> check();

  BrowserCanvas(int width, int height, double scale, Rgb background, FigureFont font);
  ~BrowserCanvas() override;
  BrowserCanvas(const BrowserCanvas&) = delete;
  BrowserCanvas& operator=(const BrowserCanvas&) = delete;

  void heatmap(const HeatmapMark& mark, const Rect& box, double gap) override;
  void gradient(ColorMap map, const Rect& box) override;
  void fill(const Rect& box, Rgb color, double opacity) override;
  void outline(const Rect& box, Rgb color, double width, double radius) override;
  void line(Point from, Point to, Rgb color, double width, bool dashed) override;
  void curve(std::span<const Point> points, Rgb color, double opacity, double width, bool dashed) override;
  void triangle(Point a, Point b, Point c, Rgb color) override;
  void text(const PlacedText& text) override;

  /// What was drawn.
  [[nodiscard]] PixelImage pixels() const;

 private:
  /// `box` on whole pixels, at least one each way.
  [[nodiscard]] Rect device_box(const Rect& box) const;
  /// `at` moved to where the edges of a stroke of `width` pixels along the axes lie between pixels.
  [[nodiscard]] Point stroke_point(Point at, double width) const;
  [[nodiscard]] double stroke_width(double width) const;
  /// Strokes a line through points that lie in pixels.
  void stroke(std::span<const Point> points, Rgb color, double opacity, double width, bool dashed, bool round) const;

  int width_;
  int height_;
  double scale_;
  FigureFont font_;
};

}  // namespace attnscope
