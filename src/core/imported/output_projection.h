// The output projection that a file may have beside queries, keys and values. Private to this room.
//
// Stored in one of three orders, for heads of `dim` numbers each:
//   in out     [head·dim, feature]     the output is merged · w_o
//   out in     [feature, head·dim]     as torch.nn.Linear stores its weight: the output is merged · w_oᵀ
//   heads      [head, dim, feature]    as in TransformerLens
// With a layer axis before them, or one tensor per layer. Without heads, `dim` stands for head·dim.
//
// Beside it may stand the projection that made the values, [feature, head·dim], [head·dim, feature] or [head, feature,
// dim]: with it, a head's copying score is known.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/imported/imported_layers.h"
#include "core/imported/tensor_sets.h"

namespace attnscope {

/// What was made of the output projections in a group.
struct FoundOutputs {
  std::vector<LayerTensor> weights;    ///< one for each layer; none if there are none, or none that fit
  std::vector<LayerTensor> biases;     ///< likewise
  std::vector<LayerTensor> of_values;  ///< the projections that made the values; likewise
  std::vector<std::string> notices;    ///< what is left out and why, and which order a square weight is taken for
};

/// The output projections of `layers`, which have their values. `order` is "guess", or "in out" or "out in" for weights
/// that may be either; with "none" there are none. Fails if the weights cannot have the order; what fits no order is left
/// out with a notice.
Result<FoundOutputs> found_outputs(const std::shared_ptr<const ImportedTensors>& given, const TensorSets::Group& group,
                                   const std::vector<ImportedLayer>& layers, const std::string& order);

}  // namespace attnscope
