#include "figure/blocks/aligned_products.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "figure/layout/legend.h"
#include "figure/slices/matrix.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

/// The heading above each matrix; shorter where matrices are narrow.
enum class Heading { formula, symbol, stacked };

constexpr double kOuterMargin = 16;
constexpr double kColumnGap = 30;
constexpr double kProductGap = 22;
constexpr double kTitleHeight = 22;
constexpr double kShapeLine = 14;
constexpr double kMaxCell = 24;
// The smallest extent of matrices with few rows or columns.
constexpr double kSmallestExtent = 8;
constexpr double kLegendHeight = 40;
// The longest side of any matrix is at least this long; a figure that is higher than its place is scaled as a whole.
constexpr double kShortestLongSide = 96;
constexpr double kMinCell = 0.01;
constexpr double kNarrow = 480;  // figures narrower than this have a shorter legend

std::string shape_of(const Block& block) {
  return std::to_string(block.mark.rows()) + " × " + std::to_string(block.mark.columns());
}

double heading_width(const Block& block, Heading heading) {
  const double name = markup_width(block.symbol, TypeSize::kTitle, FontWeight::semibold);
  const double size = text_width(shape_of(block), TypeSize::kSmall, FontWeight::regular);
  if (heading == Heading::stacked) return std::max(name, size);
  const double rule = block.formula.empty() || heading == Heading::symbol
                          ? 0
                          : 6 + markup_width(block.formula, TypeSize::kSmall, FontWeight::regular);
  return name + rule + 12 + size;
}

/// Sizes that follow from the size of cells.
struct Scale {
  double cell = 0;
  Heading heading = Heading::formula;

  [[nodiscard]] double extent(Index count) const {
    const auto cells = static_cast<double>(count);
    return std::max(cells * cell, std::min(cells * kMaxCell / 2, kSmallestExtent));
  }
  [[nodiscard]] double width(const Block& block) const {
    return std::max(extent(block.mark.columns()), heading_width(block, heading));
  }
  [[nodiscard]] double title_height() const { return kTitleHeight + (heading == Heading::stacked ? kShapeLine : 0); }
};

/// The width of the labels left of a column's matrices.
double label_width(const Column& column) {
  return std::max(column.bottom ? row_label_width(column.bottom->mark.row_labels) : 0,
                  column.top ? row_label_width(column.top->mark.row_labels) : 0);
}

double gap_before(const Column& column) {
  if (!column.arrow.empty()) return text_width(column.arrow, TypeSize::kSmall, FontWeight::regular) + 20;
  return kColumnGap + label_width(column);
}

double product_width(const AlignedProduct& product, const Scale& scale) {
  double width = 0;
  for (const Column& column : product.columns) {
    const double top = column.top ? scale.width(*column.top) : 0;
    const double bottom = column.bottom ? scale.width(*column.bottom) : 0;
    width += std::max(top, bottom) + (&column == product.columns.data() ? 0 : gap_before(column));
  }
  return width;
}

/// Heights of the two rows of a product, including everything above the matrices.
struct ProductHeights {
  double top_labels = 0;
  double top = 0;     ///< of the right factors; 0: none
  double bottom = 0;  ///< of the products
  double bottom_labels = 0;

  [[nodiscard]] double total(const Scale& scale) const {
    return (top > 0 ? scale.title_height() + top_labels + top : 0) + scale.title_height() + bottom_labels + bottom;
  }
};

ProductHeights product_heights(const AlignedProduct& product, const Scale& scale) {
  ProductHeights heights;
  for (const Column& column : product.columns) {
    if (column.top) {
      heights.top = std::max(heights.top, scale.extent(column.top->mark.rows()));
      heights.top_labels =
          std::max(heights.top_labels, column_label_height(column.top->mark.column_labels, scale.cell));
    }
    if (column.bottom) {
      heights.bottom = std::max(heights.bottom, scale.extent(column.bottom->mark.rows()));
      heights.bottom_labels =
          std::max(heights.bottom_labels, column_label_height(column.bottom->mark.column_labels, scale.cell));
    }
  }
  // The labels above a product without a factor use the empty place there.
  if (heights.top > 0) heights.bottom_labels = 0;
  return heights;
}

class ProductLayout {
 public:
  ProductLayout(std::vector<AlignedProduct> products, const ViewOptions& options)
      : products_(std::move(products)), options_(options) {
    for (const AlignedProduct& product : products_) margin_ = std::max(margin_, label_width(product.columns.front()));
    margin_ += kOuterMargin;
    legend_ = legend();
  }

  Figure build() {
    choose_scales();
    place();
    return std::move(figure_);
  }

 private:
  [[nodiscard]] double room() const { return options_.width - margin_ - kOuterMargin; }
  [[nodiscard]] double legend_room() const { return options_.width - 2 * kOuterMargin; }
  [[nodiscard]] double legend_height() const { return kLegendHeight + legend_size(legend_, legend_room()).height; }

