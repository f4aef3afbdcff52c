// Every position in a figure, to move its parts.
#pragma once

#include "figure/model/figure.h"

namespace attnscope {

/// Calls `move(x, y)` with the position of every mark, which it may change; sizes stay.
template <typename Move>
void map_points(Figure& figure, const Move& move) {
  const auto box = [&](auto& marks) {
    for (auto& mark : marks) move(mark.box.x, mark.box.y);
  };
  box(figure.heatmaps);
  box(figure.pixels);
  box(figure.bars);
  box(figure.words);
  box(figure.color_bars);
  box(figure.targets);
  for (TextMark& mark : figure.texts) move(mark.at.x, mark.at.y);
  for (LineMark& mark : figure.lines) {
    move(mark.from.x, mark.from.y);
    move(mark.to.x, mark.to.y);
  }
  for (CurveMark& mark : figure.curves) {
    for (Point& point : mark.points) move(point.x, point.y);
  }
  for (StrandsMark& mark : figure.strands) {
    for (Strand& strand : mark.strands) {
      move(strand.from.x, strand.from.y);
      move(strand.to.x, strand.to.y);
    }
  }
}

}  // namespace attnscope
