// The score that a view of one query and one key shows.
#pragma once

#include <memory>
#include <string>
#include <tuple>

#include "core/residual/score_parts.h"
#include "core/trace/trace.h"

namespace attnscope {

/// The score that the options `attention`, `layer`, `head`, `query` and `key` choose, in a trace that has attention; numbers
/// beyond the last choose the last. The side is the query's.
ScoreChoice chosen_pair(const Trace& trace, const ParameterValues& options);

/// What is made of that score and of the logits, as a key of `ViewOptions::cache`.
using PairSource = std::tuple<std::shared_ptr<const Tensor>, std::shared_ptr<const Tensor>,
                              std::shared_ptr<const LazyTensors>, ScoreChoice>;
PairSource pair_source(const Trace& trace, const ScoreChoice& choice);

/// "“cat” (3)": the query or the key of that score, with its position; the position alone where it has no name.
std::string pair_token(const Trace& trace, const ScoreChoice& choice, ScoreSide side);

}  // namespace attnscope
