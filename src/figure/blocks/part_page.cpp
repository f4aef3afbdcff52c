#include "figure/blocks/part_page.h"

#include <algorithm>

#include "figure/layout/chart.h"

namespace attnscope {

Figure part_page(PartMap& map, const PartPage& page, const ViewOptions& options) {
  constexpr double kPageMargin = 16;
  constexpr double kPageTitle = 26;
  constexpr double kPageBetween = 16;
  constexpr double kPageLegendHeight = 54;
  constexpr double kPageWidest = 880;
  constexpr double kPageLeastWidth = 360;
  Figure figure;
  const double least = std::max({kPageLeastWidth, map.least_width(), page.title(nullptr, {})});
  figure.width = std::max(options.width, least + 2 * kPageMargin);
  const double width = std::max(least, std::min(figure.width - 2 * kPageMargin, kPageWidest));
  const double chips = options.for_file ? 0 : page.chips_height;
  const double line = add_result(nullptr, "", page.line, {}, width);
  const double fixed = 2 * kPageMargin + kPageTitle + line + chips + kPageBetween + kPageLegendHeight +
                       add_caption(nullptr, "", page.caption, {}, width);
  map.fit(width, options.height > 0 ? std::max(1.0, options.height - fixed) : 0);
  const double height = fixed + map.height();
  figure.height = std::max(options.height, height);
  Point at = {(figure.width - width) / 2, kPageMargin + (figure.height - height) / 2};
  page.title(&figure, at);
  at.y += kPageTitle;
  at.y += add_result(&figure, page.line_id, page.line, at, width);
  if (page.add_chips && !options.for_file) page.add_chips(figure, at, width);
  at.y += chips + kPageBetween;
  map.add(figure, at);
  at.y += map.height();
  map.add_legend(figure, page.legend_id, at, kPageMargin, page.legend_words);
  add_caption(&figure, "caption", page.caption, {at.x, at.y + kPageLegendHeight}, width);
  return figure;
}

}  // namespace attnscope
