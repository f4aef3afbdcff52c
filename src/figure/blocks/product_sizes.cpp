#include "figure/blocks/product_sizes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "figure/model/label_painter.h"
#include "figure/slices/matrix.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

// The smallest extent of matrices with few rows or columns.
constexpr double kSmallestExtent = 8;
// The longest side of any matrix is at least this long; a figure that is higher than its place is scaled as a whole.
constexpr double kShortestLongSide = 96;
// In a window, where letters would shrink as well, at least this long.
constexpr double kShortestInWindow = 40;
// As a power of both: how much smaller cells may be for letters of a larger size.
constexpr double kLettersBeforeCells = 12;
constexpr double kMinProductCell = 0.01;

double labels_of(const std::optional<Block>& block) { return block ? row_label_width(block->mark.row_labels) : 0; }

/// Whole pixels while cells have borders, which keeps them crisp.
double smaller_cell(double cell) { return cell > 4 ? std::ceil(cell) - 1 : cell * 0.9; }

/// Products in given bands, with one spacing.
class BandLayout {
 public:
  BandLayout(std::span<const MeasuredProduct> products, const ProductRoom& room, std::vector<std::size_t> ends,
             const ProductSpacing& spacing)
      : products_(products), room_(room), ends_(std::move(ends)), spacing_(spacing) {}

  [[nodiscard]] ProductArrangement arrange() const {
    const std::vector<ProductScale> least = fit(Heading::stacked);
    std::vector<ProductScale> scales = least;
    for (const Heading heading : {Heading::formula, Heading::symbol}) {
      std::vector<ProductScale> tried = fit(heading);
      if (widest(tried) > width_room() + 0.5 || costs_much(tried.front(), least.front())) continue;
      scales = room_.in_window && room_.height > 0 ? with_shorter_headings(std::move(tried), least) : std::move(tried);
      break;
    }
    ProductArrangement made = {ends_, std::move(scales)};
    made.width = widest(made.scales);
    made.height = height(made.scales);
    return made;
  }

  /// The factor by which the arrangement has to be made smaller for its room; 1 where it fits.
  [[nodiscard]] double shrunk(const ProductArrangement& made) const {
    return std::min({1.0, room_.width / (made.width + 2 * spacing_.outer), height_room() / made.height});
  }

 private:
  /// Whether a heading costs much of the cells' size. A little it may.
  static bool costs_much(const ProductScale& tried, const ProductScale& least) { return tried.cell < 0.8 * least.cell; }

  /// Gives products with small cells of their own the shortest headings, where these make the cells larger.
  [[nodiscard]] std::vector<ProductScale> with_shorter_headings(std::vector<ProductScale> scales,
                                                                const std::vector<ProductScale>& least) const {
    for (std::size_t i = 0; i < scales.size(); ++i) {
      if (!costs_much(scales[i], least[i])) continue;
      std::vector<ProductScale> tried = scales;
      tried[i] = least[i];
      tried[i].cell = std::min(least[i].cell, scales.front().cell);
      if (widest(tried) <= width_room() + 0.5 && height(tried) <= height_room()) scales = std::move(tried);
    }
    return scales;
  }
  [[nodiscard]] double width_room() const { return room_.width - 2 * spacing_.outer; }
  [[nodiscard]] double height_room() const {
    return room_.height <= 0 ? INFINITY : room_.height - 2 * spacing_.outer - room_.legend_height(spacing_);
  }

