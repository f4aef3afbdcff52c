// What each part of a model adds to a logit. Source: Elhage et al. 2021, A Mathematical Framework for Transformer
// Circuits (direct logit attribution).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/residual/linear_parts.h"
#include "core/residual/residual_stream.h"

namespace attnscope {

/// The residual stream as the sum that it is, for models whose layers only add to it.
struct ResidualSum {
  ResidualStream stream;
  std::vector<int> summands;  ///< steps [token, feature] that add up to the last state, in order
};

/// The error says in one sentence why the parts of the model do not add up to its logits.
Result<ResidualSum> residual_sum(const Trace& trace);

/// Whose logit: all count from 0. With `against`, the logit of `answer` minus that of `against`.
struct LogitChoice {
  Index position = 0;
  Index answer = 0;
  std::optional<Index> against;

  friend bool operator==(const LogitChoice&, const LogitChoice&) = default;
};

/// The chosen logit, or the difference of two, as a function of the last state.
LinearNumber logit_of_state(const Trace& trace, const ResidualStream& stream, const LogitChoice& choice);

/// The parts of a logit; see `Contributions`. Nothing if stopped.
std::optional<Contributions> contributions(const Trace& trace, const ResidualSum& sum, const LogitChoice& choice,
                                           const StopToken& stop = {});

}  // namespace attnscope
