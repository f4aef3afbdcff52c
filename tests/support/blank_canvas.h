// A canvas to begin with: it paints nothing.
#pragma once

#include <span>

#include "figure/model/canvas.h"

namespace attnscope::test {

class BlankCanvas : public Canvas {
 public:
  void heatmap(const HeatmapMark& /*mark*/, const Rect& /*box*/, double /*gap*/) override {}
  void gradient(ColorMap /*map*/, const Rect& /*box*/) override {}
  void fill(const Rect& /*box*/, Rgb /*color*/, double /*opacity*/) override {}
  void outline(const Rect& /*box*/, Rgb /*color*/, double /*width*/, double /*radius*/) override {}
  void line(Point /*from*/, Point /*to*/, Rgb /*color*/, double /*width*/, bool /*dashed*/) override {}
  void curve(std::span<const Point> /*points*/, Rgb /*color*/, double /*opacity*/, double /*width*/,
             bool /*dashed*/) override {}
  void triangle(Point /*a*/, Point /*b*/, Point /*c*/, Rgb /*color*/) override {}
  void text(const PlacedText& /*text*/) override {}
};

}  // namespace attnscope::test
