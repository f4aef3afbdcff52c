// Fused attention: scores, mask, softmax and weighted sum of a few rows at a time, while they are in the cache.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/base/tensor.h"
#include "core/base/thread_pool.h"
#include "core/kernels/contraction.h"
#include "core/kernels/softmax.h"

namespace attnscope {

/// The tensors of one head. Rows are contiguous and `…_row` elements apart; [queries, keys] tensors are dense. A null
/// pointer means that the tensor is not wanted.
struct AttentionHead {
  const float* q = nullptr;  ///< [queries, dim]
  Index q_row = 0;
  const float* k = nullptr;  ///< [keys, dim]
  Index k_row = 0;
  const float* v = nullptr;  ///< [keys, value_dim], or null
  Index v_row = 0;
  const KeptKeys* kept = nullptr;      ///< [queries]: a mask as key ranges; null: see `keep`
  const std::uint8_t* keep = nullptr;  ///< [queries, keys]: a mask, 0 where masked; both null: no mask
  float* scores = nullptr;             ///< [queries, keys] q · k / divisor
  bool hidden_later = false;       ///< skips most scores of keys that are not `kept`: their memory keeps its content
  float* masked_scores = nullptr;  ///< [queries, keys] the fill where masked
  float* weights = nullptr;        ///< [queries, keys] softmax of the masked scores
  float* output = nullptr;         ///< [queries, value_dim] weights · v; null without v
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
  float fill = 0;    ///< of masked scores
  double pairs = 0;  ///< heads × queries × keys of all the attention, if only a part of it is computed; 0: all of it is
};

/// Computes all heads; the bits equal those of `contract_strided`, the mask, `softmax_row` and `contract_strided` over
/// all heads. Results are only written. `made`, which may be null, is notified of the outputs. `pool` may be null.
/// Returns early, unfinished, once `stopped`, which is called from several threads, returns true.
void attend(std::span<const AttentionHead> heads, const AttentionSizes& sizes, const AttentionOptions& options,
            ThreadPool* pool, const std::function<bool()>& stopped, const RowSink* made = nullptr);

/// out = row where kept, otherwise `fill`; `first` is the key of row[0].
void mask_row(std::span<const float> row, const KeptKeys& kept, Index first, float fill, float* out);

}  // namespace attnscope
