#include "ui/parts/offered_words.h"

#include "app/session/text_edits.h"
#include "core/experiment/experiment.h"

namespace attnscope::ui {
namespace {

// As many as the line above a text has room for.
constexpr Index kOffered = 5;

}  // namespace

std::span<const NextWord> OfferedWords::of(const std::shared_ptr<const Trace>& trace, const Experiment& experiment) {
  const int which = continued_text(experiment);
  if (which == 0 || trace == nullptr || !same_computation(trace->experiment(), experiment)) return {};
  const std::shared_ptr<const Trace> before = trace_.lock();
  if (before != trace) {
    if (before == nullptr || !same_computation(before->experiment(), trace->experiment()))
      words_ = next_words(*trace, kOffered);
    trace_ = trace;
  }
  return words_;
}

}  // namespace attnscope::ui
