// The words that a model would continue its text with, looked up again only when the computation changes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "app/session/next_words.h"

namespace attnscope::ui {

class OfferedWords {
 public:
  /// Those behind the text of `experiment`; none while `trace` is null or still of another text.
  std::span<const NextWord> of(const std::shared_ptr<const Trace>& trace, const Experiment& experiment);

 private:
  std::vector<NextWord> words_;
  std::weak_ptr<const Trace> trace_;  ///< of `words_`; its numbers can be large and are let go
};

}  // namespace attnscope::ui
