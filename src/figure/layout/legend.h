// The colour bars below a figure.
#pragma once

#include <span>
#include <vector>

#include "figure/model/figure.h"

namespace attnscope {

/// What a legend of `bars` takes up where there is no more than `width`: wider only than that when one bar alone is,
/// and `height` higher than a legend of one line.
struct LegendSize {
  double width = 0;
  double height = 0;
};
LegendSize legend_size(std::span<const ColorBarMark> bars, double width);

/// Places `bars`, whose boxes have their sizes, side by side from `at` on, the top left corner of the first title's
/// line. What has no room between `left` and `left + width` goes to further lines, which begin further left if need be.
void place_legend(std::span<ColorBarMark> bars, Point at, double left, double width);

}  // namespace attnscope
