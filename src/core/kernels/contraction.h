// The hot loop of every matrix product: a sum of products over strided tensors.
#pragma once

#include <functional>
#include <vector>

#include "core/kernels/thread_pool.h"
#include "core/tensor.h"

namespace attnscope {

/// One label of a contraction: how many values it takes, and how far one step moves in each tensor (0 where the tensor
/// has no such axis).
struct ContractionLabel {
  Index size = 0;
  Index a_stride = 0;
  Index b_stride = 0;
  Index out_stride = 0;
};

/// out[…] = (out[…] + Σ a[…] · b[…]) / divisor, summed over the labels with out_stride 0. The elements of `out` are
/// distinct; at the start they are zero, or what the sums begin with. `pool` may be null. Returns early, with `out`
/// unfinished, once `stopped` says so, which is asked from several threads.
void contract_strided(std::vector<ContractionLabel> labels, const float* a, const float* b, float* out, Index out_count,
                      double divisor, ThreadPool* pool, const std::function<bool()>& stopped);

}  // namespace attnscope
