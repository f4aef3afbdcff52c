// The heads of many layers at a glance: a small map of each, layers from top to bottom, heads from left to right.
#pragma once

#include "core/trace.h"
#include "figure/figure.h"
#include "figure/view.h"

namespace attnscope {

/// From so many layers on they are shown like that.
inline constexpr Index kManyLayers = 4;

/// The weights of every head of every layer, of that item of the batch, on the colour scale of the first layer's first
/// head, without token labels.
Figure layer_grid(const Trace& trace, Index item, const ViewOptions& options);

}  // namespace attnscope
