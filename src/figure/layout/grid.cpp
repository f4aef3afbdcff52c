#include "figure/layout/grid.h"

#include <algorithm>
#include <cmath>

namespace attnscope {
namespace {

// The smallest side of a matrix, however long its other side is.
constexpr double kMinMatrix = 16;
// Without a limit to the height, panels side by side have at least this size.
constexpr double kComfortableCell = 16;
// A page is this much higher than wide, and a column of text that is narrower than this, higher than that.
constexpr double kPageShape = 1.3;
constexpr double kTextColumn = 480;
// Fractions of a pixel that do not count.
constexpr double kRounding = 1e-6;

/// Whole pixels where cells have borders, to make all cells equal.
double crisp(double cell) { return cell >= 4 ? std::floor(cell) : cell; }

/// Without a limit to the height: as many side by side as have comfortable cells, preferably without empty places.
bool better_balanced(const Grid& grid, const Grid& best, Index count) {
  if (grid.cell_width < std::min(best.cell_width, kComfortableCell)) return false;
  return grid.across * grid.down - count <= best.across * best.down - count || best.across == 1;
}

}  // namespace

Grid arrange_grid(Index count, Index across, const PanelShape& shape, double width, double height) {
  Grid grid;
  grid.across = across;
  grid.down = (count + across - 1) / across;
  grid.gap = shape.gap;
  const auto columns = static_cast<double>(shape.columns);
  const auto rows = static_cast<double>(shape.rows);
  const double panel = (width + shape.gap) / static_cast<double>(across) - shape.gap;
  double cell = std::min(shape.largest_cell, (panel - shape.left) / columns);
  if (height > 0) {
    const double panel_height = (height + shape.gap) / static_cast<double>(grid.down) - shape.gap;
    cell = std::min(cell, (panel_height - shape.top) / rows);
  }
  cell = crisp(std::max(cell, 0.0));
  grid.cell_width = std::max(cell, std::min(kMinMatrix / columns, shape.largest_cell));
  grid.cell_height = std::max({cell, std::min(kMinMatrix / rows, shape.largest_cell), shape.least_side / rows});
  grid.panel_width = std::max(shape.left + grid.cell_width * columns, shape.least_width);
  grid.panel_height = shape.top + grid.cell_height * rows;
  return grid;
}

namespace {

Grid fit_exactly(Index count, const PanelShape& shape, double width, double height) {
  Grid best = arrange_grid(count, 1, shape, width, height);
  for (Index across = 2; across <= count; ++across) {
    const Grid grid = arrange_grid(count, across, shape, width, height);
    // Rounding over many columns must not change the arrangement.
    if (grid.width() > width + kRounding) break;
    const bool too_high = height > 0 && best.height() > height && grid.height() < best.height();
    if (too_high || (height > 0 ? grid.cell_width > best.cell_width : better_balanced(grid, best, count))) best = grid;
  }
  return best;
}

}  // namespace

double page_height(double width) { return std::max(width, kTextColumn) * kPageShape; }

Grid fit_grid(Index count, const PanelShape& shape, double width, double height) {
  const Grid grid = fit_exactly(count, shape, width, height);
  if (height > 0 || grid.height() <= page_height(width)) return grid;
  return fit_exactly(count, shape, width, page_height(width));
}

}  // namespace attnscope
