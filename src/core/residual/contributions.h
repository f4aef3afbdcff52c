// What each part of a model adds to a logit. Source: Elhage et al. 2021, A Mathematical Framework for Transformer
// Circuits (direct logit attribution).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
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

/// What an attention and the MLP behind it add.
struct LayerParts {
  int weights = -1;  ///< step of the attention weights; −1: there is only an MLP
  std::vector<double> heads;
  std::optional<double> bias;  ///< of the projection of the heads' outputs
  std::optional<double> mlp;
};

/// What a step before the layers adds: an embedding.
struct EmbeddingPart {
  int step = 0;
  double value = 0;
};

/// The parts of a logit. The final norm divides by a number that depends on the whole stream; that number is held fixed,
/// and the norm is then linear.
struct Contributions {
  std::vector<EmbeddingPart> embeddings;
  std::vector<LayerParts> layers;
  std::optional<double> biases;   ///< of the final norm and of the output
  std::optional<double> divisor;  ///< of the final norm, held fixed
  double sum = 0;                 ///< of all parts
  double logit = 0;               ///< of the trace
};

/// Nothing if stopped.
std::optional<Contributions> contributions(const Trace& trace, const ResidualSum& sum, const LogitChoice& choice,
                                           const StopToken& stop = {});

}  // namespace attnscope
