#include "io/cell_colors.h"

#include <algorithm>
#include <cmath>

#include "core/kernels/pooling.h"

namespace attnscope {

std::vector<float> pooled_row(const MatrixView& matrix, Index row, Index rows, Index columns) {
  const Index begin = row * matrix.rows / rows;
  const Index end = std::max(begin + 1, (row + 1) * matrix.rows / rows);
  MatrixView band = matrix;
  band.data += begin * matrix.row_stride;
  band.rows = end - begin;
  return pool_magnitude(band, 1, columns);
}

CairoSurface cell_image(const MatrixView& matrix, const ColorScale& scale, Index longest_side) {
  const Index rows = std::min(matrix.rows, longest_side);
  const Index columns = std::min(matrix.columns, longest_side);
  CairoSurface image(cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(columns), static_cast<int>(rows)));
  if (cairo_surface_status(image.get()) != CAIRO_STATUS_SUCCESS) return image;
  const std::ptrdiff_t stride = cairo_image_surface_get_stride(image.get());
  for (Index row = 0; row < rows; ++row) {
    const std::vector<float> values = pooled_row(matrix, row, rows, columns);
    auto* const pixels = reinterpret_cast<std::uint32_t*>(cairo_image_surface_get_data(image.get()) + row * stride);
    std::ranges::transform(values, pixels, [&](float value) { return pixel_of(cell_color(value, scale)); });
  }
  cairo_surface_mark_dirty(image.get());
  return image;
}

bool cells_as_shapes(const MatrixView& matrix, double gap) {
  return saturating_product(matrix.rows, matrix.columns) <= (gap > 0 ? 65536 : 4096);
}

}  // namespace attnscope
