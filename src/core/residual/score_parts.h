// What wrote a score: what each part of a model adds to q · k, through its query or through its key. Source: Elhage et al.
// 2021, A Mathematical Framework for Transformer Circuits (composition).
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/residual/linear_parts.h"

namespace attnscope {

enum class ScoreSide {
  query,  ///< the stream at the query's token, with the key held fixed
  key,    ///< the stream at the key's token, with the query held fixed
};

/// A score of the attention whose weights are at step `weights`; all count from 0.
struct ScoreChoice {
  int weights = 0;
  Index head = 0;
  Index query = 0;
  Index key = 0;
  ScoreSide side = ScoreSide::query;

  friend bool operator==(const ScoreChoice&, const ScoreChoice&) = default;
};

/// A score as a sum over the numbers of its query, or of its key, each times a factor. The other side is held fixed.
struct ScoreDirection {
  Region box;                     ///< where the numbers are
  std::vector<double> direction;  ///< their factors, in the order of the box
  double score = 0;               ///< before mask and bias
  double divisor = 1;             ///< of the score, in the factors
};
Result<ScoreDirection> score_direction(const Trace& trace, const ScoreChoice& choice);

/// The parts of a score before mask and bias. The error says in one sentence why there are none, or that it was stopped.
Result<Contributions> score_parts(const Trace& trace, const ScoreChoice& choice, const StopToken& stop = {});

}  // namespace attnscope
