// Pages: how views show very many things, some at a time.
#pragma once

#include <string>

#include "core/base/tensor.h"
#include "core/experiment/parameter.h"

namespace attnscope {

/// The most matrices with a name each on one page.
inline constexpr Index kMaxPanels = 1024;

/// A run of consecutive things, numbered from 0, out of `of`.
struct Page {
  Index first = 0;
  Index count = 0;
  Index of = 0;
  Index number = 1;  ///< of the page, from 1
  Index pages = 1;

  [[nodiscard]] Index end() const { return first + count; }
  [[nodiscard]] bool is_all() const { return pages <= 1; }
  /// "heads 1–1,024 of 100,000 · page 1 of 98"; empty where the page has all.
  [[nodiscard]] std::string text(const std::string& things) const;
};

/// The number of pages for `of` things with `most` on each; at least 1.
Index page_count(Index of, Index most);

/// Page `number`, from 1, of `of` things with `most` (> 0) on each; the last page for larger numbers.
Page page_of(Index of, Index most, Index number);

/// The option "page" of a view.
Parameter page_option();

}  // namespace attnscope
