#include "figure/layout/legend.h"

#include <algorithm>

#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr double kTitleDistance = 8;
constexpr double kBetween = 26;
constexpr double kLineHeight = 32;

/// The start of each title, relative to the legend's top left corner.
struct Arrangement {
  std::vector<Point> titles;
  double width = 0;
};

double title_width(const ColorBarMark& bar) {
  return markup_width(bar.title, TypeSize::kSmall, FontWeight::regular) + kTitleDistance;
}

Arrangement arrange(std::span<const ColorBarMark> bars, double width) {
  Arrangement arrangement;
  Point at;
  for (const ColorBarMark& bar : bars) {
    const double needed = title_width(bar) + bar.box.width;
    if (at.x > 0 && at.x + needed > width) at = {0, at.y + kLineHeight};
    arrangement.titles.push_back(at);
    arrangement.width = std::max(arrangement.width, at.x + needed);
    at.x += needed + kBetween;
  }
  return arrangement;
}

}  // namespace

LegendSize legend_size(std::span<const ColorBarMark> bars, double width) {
  if (bars.empty()) return {};
  const Arrangement arrangement = arrange(bars, width);
  return {arrangement.width, arrangement.titles.back().y};
}

void place_legend(std::span<ColorBarMark> bars, Point at, double left, double width) {
  const Arrangement arrangement = arrange(bars, width);
  const double start = std::max(left, std::min(at.x, left + width - arrangement.width));
  for (std::size_t i = 0; i < bars.size(); ++i) {
    bars[i].box.x = start + arrangement.titles[i].x + title_width(bars[i]);
    bars[i].box.y = at.y + arrangement.titles[i].y;
  }
}

}  // namespace attnscope