  [[nodiscard]] double total_height(const std::vector<Scale>& scales) const {
    double height = 2 * kOuterMargin + legend_height() + kProductGap * static_cast<double>(products_.size());
    for (std::size_t i = 0; i < products_.size(); ++i)
      height += product_heights(products_[i], scales[i]).total(scales[i]);
    return height;
  }

  /// The largest cells with which product `i` fits the width; the smallest cells if none do.
  [[nodiscard]] Scale widest_fit(std::size_t i, Heading heading, double largest) const {
    Scale scale = {largest, heading};
    // Where the headings are too wide anyway, cells need not be smaller than the headings.
    const double allowed = std::max(room(), product_width(products_[i], {kMinCell, heading}) + 0.5);
    while (scale.cell > kMinCell && product_width(products_[i], scale) > allowed) scale.cell = smaller(scale.cell);
    return scale;
  }

  /// Whole pixels while cells have borders, which keeps them crisp.
  static double smaller(double cell) { return cell > 4 ? std::ceil(cell) - 1 : cell * 0.9; }

  /// Cells of one size in all products where they fit; smaller ones in a product with wide matrices.
  [[nodiscard]] std::vector<Scale> fit(Heading heading) const {
    for (double largest = kMaxCell;; largest = smaller(largest)) {
      std::vector<Scale> scales;
      // Most products show the same matrices and share their cell size.
      double shared = largest;
      for (std::size_t i = 0; i < products_.size(); ++i) {
        if (!products_[i].own_cells) shared = std::min(shared, widest_fit(i, heading, largest).cell);
      }
      for (std::size_t i = 0; i < products_.size(); ++i)
        scales.push_back(products_[i].own_cells ? widest_fit(i, heading, shared) : Scale{shared, heading});
      if (options_.height <= 0 || total_height(scales) <= options_.height || largest < least_cell()) return scales;
    }
  }

  [[nodiscard]] double least_cell() const {
    Index longest = 1;
    for (const AlignedProduct& product : products_) {
      for (const Column& column : product.columns) {
        for (const auto* block : {&column.top, &column.bottom}) {
          if (*block) longest = std::max({longest, (*block)->mark.rows(), (*block)->mark.columns()});
        }
      }
    }
    return std::min(kMaxCell / 4, kShortestLongSide / static_cast<double>(longest));
  }

  [[nodiscard]] bool fits_width(const std::vector<Scale>& scales) const {
    for (std::size_t i = 0; i < products_.size(); ++i) {
      if (product_width(products_[i], scales[i]) > room() + 0.5) return false;
    }
    return true;
  }

  void choose_scales() {
    const std::vector<Scale> least = fit(Heading::stacked);
    for (const Heading heading : {Heading::formula, Heading::symbol}) {
      scales_ = fit(heading);
      // Headings may cost a little of the cells' size, not much.
      if (fits_width(scales_) && scales_[0].cell >= 0.8 * least[0].cell) return;
    }
    scales_ = least;
  }

  void place() {
    double widest = 0;
    for (std::size_t i = 0; i < products_.size(); ++i)
      widest = std::max(widest, product_width(products_[i], scales_[i]));
    figure_.width = std::max({options_.width, widest + margin_ + kOuterMargin,
                              legend_size(legend_, legend_room()).width + 2 * kOuterMargin});
    left_ = margin_ + std::max(0.0, (figure_.width - margin_ - kOuterMargin - widest) / 2);
    const double needed = total_height(scales_);
    figure_.height = std::max(needed, options_.height);
    double y = kOuterMargin + std::max(0.0, (figure_.height - needed) / 2);
    for (std::size_t i = 0; i < products_.size(); ++i) y = place_product(products_[i], scales_[i], y) + kProductGap;
    const double legend_top =
        figure_.height - std::max(0.0, (figure_.height - needed) / 2) - kOuterMargin - legend_height();
    place_legend(legend_, {left_, legend_top + 10}, kOuterMargin,
                 std::max(legend_room(), legend_size(legend_, legend_room()).width));
    figure_.color_bars = legend_;
  }

  double place_product(const AlignedProduct& product, const Scale& scale, double y) {
    const ProductHeights heights = product_heights(product, scale);
    const double top = y + scale.title_height() + heights.top_labels;
    const double bottom = (heights.top > 0 ? top + heights.top : y) + scale.title_height() + heights.bottom_labels;
    double x = left_;
    if (!product.caption.empty() && heights.top > 0) {
      add_text(product.id + ".caption", {x, y + 14}, product.caption, TypeSize::kSmall, FontWeight::regular, Ink::dim);
    }
    for (const Column& column : product.columns) {
      if (&column != product.columns.data()) {
        place_sign(product, column, x, gap_before(column), top + heights.top, bottom, scale);
        x += gap_before(column);
      }
      double width = 0;
      if (column.top) {
        place_block(*column.top, scale, x, top + heights.top - scale.extent(column.top->mark.rows()));
        width = scale.width(*column.top);
      }
      if (column.bottom) {
        place_block(*column.bottom, scale, x, bottom);
        width = std::max(width, scale.width(*column.bottom));
      }
      x += width;
    }
    return bottom + heights.bottom;
  }

