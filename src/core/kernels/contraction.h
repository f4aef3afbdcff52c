// The hot loop of every matrix product: a sum of products over strided tensors.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "core/base/tensor.h"
#include "core/base/thread_pool.h"

namespace attnscope {

/// One label of a contraction: how many values it takes, and how far one step moves in each tensor (0 where the tensor
/// has no such axis).
struct ContractionLabel {
  Index size = 0;
  Index a_stride = 0;
  Index b_stride = 0;
  Index out_stride = 0;
  Index start_stride = 0;
};

/// Is told of results as soon as they are there and still in a cache: `count` rows of `length` numbers that lie side by
/// side, `apart` from one row to the next. From several threads, each number once.
using RowSink = std::function<void(const float* first, Index length, Index count, Index apart)>;

/// A contraction has at most so many labels.
constexpr std::size_t kMaxContractionLabels = 8;

/// out[…] = (start[…] + Σ a[…] · b[…]) / divisor, summed over the labels with out_stride 0. The elements of `out` are
/// distinct; there are `out_count` of them, one behind the other. They are only written, fastest when `out` begins at a
/// multiple of 64 bytes. The sums begin with zero where `start` is null; it does not overlap `out`, and where nothing
/// is summed, because a label has no values, it must be null. `pool` may be null. Allocates nothing when the product is
/// small. Returns early, with `out` unfinished, once `stopped` says so, which is asked from several threads. `fused` as
/// `rounds_once` says; for a part of a product, what it says of the whole. `made` may be null.
void contract_strided(std::span<const ContractionLabel> labels, const float* a, const float* b, float* out,
                      Index out_count, double divisor, ThreadPool* pool, const std::function<bool()>& stopped,
                      const float* start = nullptr, std::optional<bool> fused = std::nullopt,
                      const RowSink* made = nullptr);

}  // namespace attnscope
