// What a model answers at the positions that a lesson's step quotes, looked up again only when the computation changes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "app/session/next_words.h"

namespace attnscope::ui {

class QuotedAnswers {
 public:
  /// Those for the text of `experiment` at `positions`, from 0; none while `trace` is null or still of another text.
  std::span<const WordsAfter> of(const std::shared_ptr<const Trace>& trace, const Experiment& experiment,
                                 std::span<const Index> positions);

 private:
  std::vector<WordsAfter> answers_;
  std::vector<Index> positions_;
  std::weak_ptr<const Trace> trace_;  ///< of `answers_`; its numbers can be large and are let go
};

}  // namespace attnscope::ui
