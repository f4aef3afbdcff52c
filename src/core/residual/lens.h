// The logit lens: what a model would say after each of its layers. Source: nostalgebraist 2020, interpreting GPT: the
// logit lens.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/residual/residual_stream.h"

namespace attnscope {

/// An answer of a model: a token of its vocabulary, or a label.
struct Answer {
  Index number = 0;  ///< id of the token
  double logit = 0;
  double probability = 0;
};

/// The `count` answers with the largest logits, the largest first; fewer if there are fewer. `probabilities` are those
/// of the same answers, or empty: then they are the softmax of the logits.
std::vector<Answer> most_probable(std::span<const float> logits, std::span<const float> probabilities, Index count);

/// The most probable answers at `position`, from the trace's own logits and probabilities.
std::vector<Answer> output_answers(const Trace& trace, const ResidualStream& stream, Index position, Index count);

/// The same if state number `state` were the last; its logits are computed now.
std::vector<Answer> answers_after(const Trace& trace, const ResidualStream& stream, std::size_t state, Index position,
                                  Index count, const StopToken& stop = {});

/// The most probable answer of every state at some positions.
struct Lens {
  Index first = 0;  ///< position
  Index positions = 0;
  std::vector<Answer> answers;  ///< [state, position]

  [[nodiscard]] const Answer& at(std::size_t state, Index position) const {
    return answers[state * static_cast<std::size_t>(positions) + static_cast<std::size_t>(position - first)];
  }
};

/// The lens at `count` positions from `first` on, all of which have logits. The vocabulary is gone through in parts, and
/// each part of the output table is read once. Nothing if stopped.
std::optional<Lens> lens(const Trace& trace, const ResidualStream& stream, Index first, Index count,
                         const StopToken& stop = {});

}  // namespace attnscope
