// Where the letters of a figure are.
#pragma once

#include <span>
#include <vector>

#include "figure/model/canvas.h"
#include "support/text_box.h"

namespace attnscope::test {

/// Keeps the places of letters of what is painted on it, with all that hangs below their line.
class LetterBoxes final : public Canvas {
 public:
  void heatmap(const HeatmapMark& /*mark*/, const Rect& /*box*/, double /*gap*/) override {}
  void gradient(ColorMap /*map*/, const Rect& /*box*/) override {}
  void fill(const Rect& /*box*/, Rgb /*color*/, double /*opacity*/) override {}
  void outline(const Rect& /*box*/, Rgb /*color*/, double /*width*/, double /*radius*/) override {}
  void line(Point /*from*/, Point /*to*/, Rgb /*color*/, double /*width*/, bool /*dashed*/) override {}
  void curve(std::span<const Point> /*points*/, Rgb /*color*/, double /*opacity*/, double /*width*/,
             bool /*dashed*/) override {}
  void triangle(Point /*a*/, Point /*b*/, Point /*c*/, Rgb /*color*/) override {}
  void text(const PlacedText& text) override { boxes.push_back(text_box(text).grown(text.size / 4)); }

  std::vector<Rect> boxes;
};

/// In the figure's own units.
inline std::vector<Rect> letter_boxes(const Figure& figure) {
  LetterBoxes canvas;
  paint(figure, palette(Theme::paper), {}, {0, 0, figure.width, figure.height}, canvas);
  return canvas.boxes;
}

}  // namespace attnscope::test