  /// Calls `visit` with the first product and one past the last one of each band.
  template <typename Visit>
  void for_each_band(const Visit& visit) const {
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      visit(begin, end);
      begin = end;
    }
  }

  /// The widest labels at the left, for which all bands leave room.
  [[nodiscard]] double margin() const {
    double most = 0;
    for (const MeasuredProduct& each : products_) most = std::max(most, each.labels());
    return most;
  }

  [[nodiscard]] double band_width(std::size_t begin, std::size_t end, std::span<const ProductScale> scales) const {
    double width = margin();
    for (std::size_t i = begin; i < end; ++i)
      width += products_[i].width(scales[i]) + (i == begin ? 0 : spacing_.beside + products_[i].labels());
    return width;
  }

  [[nodiscard]] double widest(const std::vector<ProductScale>& scales) const {
    double most = 0;
    for_each_band([&](std::size_t begin, std::size_t end) { most = std::max(most, band_width(begin, end, scales)); });
    return most;
  }

  [[nodiscard]] double height(const std::vector<ProductScale>& scales) const {
    double all = spacing_.product_gap * static_cast<double>(ends_.size());
    for_each_band([&](std::size_t begin, std::size_t end) {
      double band = 0;
      for (std::size_t i = begin; i < end; ++i) band = std::max(band, products_[i].heights(scales[i]).total(scales[i]));
      all += band;
    });
    return all;
  }

  [[nodiscard]] ProductScale scale_of(double cell, Heading heading) const {
    return {cell, heading, &spacing_, room_.in_window};
  }

  /// The largest cells with which that band fits the width; the smallest cells if none do.
  [[nodiscard]] double widest_fit(std::size_t begin, std::size_t end, Heading heading, double largest) const {
    const auto width = [&](double cell) {
      return band_width(begin, end, std::vector<ProductScale>(products_.size(), scale_of(cell, heading)));
    };
    // Where the headings are too wide anyway, cells need not be smaller than the headings.
    const double allowed = std::max(width_room(), width(kMinProductCell) + 0.5);
    double cell = largest;
    while (cell > kMinProductCell && width(cell) > allowed) cell = smaller_cell(cell);
    return cell;
  }

  /// Cells of one size in all products where they fit; smaller ones in a product with wide matrices.
  [[nodiscard]] std::vector<ProductScale> fit(Heading heading) const {
    const auto may_differ = [&](std::size_t begin, std::size_t end) {
      return end == begin + 1 && products_[begin].has_own_cells();
    };
    for (double largest = room_.largest_cell;; largest = smaller_cell(largest)) {
      // Most products show the same matrices and share their cell size.
      double shared = largest;
      for_each_band([&](std::size_t begin, std::size_t end) {
        if (!may_differ(begin, end)) shared = std::min(shared, widest_fit(begin, end, heading, largest));
      });
      std::vector<ProductScale> scales(products_.size(), scale_of(shared, heading));
      for_each_band([&](std::size_t begin, std::size_t end) {
        if (may_differ(begin, end)) scales[begin].cell = widest_fit(begin, end, heading, shared);
      });
      if (height(scales) <= height_room() || largest < least_cell()) return scales;
    }
  }

  [[nodiscard]] double least_cell() const {
    Index longest = 1;
    for (const MeasuredProduct& each : products_) longest = std::max(longest, each.longest());
    return std::min(kMaxProductCell / 4,
                    (room_.in_window ? kShortestInWindow : kShortestLongSide) / static_cast<double>(longest));
  }

  std::span<const MeasuredProduct> products_;
  const ProductRoom& room_;
  std::vector<std::size_t> ends_;
  const ProductSpacing& spacing_;
};

/// All ways to divide so many products into bands, those below each other first.
std::vector<std::vector<std::size_t>> ways_to_divide(std::size_t count) {
  std::vector<std::vector<std::size_t>> ways;
  for (std::size_t joined = 0; joined < std::size_t{1} << (count - 1); ++joined) {
    std::vector<std::size_t> ends;
    for (std::size_t i = 1; i < count; ++i) {
      if ((joined >> (i - 1) & 1U) == 0) ends.push_back(i);
    }
    ends.push_back(count);
    ways.push_back(std::move(ends));
  }
  return ways;
}

}  // namespace

double ProductScale::extent(Index count) const {
  const auto cells = static_cast<double>(count);
  return std::max(cells * cell, std::min(cells * kMaxProductCell / 2, kSmallestExtent));
}

double ProductScale::label_height(const Labels& labels) const {
  const double height = column_label_height(labels, cell);
  const bool left_out = in_window && !labels.are_counted() && cell < kMinLabel;
  return left_out ? std::min(height, TypeSize::kSmall + kLabelDistance) : height;
}

std::string shape_text(const Block& block) {
  return std::to_string(block.mark.rows()) + " × " + std::to_string(block.mark.columns());
}

const std::string& heading_symbol(const Block& block, Heading heading) {
  return heading == Heading::stacked && !block.brief.empty() ? block.brief : block.symbol;
}

double heading_width(const Block& block, Heading heading) {
  const double name = markup_width(heading_symbol(block, heading), TypeSize::kTitle, FontWeight::semibold);
  const double size = text_width(shape_text(block), TypeSize::kSmall, FontWeight::regular);
  if (heading == Heading::stacked) return std::max(name, size);
  const double rule = block.formula.empty() || heading == Heading::symbol
                          ? 0
                          : 6 + markup_width(block.formula, TypeSize::kSmall, FontWeight::regular);
  return name + rule + 12 + size;
}

