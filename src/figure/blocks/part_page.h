// A page around a map of the parts of a model.
#pragma once

#include <functional>
#include <string>

#include "figure/blocks/part_map.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// What stands around the map: a title and a line with the result above it, perhaps lines of chips to choose from, and below
/// it the legend and a caption.
struct PartPage {
  /// Adds the title with its top left corner at a point, and returns its width; null: only that.
  std::function<double(Figure*, Point)> title;
  std::string line_id;
  std::string line;
  double chips_height = 0;  ///< of answers that are there to be clicked, which files do not have
  std::function<void(Figure&, Point, double width)> add_chips = {};  ///< may be empty
  std::string legend_id;
  const char* legend_words = nullptr;  ///< null: those of the map
  std::string caption;
};

/// The map as large as is comfortable on a page of the options' size.
Figure part_page(PartMap& map, const PartPage& page, const ViewOptions& options);

}  // namespace attnscope
