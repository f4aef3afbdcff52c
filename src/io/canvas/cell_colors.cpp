#include "io/canvas/cell_colors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/matrix/pooling.h"

namespace attnscope {

namespace {

int level_for(Index cells, Index wanted) {
  int level = 0;
  while ((cells >> (level + 1)) >= 4 * wanted) ++level;
  return level;
}

/// A number that cannot be read is NaN; the file is not written then, see figure_bytes.
void read_or_mark(const MatrixSource& matrix, const MatrixPart& part, std::span<float> out) {
  if (!matrix.read(part, out, {})) std::fill(out.begin(), out.end(), std::numeric_limits<float>::quiet_NaN());
}

}  // namespace

std::vector<float> pooled_row(const MatrixSource& matrix, Index row, Index rows, Index columns) {
  MatrixPart part;
  part.row_level = level_for(matrix.rows(), rows);
  part.column_level = level_for(matrix.columns(), columns);
  const Index texel_rows = texels_at(matrix.rows(), part.row_level);
  part.first_row = row * texel_rows / rows;
  part.rows = std::max(part.first_row + 1, (row + 1) * texel_rows / rows) - part.first_row;
  part.columns = texels_at(matrix.columns(), part.column_level);
  std::vector<float> texels(static_cast<std::size_t>(part.rows * part.columns));
  read_or_mark(matrix, part, texels);
  return pool_magnitude({texels.data(), part.rows, part.columns, part.columns, 1}, 1, columns);
}

std::vector<float> all_cells(const MatrixSource& matrix) {
  std::vector<float> cells(static_cast<std::size_t>(matrix.rows() * matrix.columns()));
  read_or_mark(matrix, {0, 0, 0, 0, matrix.rows(), matrix.columns()}, cells);
  return cells;
}

PixelImage cell_image(const MatrixSource& matrix, const ColorScale& scale, Index longest_side) {
  const Index rows = std::min(matrix.rows(), longest_side);
  const Index columns = std::min(matrix.columns(), longest_side);
  PixelImage image = {static_cast<std::size_t>(columns), static_cast<std::size_t>(rows), {}};
  image.pixels.reserve(image.width * image.height);
  for (Index row = 0; row < rows; ++row) {
    const std::vector<float> values = pooled_row(matrix, row, rows, columns);
    for (const float value : values) image.pixels.push_back(pixel_of(cell_color(value, scale)));
  }
  return image;
}

void each_pixel_row(const HeatmapMark& mark, double width, double height, double gap, const PixelRow& row) {
  const MatrixSource& matrix = *colored(mark);
  const Index rows = std::min(mark.rows(), static_cast<Index>(height));
  const Index columns = std::min(mark.columns(), static_cast<Index>(width));
  const auto pixel_gap = [&](double extent, Index cells) {
    const double wanted = gap > 0 ? std::max(1.0, std::round(gap)) : 0;
    return (extent + wanted) / static_cast<double>(cells) - wanted >= 1 ? wanted : 0;
  };
  const CellPitch across(width, columns, pixel_gap(width, columns));
  const CellPitch down(height, rows, pixel_gap(height, rows));
  std::vector<std::uint32_t> line(static_cast<std::size_t>(width));
  const auto pixel = [&](double place) { return line.begin() + std::lround(place); };
  for (Index i = 0; i < rows; ++i) {
    const std::vector<float> values = pooled_row(matrix, i, rows, columns);
    std::fill(line.begin(), line.end(), 0U);
    for (Index column = 0; column < columns; ++column) {
      std::fill(pixel(across.begin(column)), pixel(across.begin(column + 1)) - std::lround(across.gap),
                pixel_of(cell_color(values[static_cast<std::size_t>(column)], mark.scale)));
    }
    row(std::round(down.begin(i)), std::round(down.begin(i + 1)) - down.gap, line);
  }
}

bool cells_as_shapes(const MatrixSource& matrix, double gap) {
  return saturating_product(matrix.rows(), matrix.columns()) <= (gap > 0 ? 65536 : 4096);
}

}  // namespace attnscope
