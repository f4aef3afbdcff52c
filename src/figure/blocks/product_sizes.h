// How large aligned matrix products are with cells of some size, and the arrangement of several in which cells are
// largest.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "figure/blocks/aligned_products.h"

namespace attnscope {

/// The heading above each matrix; shorter where matrices are narrow.
enum class Heading { formula, symbol, stacked };

/// Of the letters between matrices: "×".
inline constexpr double kSignSize = 16;

/// Of the cells of a whole computation, logical pixels.
inline constexpr double kMaxProductCell = 24;
/// Of the cells of a product that is shown alone.
inline constexpr double kMaxChosenCell = 64;

/// Distances, logical pixels.
struct ProductSpacing {
  double outer = 16;  ///< around the figure
  double column_gap = 30;
  double beside_sign = 10;  ///< at both sides of a sign, together
  double arrow_room = 20;   ///< at both ends of the words over an arrow, together
  double product_gap = 22;
  double beside = 44;  ///< between products side by side
  double title_height = 22;
  double below_title = 7;  ///< from its baseline to the matrix
  double shape_line = 14;
  double legend_height = 40;
  double legend_top = 10;  ///< above the bars
};
inline constexpr ProductSpacing kUsualSpacing;
/// For a window in which cells would be too small otherwise.
inline constexpr ProductSpacing kTightSpacing = {8, 26, 2, 14, 8, 26, 19, 5, 13, 32, 4};

/// Sizes that follow from the size of cells.
struct ProductScale {
  double cell = 0;
  Heading heading = Heading::formula;
  const ProductSpacing* spacing = &kUsualSpacing;
  bool in_window = false;  ///< words beside cells that have no room for all of them leave their height to numbers

  [[nodiscard]] double extent(Index count) const;
  [[nodiscard]] double title_height() const {
    return spacing->title_height + (heading == Heading::stacked ? spacing->shape_line : 0);
  }
  [[nodiscard]] double label_height(const Labels& labels) const;
};

/// "6 × 9"
std::string shape_text(const Block& block);
double heading_width(const Block& block, Heading heading);
/// What that heading calls the matrix, markup.
const std::string& heading_symbol(const Block& block, Heading heading);

/// Heights of the two rows of a product, including everything above the matrices.
struct ProductHeights {
  double top_labels = 0;
  double top = 0;     ///< of the right factors; 0: none
  double bottom = 0;  ///< of the products
  double bottom_labels = 0;

  [[nodiscard]] double total(const ProductScale& scale) const {
    return (top > 0 ? scale.title_height() + top_labels + top : 0) + scale.title_height() + bottom_labels + bottom;
  }
};

/// A product with the widths of its texts, which take longest to find out.
class MeasuredProduct {
 public:
  explicit MeasuredProduct(const AlignedProduct& product);

  [[nodiscard]] double width(const ProductScale& scale) const;
  [[nodiscard]] ProductHeights heights(const ProductScale& scale) const;
  /// The width of a column, and of the gap before it.
  [[nodiscard]] double column_width(std::size_t column, const ProductScale& scale) const;
  [[nodiscard]] double gap_before(std::size_t column, const ProductSpacing& spacing) const;
  /// Of the labels left of the first column.
  [[nodiscard]] double labels() const { return columns_.front().labels; }
  [[nodiscard]] bool has_own_cells() const { return own_cells_; }
  /// The longest side of any matrix, in cells.
  [[nodiscard]] Index longest() const;

 private:
  struct MeasuredBlock {
    Index rows = 0;
    Index columns = 0;
    Labels column_labels;
    std::array<double, 3> headings = {};  ///< widths, by `Heading`
  };
  struct MeasuredColumn {
    std::optional<MeasuredBlock> top;
    std::optional<MeasuredBlock> bottom;
    double labels = 0;  ///< left of its matrices
    double arrow = 0;   ///< the words over it; 0: none
    double sign = 0;    ///< the sign before it; 0: none
  };
  static std::optional<MeasuredBlock> measured(const std::optional<Block>& block);

  std::vector<MeasuredColumn> columns_;
  bool own_cells_;
};

/// Products in bands from top to bottom; those of a band are side by side.
struct ProductArrangement {
  std::vector<std::size_t> band_ends;  ///< one past the last product of each
  std::vector<ProductScale> scales;    ///< of each product
  double width = 0;                    ///< of the widest band, with the labels at its left and without margins
  double height = 0;                   ///< of the bands and their gaps

  [[nodiscard]] const ProductSpacing& spacing() const { return *scales.front().spacing; }
};

/// What products are arranged in, logical pixels.
struct ProductRoom {
  double width = 0;
  double height = 0;  ///< 0: any
  bool in_window = false;
  double largest_cell = kMaxProductCell;
  std::function<double(const ProductSpacing&)> legend_height;  ///< what the legend takes of the height
};

/// The products below each other, with the largest cells that fit. In a window in which words would not fit beside them,
/// products stand closer, or side by side, where that makes cells larger.
ProductArrangement arrange_products(std::span<const MeasuredProduct> products, const ProductRoom& room);

}  // namespace attnscope
