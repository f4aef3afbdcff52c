// Matrices in bands: in each band a product stands right of its left factor and below its right factor, rows and
// columns aligned, as in a matrix product worked by hand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "figure/model/figure.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// A matrix with what stands above it.
struct Block {
  HeatmapMark mark;
  std::string symbol;   ///< markup
  std::string formula;  ///< markup, behind the symbol: "= X W_{Q}"
};

/// What stands above each other in a band: a right factor over its product, or one of them alone.
struct Column {
  std::optional<Block> top;
  std::optional<Block> bottom;
  std::string sign;   ///< in the gap before this column: "×", "=", or empty
  std::string arrow;  ///< words over an arrow in that gap, in place of a sign
  /// The sign stands between the factors (left of the product, above it) and not between matrices.
  bool corner = false;
};

struct AlignedProduct {
  std::string id;
  std::string caption;
  std::vector<Column> columns;
  bool own_cells = false;  ///< may have smaller cells than the others, which all have the same
};

/// The bands below each other, with the largest cells that fit.
Figure aligned_products_figure(std::vector<AlignedProduct> products, const ViewOptions& options);

}  // namespace attnscope
