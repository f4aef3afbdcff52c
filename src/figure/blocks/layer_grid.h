// Many heads at a glance: a small map of each, without token labels, a page of them at a time.
#pragma once

#include <string>
#include <vector>

#include "core/trace/trace.h"
#include "figure/model/figure.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// From so many layers on their heads are shown like that, layers from top to bottom, heads from left to right.
inline constexpr Index kManyLayers = 4;
/// More heads than these of one attention are shown like that as well, row by row.
inline constexpr Index kManyHeads = 256;
/// No page of a grid of layers has more maps.
inline constexpr Index kMaxMaps = 4096;

/// The weights that some heads have, by the name of their tensor.
struct ShownAttention {
  std::string tensor;
  std::string title;  ///< "Layer 2"
  Index heads = 1;
};

/// The pages that all heads of all layers take.
Index layer_grid_pages(const Trace& trace);

/// The weights of the heads of the layers, of that item of the batch, on the colour scale of the first one; a page of
/// them, as the option "page" has it. Unfinished when it is stopped.
Figure layer_grid(const Trace& trace, Index item, const ViewOptions& options);

/// The pages that the heads of these attentions take; `kMaxPanels` maps are on one.
Index head_grid_pages(const std::vector<ShownAttention>& attentions);

/// The same for the heads of a few attentions, which begin a row each.
Figure head_grid(const Trace& trace, const std::vector<ShownAttention>& attentions, Index item,
                 const ViewOptions& options);

}  // namespace attnscope
