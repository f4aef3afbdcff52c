// Panels of equal size in rows and columns, with the largest cells that fit. A panel is a matrix of cells with a margin
// on its left and above it. All lengths are logical pixels.
#pragma once

#include "core/base/tensor.h"
#include "figure/style/geometry.h"

namespace attnscope {

/// What the panels have in common, before their cells have a size.
struct PanelShape {
  Index rows = 1;            ///< of cells; at least 1
  Index columns = 1;         ///< of cells; at least 1
  double left = 0;           ///< margin on the left of the cells, for row labels
  double top = 0;            ///< margin above the cells, for the title and column labels
  double gap = 20;           ///< between neighbouring panels, in both directions
  double least_width = 0;    ///< minimum width of a panel: room for its title
  double largest_cell = 48;  ///< maximum side of a cell
  double least_side = 0;     ///< minimum height of a matrix, however small its cells are
};

/// An arrangement of panels, filled row by row; the last row may be incomplete.
struct Grid {
  Index across = 1;       ///< panels in a row
  Index down = 1;         ///< rows of panels
  double cell_width = 0;  ///< cells are square unless a matrix would be too thin to see
  double cell_height = 0;
  double panel_width = 0;  ///< margins included, gap not
  double panel_height = 0;
  double gap = 0;

  [[nodiscard]] double width() const { return static_cast<double>(across) * (panel_width + gap) - gap; }
  [[nodiscard]] double height() const { return static_cast<double>(down) * (panel_height + gap) - gap; }
  /// Upper left corner of panel `i`, which counts from 0, relative to the grid's.
  [[nodiscard]] Point corner(Index i) const {
    const Index row = i / across;
    const Index column = i % across;
    return {static_cast<double>(column) * (panel_width + gap), static_cast<double>(row) * (panel_height + gap)};
  }
};

/// `count` panels in rows of `across` (both at least 1), with the largest cells that fit in `width` × `height`. Height
/// 0 allows any height. The grid is larger where matrices of the minimum size or `least_width` need more room.
Grid arrange_grid(Index count, Index across, const PanelShape& shape, double width, double height);

/// The height of a page that is `width` wide, or of one with columns so wide.
double page_height(double width);

/// The arrangement of `count` panels (at least 1) with the largest cells in `width` × `height`. Height 0 allows any
/// height: then as many panels are side by side as have comfortable cells; if that is longer than a page, the panels
/// are arranged for a page (`page_height`) instead. Like that of `arrange_grid`, the result can be too large.
Grid fit_grid(Index count, const PanelShape& shape, double width, double height);

}  // namespace attnscope
