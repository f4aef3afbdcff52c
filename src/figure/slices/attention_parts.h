// The steps of a trace that an attention consists of, found by the operations of its plan: from the weights back to
// queries and keys, and on to the output.
#pragma once

#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace attnscope {

/// Null, or empty: the attention has no such step.
struct AttentionParts {
  const Step* queries = nullptr;   ///< as the scores take them; null: the scores were imported
  const Step* keys = nullptr;      ///< the same
  const Step* additive = nullptr;  ///< hidden layer of the network that scores; null: scores are dot products
  const Step* scores = nullptr;
  const Step* biased = nullptr;  ///< with a bias for distances
  const Step* masked = nullptr;
  const Step* weights = nullptr;
  const Step* dropped = nullptr;
  const Step* values = nullptr;    ///< as the weighted sum takes them
  std::vector<const Step*> heads;  ///< the weighted sums, and what became of them where heads are off or changed
  const Step* merged = nullptr;    ///< of all heads
  const Step* output = nullptr;    ///< of the output projection
};

/// Of the attention with these weights, which a softmax made.
AttentionParts attention_parts(const Trace& trace, const Step& weights);

/// The input of a step.
const Step& input_of(const Trace& trace, const Step& step, std::size_t i);

/// The operand of a product and what it is made of, up to the projection: rotated, normalized, scaled, repeated.
std::vector<const Step*> chain_of(const Trace& trace, const Step& operand);

/// What the projection reads that makes the operand; null where there is none.
const Step* origin_of(const Trace& trace, const Step& operand);

/// Whether the weight of a product is stored as in layers, [out, in], and is its transposed right factor.
bool is_stored_transposed(const Step& product);

/// Whether the tensor's rows are positions and its columns features.
bool positions_are_rows(const Step& step);

/// The tensor's name without the prefix of its layer.
std::string_view last_name(const Step& step);

/// Whether the step has an operation of that name.
inline bool is_called(const Step& step, std::string_view operation) { return step.operation->name() == operation; }

}  // namespace attnscope
