// Pages: what a view shows at once of things that may be very many.
#pragma once

#include <string>

#include "core/base/tensor.h"
#include "core/experiment/parameter.h"

namespace attnscope {

/// So many matrices are shown at once where each has a name of its own.
inline constexpr Index kMaxPanels = 1024;

/// A run of things, of `of`, that are numbered from 0.
struct Page {
  Index first = 0;
  Index count = 0;
  Index of = 0;
  Index number = 1;  ///< of the page, from 1
  Index pages = 1;

  [[nodiscard]] Index end() const { return first + count; }
  [[nodiscard]] bool is_all() const { return pages <= 1; }
  /// "heads 1–1,024 of 100,000 · page 1 of 98"; nothing where the page has all.
  [[nodiscard]] std::string text(const std::string& things) const;
};

/// How many pages of `most` things each `of` things take; 1 at least.
Index page_count(Index of, Index most);

/// Page `number`, from 1, of `of` things, `most` (> 0) on each; behind the last page, the last one.
Page page_of(Index of, Index most, Index number);

/// The option "page" of a view.
Parameter page_option();

}  // namespace attnscope
