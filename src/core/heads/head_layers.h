// How attention of several layers composes.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/stop.h"
#include "core/base/thread_pool.h"
#include "core/heads/head_circuits.h"

namespace attnscope {

/// The softmax steps of the layers before the one at step `weights`, in order, of a model those of the same part; empty
/// for the first layer and for cross-attention.
std::vector<int> earlier_layers(const Trace& trace, int weights);

/// Composition scores between the heads of an earlier and a later layer; see `ComposedCircuit`.
struct HeadComposition {
  std::string earlier;  ///< the tensor of the earlier weights
  /// [later head][earlier head], through `Composition::query`, `key` and `value`.
  std::vector<std::vector<std::array<std::optional<double>, 3>>> shares;
};

/// About how many operations the composition of those heads with as many of an earlier layer takes.
double composition_work(std::span<const std::optional<HeadCircuit>> later);

/// Composition of `later`, the circuits of all heads of a layer, with the layer whose weights are at step `earlier`.
/// Nothing if the earlier layer has no circuits, or if stopped. `pool`: null where no thread is worth waking.
std::optional<HeadComposition> layer_composition(const Trace& trace, int earlier,
                                                 std::span<const std::optional<ComposedCircuit>> later,
                                                 ThreadPool* pool, const StopToken& stop);

/// Attention rollout [query, key] of a batch item, through all layers up to the one at step `weights`:
/// R_l = ½(A_l + I) · R_(l−1) with R_0 = I, where A_l is the mean of the layer's heads and the identity stands for the
/// residual connection. Null for the first layer, if queries and keys are not the same positions, if there are more
/// than `kMaxForRank` of them, or if stopped.
/// Source: Abnar & Zuidema 2020, Quantifying Attention Flow in Transformers.
std::shared_ptr<const Tensor> rollout(const Trace& trace, int weights, Index item, const StopToken& stop = {});

}  // namespace attnscope
