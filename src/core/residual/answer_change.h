// What interventions do to a model's answer.
#pragma once

#include <memory>
#include <optional>

#include "core/base/stop.h"
#include "core/residual/lens.h"
#include "core/residual/residual_stream.h"

namespace attnscope {

/// The answer at a position without interventions, and what became of it.
struct AnswerChange {
  Answer before;               ///< the most probable one
  Answer after;                ///< the same answer with the interventions
  double logit = 0;            ///< after − before
  double log_probability = 0;  ///< after − before, natural logarithm
  double divergence = 0;       ///< Kullback–Leibler: Σ before · ln(before / after) over all answers
};

/// The same experiment without its interventions. Null if stopped, or if it cannot be computed.
std::shared_ptr<const Trace> without_interventions(const Trace& trace, const StopToken& stop = {});

/// Compares the answers of two traces of one model, `before` and `after`, at `position`, which both have.
AnswerChange answer_change(const Trace& before, const Trace& after, Index position);

/// The same for one answer instead of the most probable one.
AnswerChange change_of_answer(const Trace& before, const Trace& after, Index position, Index answer);

/// ln softmax of logits, in double precision.
std::vector<double> log_softmax(std::span<const float> logits);

}  // namespace attnscope
