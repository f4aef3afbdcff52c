// What wrote a value: what each part of a model adds to a logit through the value that a head reads at a key. Source: Elhage
// et al. 2021, A Mathematical Framework for Transformer Circuits (composition through values).
#pragma once

#include "core/base/result.h"
#include "core/residual/contributions.h"
#include "core/residual/score_parts.h"

namespace attnscope {

/// The parts of what one weight of a head adds to a logit at its query: weight · value, through the output projection, the
/// final norm, whose divisor is held fixed, and the answer's output weights. The parts are those of the stream at the key.
/// `logit.position` is where the answer is read: at the query. The error says in one sentence why there are none, or that it
/// was stopped. The side of the choice does not matter.
Result<Contributions> value_parts(const Trace& trace, const ScoreChoice& choice, const LogitChoice& logit,
                                  const StopToken& stop = {});

}  // namespace attnscope
