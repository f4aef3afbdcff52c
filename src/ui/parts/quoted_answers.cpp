#include "ui/parts/quoted_answers.h"

#include <algorithm>

#include "core/experiment/experiment.h"

namespace attnscope::ui {
namespace {

// As many as one line has room for.
constexpr Index kShown = 5;

}  // namespace

std::span<const WordsAfter> QuotedAnswers::of(const std::shared_ptr<const Trace>& trace, const Experiment& experiment,
                                              std::span<const Index> positions) {
  if (positions.empty() || trace == nullptr || !same_computation(trace->experiment(), experiment)) return {};
  if (trace_.lock() == trace && std::ranges::equal(positions, positions_)) return answers_;
  answers_.clear();
  for (const Index position : positions) answers_.push_back(words_after(*trace, position, kShown));
  positions_.assign(positions.begin(), positions.end());
  trace_ = trace;
  return answers_;
}

}  // namespace attnscope::ui
