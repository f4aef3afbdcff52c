// Many heads at a glance: a small map of each without token labels, one page at a time.
#pragma once

#include <string>
#include <vector>

#include "core/trace/trace.h"
#include "figure/model/figure.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// From this many layers on, their heads are shown as a grid: layers from top to bottom, heads from left to right.
inline constexpr Index kManyLayers = 4;
/// More heads than this in one attention are shown as a grid too, row by row.
inline constexpr Index kManyHeads = 256;
/// The most maps on a page of a grid of layers.
inline constexpr Index kMaxMaps = 4096;

/// The weights of some heads, by the name of their tensor.
struct ShownAttention {
  std::string tensor;
  std::string title;  ///< "Layer 2"
  Index heads = 1;
};

/// The number of pages for all heads of the layers that the option "attention" wants.
Index layer_grid_pages(const Trace& trace, const ParameterValues& options);

/// The weights of all heads of those layers for one item of the batch, on the colour scale of the first head: the page
/// that the option "page" selects. Unfinished when it is stopped.
Figure layer_grid(const Trace& trace, Index item, const ViewOptions& options);

/// The number of pages for the heads of these attentions, with `kMaxPanels` maps on each.
Index head_grid_pages(const std::vector<ShownAttention>& attentions);

/// The same for the heads of a few attentions; each attention begins a row.
Figure head_grid(const Trace& trace, const std::vector<ShownAttention>& attentions, Index item,
                 const ViewOptions& options);

}  // namespace attnscope
