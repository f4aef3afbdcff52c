#include "figure/layout/page.h"

#include <algorithm>

#include "core/base/text.h"

namespace attnscope {

std::string Page::text(const std::string& things) const {
  if (is_all()) return {};
  return things + " " + grouped_text(first + 1) + "–" + grouped_text(end()) + " of " + grouped_text(of) + " · page " +
         grouped_text(number) + " of " + grouped_text(pages);
}

Index page_count(Index of, Index most) { return std::max<Index>(1, of / most + (of % most > 0 ? 1 : 0)); }

Page page_of(Index of, Index most, Index number) {
  Page page;
  page.of = of;
  page.pages = page_count(of, most);
  page.number = std::clamp<Index>(number, 1, page.pages);
  page.first = (page.number - 1) * most;
  page.count = std::min(most, of - page.first);
  return page;
}

Parameter page_option() { return integer_parameter("page", "Page", "The page to show.", 1, 1, 10); }

}  // namespace attnscope
