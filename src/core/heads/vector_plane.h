// The plane in which vectors with many dimensions are drawn as arrows.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/base/tensor.h"

namespace attnscope {

/// The plane of two directions through 0, which dot products need at its place: nothing is centred.
struct VectorPlane {
  std::array<std::vector<double>, 2> directions;  ///< across and up, [dim]; of one dimension, the second one is 0
  double share = 1;                               ///< of the squared length of all rows together that the plane keeps

  [[nodiscard]] Index dims() const { return std::ssize(directions[0]); }
  /// Whether the directions are the dimensions themselves: there are one or two, and nothing is lost.
  [[nodiscard]] bool is_exact() const { return dims() <= 2; }
  /// Where the row is in the plane: across, up.
  [[nodiscard]] std::array<double, 2> at(std::span<const double> row) const;
  /// The share of the row's squared length that the plane keeps; 1 for a row of zeros.
  [[nodiscard]] double share_of(std::span<const double> row) const;
};

/// The plane that keeps most of the squared length of the rows, `numbers` [row, dim], all finite: that of the first two
/// right singular vectors.
VectorPlane vector_plane(std::span<const double> numbers, Index dims);

double dot_product_of(std::span<const double> a, std::span<const double> b);
/// The Euclidean length.
double length_of(std::span<const double> vector);

}  // namespace attnscope