MeasuredProduct::MeasuredProduct(const AlignedProduct& product) : own_cells_(product.own_cells) {
  for (const Column& column : product.columns) {
    MeasuredColumn& made = columns_.emplace_back();
    made.top = measured(column.top);
    made.bottom = measured(column.bottom);
    made.labels = std::max(labels_of(column.top), labels_of(column.bottom));
    if (!column.arrow.empty()) made.arrow = text_width(column.arrow, TypeSize::kSmall, FontWeight::regular);
    if (!column.sign.empty()) made.sign = markup_width(column.sign, kSignSize, FontWeight::regular);
  }
}

std::optional<MeasuredProduct::MeasuredBlock> MeasuredProduct::measured(const std::optional<Block>& block) {
  if (!block) return std::nullopt;
  return MeasuredBlock{block->mark.rows(),
                       block->mark.columns(),
                       block->mark.column_labels,
                       {heading_width(*block, Heading::formula), heading_width(*block, Heading::symbol),
                        heading_width(*block, Heading::stacked)}};
}

double MeasuredProduct::column_width(std::size_t column, const ProductScale& scale) const {
  double width = 0;
  for (const auto* block : {&columns_[column].top, &columns_[column].bottom}) {
    if (*block)
      width = std::max(
          {width, scale.extent((*block)->columns), (*block)->headings[static_cast<std::size_t>(scale.heading)]});
  }
  return width;
}

double MeasuredProduct::gap_before(std::size_t column, const ProductSpacing& spacing) const {
  const MeasuredColumn& of = columns_[column];
  if (of.arrow > 0) return of.arrow + spacing.arrow_room;
  return std::max(spacing.column_gap, of.sign + spacing.beside_sign) + of.labels;
}

double MeasuredProduct::width(const ProductScale& scale) const {
  double width = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    width += column_width(i, scale) + (i == 0 ? 0 : gap_before(i, *scale.spacing));
  return width;
}

ProductHeights MeasuredProduct::heights(const ProductScale& scale) const {
  ProductHeights heights;
  for (const MeasuredColumn& column : columns_) {
    if (column.top) {
      heights.top = std::max(heights.top, scale.extent(column.top->rows));
      heights.top_labels = std::max(heights.top_labels, scale.label_height(column.top->column_labels));
    }
    if (column.bottom) {
      heights.bottom = std::max(heights.bottom, scale.extent(column.bottom->rows));
      heights.bottom_labels = std::max(heights.bottom_labels, scale.label_height(column.bottom->column_labels));
    }
  }
  // The labels above a product without a factor use the empty place there.
  if (heights.top > 0) heights.bottom_labels = 0;
  return heights;
}

Index MeasuredProduct::longest() const {
  Index longest = 1;
  for (const MeasuredColumn& column : columns_) {
    for (const auto* block : {&column.top, &column.bottom}) {
      if (*block) longest = std::max({longest, (*block)->rows, (*block)->columns});
    }
  }
  return longest;
}

namespace {

/// The size of the cells that most products have.
double shared_cell(std::span<const MeasuredProduct> products, const std::vector<ProductScale>& scales) {
  for (std::size_t i = 0; i < products.size(); ++i) {
    if (!products[i].has_own_cells()) return scales[i].cell;
  }
  return scales.front().cell;
}

}  // namespace

ProductArrangement arrange_products(std::span<const MeasuredProduct> products, const ProductRoom& room) {
  std::vector<std::vector<std::size_t>> ways(1, std::vector<std::size_t>(products.size()));
  std::iota(ways.front().begin(), ways.front().end(), std::size_t{1});
  const bool limited = room.height > 0;
  if (limited) ways = ways_to_divide(products.size());
  // In files, words beside cells have their full size.
  const double enough = room.in_window ? kMinLabel : TypeSize::kSmall * kLabelPitch;
  std::optional<ProductArrangement> best;
  double largest = 0;
  for (const ProductSpacing* const spacing : {&kUsualSpacing, &kTightSpacing}) {
    for (const std::vector<std::size_t>& ends : ways) {
      const BandLayout layout(products, room, ends, *spacing);
      ProductArrangement made = layout.arrange();
      const double shrunk = layout.shrunk(made);
      // Letters that have to shrink are worse than cells that do.
      const double cell = shared_cell(products, made.scales) * std::pow(shrunk, kLettersBeforeCells);
      if (!limited || (shrunk >= 1 && cell >= enough)) return made;
      // What only rounding makes larger is no better.
      if (best && cell < 1.05 * largest) continue;
      largest = cell;
      best = std::move(made);
    }
  }
  return *best;
}

}  // namespace attnscope
