// The colour bars below a figure.
#pragma once

#include <span>
#include <vector>

#include "figure/model/figure.h"

namespace attnscope {

/// The size of a legend of `bars` in `width`: wider only where a single bar is, and `height` higher than one line.
struct LegendSize {
  double width = 0;
  double height = 0;
};
LegendSize legend_size(std::span<const ColorBarMark> bars, double width);

/// Places `bars`, whose boxes have sizes, side by side from `at` on, the top left corner of the first title's line.
/// Bars that do not fit between `left` and `left + width` go to further lines, which begin further left if necessary.
void place_legend(std::span<ColorBarMark> bars, Point at, double left, double width);

}  // namespace attnscope
