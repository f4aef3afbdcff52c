// The circuits of a head as matrices over the whole vocabulary, from embeddings alone, without what positions and earlier
// layers add. Source: Elhage et al. 2021, A Mathematical Framework for Transformer Circuits (QK and OV circuits).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "core/matrix/matrix_source.h"
#include "core/residual/score_parts.h"
#include "core/trace/lazy_tensors.h"

namespace attnscope {

/// A matrix [token, token] of a vocabulary, as the product of two thin ones: of 50,000 tokens it has 2.5 billion numbers, and
/// is computed where somebody looks; a small one is held.
struct TokenCircuit {
  std::shared_ptr<const LazyTensors> product;
  std::shared_ptr<const MatrixSource> matrix;
  Index tokens = 0;
  bool fixed_norm = false;  ///< queries or keys are normalized once more, with the divisors of the text's own tokens
};

/// Whether the score of two tokens depends on their positions by more than their embeddings: queries and keys are rotated.
bool turns_queries_and_keys(const Trace& trace);

/// The score of each token as a query (rows) for each token as a key (columns), at the positions of `choice`. The error says
/// in one sentence why there is none, or that it was stopped.
Result<TokenCircuit> query_key_circuit(const Trace& trace, const ScoreChoice& choice, const StopToken& stop = {});

/// What attending to each token (rows) with weight 1 adds to the logit of each token (columns) at the query of `choice`; the
/// divisor of the final norm is held fixed.
Result<TokenCircuit> output_value_circuit(const Trace& trace, const ScoreChoice& choice, const StopToken& stop = {});

struct TokenPair {
  Index row = 0;
  Index column = 0;
  float value = 0;

  friend bool operator==(const TokenPair&, const TokenPair&) = default;
};

/// The extreme ones first.
struct TokenPairs {
  std::vector<TokenPair> largest;
  std::vector<TokenPair> smallest;
};

/// The pairs with the `count` largest and smallest numbers of the whole matrix. The error says that it was stopped.
Result<TokenPairs> extreme_pairs(const TokenCircuit& circuit, std::size_t count, const StopToken& stop = {},
                                 const std::function<void(double share)>& progress = {});

}  // namespace attnscope
