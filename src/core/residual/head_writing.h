// What a head writes, as far as the logits.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "core/residual/residual_stream.h"
#include "core/residual/score_parts.h"

namespace attnscope {

/// What attending to a value [dim] with weight 1 adds to the state that the logits are read from, at the query of `choice`:
/// through the output projection and the final norm, whose divisor is held fixed; [feature]. The error says in one sentence
/// why the head's output is not added to that state.
Result<std::vector<double>> written_state(const Trace& trace, const ResidualStream& stream, const ScoreChoice& choice,
                                          std::span<const float> value);

/// Whether heads of the attention at step `weights` write for the answer, and answers are tokens; the error says why not.
Result<void> check_writing(const Trace& trace, const ResidualStream& stream, int weights);

/// The logit of a token is its row of output weights times the state, divided by this.
double logit_divisor(const Trace& trace, const ResidualStream& stream);

/// Calls `use` for all tokens in order, with the id of the first of some and their output weights [token, feature]. Fails if
/// they were not read before `stop` was requested.
Result<void> read_output_weights(const Trace& trace, const ResidualStream& stream, const StopToken& stop,
                                 const std::function<void(Index first, std::span<const float> rows)>& use);

}  // namespace attnscope
