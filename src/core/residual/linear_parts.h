// A number as the sum of what the parts of a model add to it: a linear function of the residual stream, which is a sum.
#pragma once

#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/base/stop.h"
#include "core/trace/trace.h"

namespace attnscope {

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

/// The parts of a number of the trace. Norms divide by numbers that depend on the whole stream; those are held fixed, and
/// norms are then linear.
struct Contributions {
  std::vector<EmbeddingPart> embeddings;
  std::vector<LayerParts> layers;
  std::optional<double> biases;   ///< of everything between the stream and the number
  std::optional<double> divisor;  ///< of the norm behind the stream, held fixed
  double sum = 0;                 ///< of all parts
  double traced = 0;              ///< the number of the trace
};

/// The numbers of a box in double precision.
std::vector<double> numbers_in(const Trace& trace, const Region& region);

/// number = direction · (a row of the residual stream) + constant.
struct LinearNumber {
  int state = 0;  ///< the step of the stream [token, feature]
  Index row = 0;
  std::vector<double> direction;  ///< [feature]
  double constant = 0;
  bool has_constant = false;
  std::optional<double> divisor;
};

/// The number Σ direction · (cells of `box`) as a function of the residual stream: goes back through the norms, projections
/// and rearrangements between the two. `box` has as many cells as `direction` has numbers. The error says in one sentence why
/// the stream is not a sum there.
Result<LinearNumber> linear_number(const Trace& trace, Region box, std::vector<double> direction);

/// The same as a function of what the projections read: the stream behind the norm of the layer, where there is one.
Result<LinearNumber> linear_input(const Trace& trace, Region box, std::vector<double> direction);

/// The same as a function of the cells of an earlier step, from which `box` is computed without a sum.
Result<LinearNumber> linear_in(const Trace& trace, Region box, std::vector<double> direction, int step);

/// The steps [token, feature] that add up to the stream `state`, in order. The error says in one sentence why there are none.
Result<std::vector<int>> summands_of_stream(const Trace& trace, int state);

/// What each summand adds to the number. `traced` is left to the caller. Nothing if stopped.
std::optional<Contributions> parts_of(const Trace& trace, const std::vector<int>& summands, const LinearNumber& linear,
                                      const StopToken& stop);

}  // namespace attnscope
