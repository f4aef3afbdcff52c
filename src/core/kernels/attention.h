// Scores, mask, softmax and weighted sum in one go: while a few rows are in the cache, everything is done with them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/base/tensor.h"
#include "core/base/thread_pool.h"
#include "core/kernels/contraction.h"
#include "core/kernels/softmax.h"

namespace attnscope {

/// One head's tensors. Rows are `…_row` elements apart, the numbers of a row lie side by side; what is [queries, keys]
/// is dense, and left out where the pointer is null.
struct AttentionHead {
  const float* q = nullptr;  ///< [queries, dim]
  Index q_row = 0;
  const float* k = nullptr;  ///< [keys, dim]
  Index k_row = 0;
  const float* v = nullptr;  ///< [keys, value_dim], or null
  Index v_row = 0;
  const KeptKeys* kept = nullptr;      ///< [queries]: a mask, or
  const std::uint8_t* keep = nullptr;  ///< [queries, keys]: one with 0 where it takes the score away, or neither
  float* scores = nullptr;             ///< [queries, keys] q · k / divisor
  float* masked_scores = nullptr;      ///< [queries, keys] the fill where the mask takes the score away
  float* weights = nullptr;            ///< [queries, keys] softmax of those
  float* output = nullptr;             ///< [queries, value_dim] weights · v, if there is a v
  Index output_row = 0;
};

struct AttentionSizes {
  Index queries = 0;
  Index keys = 0;
  Index dim = 0;
  Index value_dim = 0;
};

struct AttentionOptions {
  float divisor = 1;
  float temperature = 1;
  float fill = 0;  ///< of masked scores
};

/// Computes all heads, bit for bit what `contract_strided`, the mask, `softmax_row` and `contract_strided` give for all
/// of them together. The results are only written; `made`, which may be null, is told of the outputs. `pool` may be
/// null. Returns early, unfinished, once `stopped` says so, which is asked from several threads.
void attend(std::span<const AttentionHead> heads, const AttentionSizes& sizes, const AttentionOptions& options,
            ThreadPool* pool, const std::function<bool()>& stopped, const RowSink* made = nullptr);

/// out = row where it is kept, otherwise `fill`; `first` is the row's first key.
void mask_row(std::span<const float> row, const KeptKeys& kept, Index first, float fill, float* out);

}  // namespace attnscope
