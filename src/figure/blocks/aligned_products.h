// Aligned matrix products: each product has its left factor at its left and its right factor above it, rows and columns
// aligned, as in a product worked by hand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "figure/model/figure.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// A matrix with the heading above it.
struct Block {
  HeatmapMark mark;
  std::string symbol;         ///< markup
  std::string formula;        ///< markup, after the symbol: "= X W_{Q}"
  std::string brief;          ///< markup, in place of the symbol where headings are narrow; empty: the symbol as well
  std::string scale_of = {};  ///< markup; the symbol of the matrix whose scale this one has; empty: its own scale
  Index row_groups = 1;       ///< of equal size, with lines between them
  Index column_groups = 1;
};

/// One column of an aligned product: a right factor above its product, or one of them alone.
struct Column {
  std::optional<Block> top;
  std::optional<Block> bottom;
  std::string sign;   ///< in the gap before this column: "×", "=", or empty
  std::string arrow;  ///< words over an arrow in that gap, in place of a sign
  /// The sign is between the two factors, at the corner above the left one, not between neighbouring matrices.
  bool corner = false;
};

struct AlignedProduct {
  std::string id;
  std::string caption;
  std::vector<Column> columns;
  bool own_cells = false;  ///< may have smaller cells than the other products, which share one size
};

/// The products from top to bottom, with the largest cells that fit.
Figure aligned_products_figure(std::vector<AlignedProduct> products, const ViewOptions& options);

}  // namespace attnscope
