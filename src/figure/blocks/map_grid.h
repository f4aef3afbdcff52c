// Maps of heads in rows: small pictures of weights on one colour scale, each of which opens its head.
#pragma once

#include <string>
#include <vector>

#include "core/trace/trace.h"
#include "figure/model/figure.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// A row of maps: heads of one attention.
struct MapRow {
  std::string tensor;  ///< the weights
  std::string name;    ///< beside the row
  Index first = 0;     ///< head, from 0
  Index heads = 1;
};

/// The texts of a grid.
struct MapCaptions {
  std::string title;
  std::string page;              ///< empty: everything is on this page
  bool names_the_heads = false;  ///< above the columns: a row is a layer
};

/// The maps of these rows (at least one) for one item of the batch, on the colour scale of the first. Rows that are
/// layers stand side by side where the room is so wide that this makes the maps much larger. Unfinished when it is
/// stopped.
Figure map_grid(const Trace& trace, const std::vector<MapRow>& rows, const MapCaptions& captions, Index item,
                const ViewOptions& options);

/// The side of square maps, gap included, when `across` of them stand side by side in `down` rows without names of
/// columns; a height of 0 stands for a page.
double map_pitch(Index across, Index down, const ViewOptions& options);

}  // namespace attnscope
