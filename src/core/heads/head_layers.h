// How attention of several layers goes on from one to the next.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/stop.h"
#include "core/heads/head_circuits.h"

namespace attnscope {

/// The softmaxes of the layers in front of the one at step `weights`, the first layer's first; empty in the first one.
std::vector<int> earlier_layers(const Trace& trace, int weights);

/// How much of what the heads of an earlier layer wrote the heads of a later one read; see `composition`.
struct HeadComposition {
  std::string earlier;  ///< the tensor of the earlier weights
  /// [later head][earlier head], through `Composition::query`, `key` and `value`.
  std::vector<std::vector<std::array<std::optional<double>, 3>>> shares;
};

/// That of `later`, circuits of all heads of a layer, with the layer whose weights are at step `earlier`. Nothing where
/// the earlier one has no circuits.
std::optional<HeadComposition> layer_composition(const Trace& trace, int earlier,
                                                 const std::vector<std::optional<HeadCircuit>>& later);

/// What reaches each query from each key of the first layer through all layers up to the one at step `weights`, where
/// half of it is passed on unchanged in each: R_l = ½(A_l + 1) · R_(l−1) with A the mean weights of a layer's heads and
/// R_0 = 1; [query, key], of that item of the batch. Null in the first layer, where queries and keys are not the same
/// positions, where there are more than `kMaxForRank` of them, or when it was stopped.
/// Source: Abnar & Zuidema 2020, Quantifying Attention Flow in Transformers.
std::shared_ptr<const Tensor> rollout(const Trace& trace, int weights, Index item, const StopToken& stop = {});

}  // namespace attnscope
