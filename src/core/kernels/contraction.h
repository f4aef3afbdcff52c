// The hot loop of every matrix product: a sum of products over strided tensors.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "core/base/tensor.h"
#include "core/base/thread_pool.h"

namespace attnscope {

/// One label of a contraction: its number of values, and its stride in each tensor (0 if the tensor has no such axis).
struct ContractionLabel {
  Index size = 0;
  Index a_stride = 0;
  Index b_stride = 0;
  Index out_stride = 0;
  Index start_stride = 0;
};

/// Receives results while they are still in the cache: `count` contiguous rows of `length` numbers, `apart` elements
/// apart. Called from several threads, once per number.
using RowSink = std::function<void(const float* first, Index length, Index count, Index apart)>;

/// The maximum number of labels of a contraction.
constexpr std::size_t kMaxContractionLabels = 8;

/// out[…] = (start[…] + Σ a[…] · b[…]) / divisor, summed over the labels with out_stride 0. `out` has `out_count`
/// distinct, contiguous elements, which are only written; 64-byte alignment is fastest. If `start` is null, sums begin
/// at zero. `start` must not overlap `out`, and must be null if a summed label has no values. `pool` and `made` may be
/// null. Small products allocate nothing. Returns early, with `out` unfinished, once `stopped`, which is called from
/// several threads, returns true. `fused` is the result of `rounds_once`; for a part of a product, the result for the
/// whole.
void contract_strided(std::span<const ContractionLabel> labels, const float* a, const float* b, float* out,
                      Index out_count, double divisor, ThreadPool* pool, const std::function<bool()>& stopped,
                      const float* start = nullptr, std::optional<bool> fused = std::nullopt,
                      const RowSink* made = nullptr);

}  // namespace attnscope
