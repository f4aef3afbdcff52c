// The heads and MLPs of a model as parts that runs replace.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/heads/attention_list.h"
#include "core/residual/ablated_runs.h"

namespace attnscope {

/// The parts of attention `number` of `all`: its heads, then the MLP behind it, unless another attention of the layer
/// comes before that.
std::vector<AblatedRuns::Part> parts_of_layer(const Trace& trace, const std::vector<LayerAttention>& all,
                                              std::size_t number, Intervention::Kind kind);

/// Calls `take(number of the part, its logits [vocabulary])` for every part, as many at once as make sense. False if
/// stopped.
bool run_parts(AblatedRuns& runs, const std::vector<AblatedRuns::Part>& parts,
               const std::function<void(std::size_t, std::span<const float>)>& take);

}  // namespace attnscope
