// Panels of equal size in rows and columns, with the largest cells that fit.
#pragma once

#include "core/base/tensor.h"
#include "figure/style/geometry.h"

namespace attnscope {

/// A panel before it has a place.
struct PanelShape {
  Index rows = 1;  ///< cells
  Index columns = 1;
  double left = 0;         ///< logical pixels beside the cells
  double top = 0;          ///< above them
  double gap = 20;         ///< between panels
  double least_width = 0;  ///< of a panel: room for its title
  double largest_cell = 48;
};

/// An arrangement of panels: how many are side by side, and their sizes.
struct Grid {
  Index across = 1;
  Index down = 1;
  double cell_width = 0;  ///< cells are square unless a matrix would be too thin to see
  double cell_height = 0;
  double panel_width = 0;  ///< margins included, gap not
  double panel_height = 0;
  double gap = 0;

  [[nodiscard]] double width() const { return static_cast<double>(across) * (panel_width + gap) - gap; }
  [[nodiscard]] double height() const { return static_cast<double>(down) * (panel_height + gap) - gap; }
  /// Upper left corner of panel `i`, relative to the grid's.
  [[nodiscard]] Point corner(Index i) const {
    const Index row = i / across;
    const Index column = i % across;
    return {static_cast<double>(column) * (panel_width + gap), static_cast<double>(row) * (panel_height + gap)};
  }
};

/// `count` panels in rows of `across`, with the largest cells that fit in `width` × `height` (0: any height).
Grid arrange_grid(Index count, Index across, const PanelShape& shape, double width, double height);

/// The height of a page of that width, logical pixels.
double page_height(double width);

/// The arrangement with the largest cells in `width` × `height`. Height 0 allows any height: as few rows as the width
/// allows, or if that is longer than a page, an arrangement that fits a page.
Grid fit_grid(Index count, const PanelShape& shape, double width, double height);

}  // namespace attnscope
