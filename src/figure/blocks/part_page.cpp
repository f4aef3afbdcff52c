#include "figure/blocks/part_page.h"

#include <algorithm>

#include "figure/layout/chart.h"

namespace attnscope {

Figure part_page(PartMap& map, const PartPage& page, const ViewOptions& options) {
  constexpr double kMargin = 16;
  constexpr double kTitle = 26;
  constexpr double kLine = 26;
  constexpr double kBetween = 16;
  constexpr double kLegendHeight = 54;
  constexpr double kWidest = 880;
  constexpr double kLeastWidth = 360;
  Figure figure;
  const double least =
      std::max({kLeastWidth, map.least_width(), page.title(nullptr, {}), text_width(page.line, TypeSize::kBody)});
  figure.width = std::max(options.width, least + 2 * kMargin);
  const double width = std::max(least, std::min(figure.width - 2 * kMargin, kWidest));
  const double fixed = 2 * kMargin + kTitle + kLine + page.chips_height + kBetween + kLegendHeight +
                       add_caption(nullptr, "", page.caption, {}, width);
  map.fit(width, options.height > 0 ? std::max(1.0, options.height - fixed) : 0);
  const double height = fixed + map.height();
  figure.height = std::max(options.height, height);
  Point at = {(figure.width - width) / 2, kMargin + (figure.height - height) / 2};
  page.title(&figure, at);
  at.y += kTitle;
  figure.texts.push_back(chart_text(page.line_id, {at.x, at.y + 11}, page.line, Ink::text, TypeSize::kBody));
  at.y += kLine;
  if (page.add_chips) page.add_chips(figure, at, width);
  at.y += page.chips_height + kBetween;
  map.add(figure, at);
  at.y += map.height();
  map.add_legend(figure, page.legend_id, at, kMargin, page.legend_words);
  add_caption(&figure, "caption", page.caption, {at.x, at.y + kLegendHeight}, width);
  return figure;
}

}  // namespace attnscope
