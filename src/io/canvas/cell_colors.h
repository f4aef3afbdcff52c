// Matrices as colours, for all canvases. Private to io/.
#pragma once

#include <functional>
#include <vector>

#include "figure/model/figure.h"
#include "io/canvas/pixels.h"

namespace attnscope {

/// Row `row` of `matrix` shrunk to `rows` × `columns` (at most the matrix's size): merged cells show the number of
/// largest magnitude among them, as in `pool_magnitude`. Eight or more cells to one are merged by powers of two first,
/// down to at least four: each still counts once, up to a quarter of a cell from its place. Takes memory for this row
/// only.
std::vector<float> pooled_row(const MatrixSource& matrix, Index row, Index rows, Index columns);

/// All numbers, row-major.
std::vector<float> all_cells(const MatrixSource& matrix);

/// The matrix as an image with a pixel for each cell, shrunk along an axis with more than `longest_side` cells.
PixelImage cell_image(const MatrixSource& matrix, const ColorScale& scale, Index longest_side);

/// Cells of `pitch` along an axis of length `extent`, `gap` of it between neighbours and none at the ends.
struct CellPitch {
  CellPitch(double extent, Index cells, double gap_between)
      : pitch((extent + gap_between) / static_cast<double>(cells)), gap(gap_between) {}

  [[nodiscard]] double begin(Index cell) const { return static_cast<double>(cell) * pitch; }
  [[nodiscard]] double end(Index cell) const { return begin(cell + 1) - gap; }

  double pitch;
  double gap;
};

/// A heatmap on whole pixels of a bitmap: sharp cells that differ in size by at most a pixel, with equal gaps, or none if
/// they left less than a pixel of the cell. If there are more cells than pixels, each pixel shows the number of largest
/// magnitude among the cells that it covers. Calls `row` for each row of cells, from the top: it fills the pixels of all
/// lines from `top` to `bottom` (exclusive). A pixel of 0 is one of a gap. `width`, `height` and `gap` are in pixels.
using PixelRow = std::function<void(double top, double bottom, const std::vector<std::uint32_t>& line)>;
void each_pixel_row(const HeatmapMark& mark, double width, double height, double gap, const PixelRow& row);

/// Whether a vector file holds the cells as rectangles, or as an image. Cells with gaps are large, so never very many.
bool cells_as_shapes(const MatrixSource& matrix, double gap);

/// The longest side of an image in a vector file: more than 250 dots per inch across a page.
inline constexpr Index kMaxImageSide = 2048;

}  // namespace attnscope