  void place_sign(const AlignedProduct& product, const Column& column, double x, double gap, double top_end,
                  double bottom, const Scale& scale) {
    const Block& block = column.bottom ? *column.bottom : *column.top;
    const double middle = bottom + scale.extent(block.mark.rows()) / 2;
    const std::string id = product.id + "." + block.mark.id + ".sign";
    if (!column.arrow.empty()) {
      add_text(id, {x + gap / 2, middle - 8}, column.arrow, TypeSize::kSmall, FontWeight::regular, Ink::dim,
               HorizontalAlign::center);
      figure_.lines.push_back({id, {x + 8, middle}, {x + gap - 8, middle}, Ink::dim, 1.2, false, true});
    } else if (!column.sign.empty()) {
      const double y = column.corner ? top_end + scale.title_height() / 2 : middle;
      TextMark mark = {id,       {x + gap / 2, y},        column.sign,           18, FontWeight::regular,
                       Ink::dim, HorizontalAlign::center, VerticalAlign::middle, 0};
      figure_.texts.push_back(std::move(mark));
    }
  }

  void place_block(const Block& block, const Scale& scale, double x, double y) {
    HeatmapMark mark = block.mark;
    mark.box = {x, y, scale.extent(mark.columns()), scale.extent(mark.rows())};
    double base = y - 7 - column_label_height(mark.column_labels, scale.cell);
    const std::string& id = mark.id;
    const bool stacked = scale.heading == Heading::stacked;
    if (stacked) add_text(id + ".shape", {x, base}, shape_of(block), TypeSize::kSmall, FontWeight::regular, Ink::dim);
    if (stacked) base -= kShapeLine;
    add_text(id + ".symbol", {x, base}, block.symbol, TypeSize::kTitle, FontWeight::semibold, Ink::text);
    if (scale.heading == Heading::formula && !block.formula.empty()) {
      const double behind = markup_width(block.symbol, TypeSize::kTitle, FontWeight::semibold) + 6;
      add_text(id + ".formula", {x + behind, base}, block.formula, TypeSize::kSmall, FontWeight::regular, Ink::dim);
    }
    if (!stacked) {
      const double right = x + scale.width(block);
      add_text(id + ".shape", {right, base}, shape_of(block), TypeSize::kSmall, FontWeight::regular, Ink::dim,
               HorizontalAlign::right);
    }
    figure_.heatmaps.push_back(std::move(mark));
  }

  /// What a bar is for beside that of the weights: `both` says that there is one for matrices with negative numbers and
  /// one for those without.
  [[nodiscard]] std::string others_title(bool both, bool negative) const {
    if (options_.width < kNarrow)
      return std::string("others") + (!both ? "" : negative ? " with −" : " without −") + ", scaled to their maximum";
    const char* const sign = !both ? "" : negative ? " with negative numbers" : " without negative numbers";
    return std::string("other matrices") + sign + ", each scaled to its maximum";
  }

  /// One bar for each colour map in the figure.
  [[nodiscard]] std::vector<ColorBarMark> legend() const {
    std::map<ColorMap, ColorScale> used;
    for (const AlignedProduct& product : products_) {
      for (const Column& column : product.columns) {
        for (const auto* block : {&column.top, &column.bottom}) {
          if (*block) used.insert_or_assign((*block)->mark.scale.map, (*block)->mark.scale);
        }
      }
    }
    const bool both = used.contains(ColorMap::magma) && used.contains(ColorMap::red_blue);
    std::vector<ColorBarMark> bars;
    for (const ColorMap map : {ColorMap::viridis, ColorMap::magma, ColorMap::red_blue}) {
      if (!used.contains(map)) continue;
      const bool weights = map == ColorMap::viridis;
      ColorBarMark bar = {"legend." + std::string(color_map_name(map)),
                          {0, 0, 120, 9},
                          {map, 0, weights ? used.at(map).high : 1},
                          weights ? "weights" : others_title(both, map == ColorMap::red_blue),
                          "0",
                          weights ? scale_end_text(used.at(map)) : "max"};
      if (map == ColorMap::red_blue) bar.low_text = "−max";
      bars.push_back(std::move(bar));
    }
    return bars;
  }

  void add_text(std::string id, Point at, std::string markup, double size, FontWeight weight, Ink ink,
                HorizontalAlign align = HorizontalAlign::left) {
    figure_.texts.push_back(
        {std::move(id), at, std::move(markup), size, weight, ink, align, VerticalAlign::baseline, 0});
  }

  std::vector<AlignedProduct> products_;
  const ViewOptions& options_;
  std::vector<Scale> scales_;
  std::vector<ColorBarMark> legend_;
  Figure figure_;
  double margin_ = 0;
  double left_ = 0;
};

}  // namespace

Figure aligned_products_figure(std::vector<AlignedProduct> products, const ViewOptions& options) {
  return ProductLayout(std::move(products), options).build();
}

}  // namespace attnscope
