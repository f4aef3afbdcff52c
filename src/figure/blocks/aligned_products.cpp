#include "figure/blocks/aligned_products.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "figure/blocks/product_sizes.h"
#include "figure/layout/legend.h"
#include "figure/slices/matrix.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

constexpr double kNarrow = 600;  // figures narrower than this have a shorter legend
constexpr double kBar = 120;     // width of a colour bar
constexpr double kNarrowBar = 80;

class ProductLayout {
 public:
  ProductLayout(std::vector<AlignedProduct> products, const ViewOptions& options)
      : products_(std::move(products)), options_(options) {
    for (const AlignedProduct& product : products_) {
      measured_.emplace_back(product);
      labels_ = std::max(labels_, measured_.back().labels());
    }
    legend_ = legend();
  }

  Figure build() {
    made_ = arrange_products(measured_,
                             {options_.width, options_.height, !options_.for_file,
                              options_.tensors.empty() || products_.size() > 1 ? kMaxProductCell : kMaxChosenCell,
                              [this](const ProductSpacing& spacing) { return legend_height(spacing); }});
    place();
    return std::move(figure_);
  }

 private:
  [[nodiscard]] double legend_room(const ProductSpacing& spacing) const { return options_.width - 2 * spacing.outer; }
  [[nodiscard]] double legend_height(const ProductSpacing& spacing) const {
    return spacing.legend_height + legend_size(legend_, legend_room(spacing)).height;
  }

  void place() {
    const ProductSpacing& spacing = made_.spacing();
    const double legend_width = legend_size(legend_, legend_room(spacing)).width;
    figure_.width = std::max({options_.width, made_.width + 2 * spacing.outer, legend_width + 2 * spacing.outer});
    left_ = labels_ + spacing.outer + std::max(0.0, (figure_.width - 2 * spacing.outer - made_.width) / 2);
    const double needed = 2 * spacing.outer + legend_height(spacing) + made_.height;
    figure_.height = std::max(needed, options_.height);
    const double above = std::max(0.0, (figure_.height - needed) / 2);
    double y = spacing.outer + above;
    std::size_t i = 0;
    for (const std::size_t end : made_.band_ends) {
      double x = left_;
      double bottom = y;
      for (; i < end; ++i) {
        bottom = std::max(bottom, place_product(i, {x, y}));
        x += measured_[i].width(made_.scales[i]) + spacing.beside + (i + 1 < end ? measured_[i + 1].labels() : 0);
      }
      y = bottom + spacing.product_gap;
    }
    const double legend_top = figure_.height - above - spacing.outer - legend_height(spacing);
    place_legend(legend_, {left_, legend_top + spacing.legend_top}, spacing.outer,
                 std::max(legend_room(spacing), legend_width));
    figure_.color_bars = legend_;
  }

  /// Returns the bottom.
  double place_product(std::size_t number, Point at) {
    const AlignedProduct& product = products_[number];
    const MeasuredProduct& measured = measured_[number];
    const ProductScale& scale = made_.scales[number];
    const ProductHeights heights = measured.heights(scale);
    const double top = at.y + scale.title_height() + heights.top_labels;
    const double bottom = (heights.top > 0 ? top + heights.top : at.y) + scale.title_height() + heights.bottom_labels;
    double x = at.x;
    if (!product.caption.empty() && heights.top > 0) {
      add_text(product.id + ".caption", {x, at.y + 14}, product.caption, TypeSize::kSmall, FontWeight::regular,
               Ink::dim);
    }
    for (std::size_t i = 0; i < product.columns.size(); ++i) {
      const Column& column = product.columns[i];
      if (i > 0) {
        const double gap = measured.gap_before(i, *scale.spacing);
        place_sign(product, i, x, gap, top + heights.top, bottom, scale);
        x += gap;
      }
      if (column.top) place_block(*column.top, scale, x, top + heights.top - scale.extent(column.top->mark.rows()));
      if (column.bottom) place_block(*column.bottom, scale, x, bottom);
      x += measured.column_width(i, scale);
    }
    return bottom + heights.bottom;
  }

  void place_sign(const AlignedProduct& product, std::size_t number, double x, double gap, double top_end,
                  double bottom, const ProductScale& scale) {
    const Column& column = product.columns[number];
    const auto block_of = [](const Column& each) -> const Block& { return each.bottom ? *each.bottom : *each.top; };
    const Block& block = block_of(column);
    // Beside both of its neighbours, whose upper ends are aligned.
    const Index rows = std::min(block.mark.rows(), block_of(product.columns[number - 1]).mark.rows());
    const double middle = bottom + scale.extent(rows) / 2;
    const std::string id = product.id + "." + block.mark.id + ".sign";
    if (!column.arrow.empty()) {
      add_text(id, {x + gap / 2, middle - 8}, column.arrow, TypeSize::kSmall, FontWeight::regular, Ink::dim,
               HorizontalAlign::center);
      figure_.lines.push_back({id, {x + 8, middle}, {x + gap - 8, middle}, Ink::dim, 1.2, false, true});
    } else if (!column.sign.empty()) {
      const double y = column.corner ? top_end + scale.title_height() / 2 : middle;
      TextMark mark = {id,       {x + gap / 2, y},        column.sign,           kSignSize, FontWeight::regular,
                       Ink::dim, HorizontalAlign::center, VerticalAlign::middle, 0};
      figure_.texts.push_back(std::move(mark));
    }
  }

  void place_block(const Block& block, const ProductScale& scale, double x, double y) {
    HeatmapMark mark = block.mark;
    mark.box = {x, y, scale.extent(mark.columns()), scale.extent(mark.rows())};
    double base = y - scale.spacing->below_title - scale.label_height(mark.column_labels);
    const std::string& id = mark.id;
    const bool stacked = scale.heading == Heading::stacked;
    if (stacked) add_text(id + ".shape", {x, base}, shape_text(block), TypeSize::kSmall, FontWeight::regular, Ink::dim);
    if (stacked) base -= scale.spacing->shape_line;
    add_text(id + ".symbol", {x, base}, heading_symbol(block, scale.heading), TypeSize::kTitle, FontWeight::semibold,
             Ink::text);
    if (scale.heading == Heading::formula && !block.formula.empty()) {
      const double behind = markup_width(block.symbol, TypeSize::kTitle, FontWeight::semibold) + 6;
      add_text(id + ".formula", {x + behind, base}, block.formula, TypeSize::kSmall, FontWeight::regular, Ink::dim);
    }
    if (!stacked) {
      const double right = x + std::max(scale.extent(block.mark.columns()), heading_width(block, scale.heading));
      add_text(id + ".shape", {right, base}, shape_text(block), TypeSize::kSmall, FontWeight::regular, Ink::dim,
               HorizontalAlign::right);
    }
    add_group_lines(block, mark.box);
    figure_.heatmaps.push_back(std::move(mark));
  }

  /// Wider gaps between the groups of rows and of columns, and a little beyond the matrix. Not where they would hide much
  /// of the cells beside them.
  void add_group_lines(const Block& block, const Rect& box) {
    constexpr double kLeastCell = 3;
    constexpr double kBeyond = 3;
    const double cell = box.width / static_cast<double>(block.mark.columns());
    if (cell < kLeastCell) return;
    const double width = std::min(kLeastCell, cell / 3);
    const auto add = [&](const std::string& id, Point from, Point to) {
      figure_.lines.push_back({block.mark.id + id, from, to, Ink::line, width, false, false});
    };
    for (Index i = 1; i < block.row_groups; ++i) {
      const double y = box.y + box.height * static_cast<double>(i) / static_cast<double>(block.row_groups);
      add(".rows." + std::to_string(i), {box.x - kBeyond, y}, {box.right() + kBeyond, y});
    }
    for (Index i = 1; i < block.column_groups; ++i) {
      const double x = box.x + box.width * static_cast<double>(i) / static_cast<double>(block.column_groups);
      add(".columns." + std::to_string(i), {x, box.y - kBeyond}, {x, box.bottom() + kBeyond});
    }
  }

  [[nodiscard]] bool is_narrow() const { return options_.width < kNarrow; }

  /// What a bar is for that is not that of the weights: `both` says that there is one for matrices with negative numbers
  /// and one for those without.
  [[nodiscard]] std::string others_title(bool weights, bool both, bool negative) const {
    const bool narrow = is_narrow();
    std::string title = !weights ? "matrices" : narrow ? "others" : "other matrices";
    if (both) title += negative ? " with " : " without ";
    if (both) title += narrow ? "−" : "negative numbers";
    return title + (narrow ? ", scaled to their maximum" : ", each scaled to its maximum") + borrowed_scale(negative);
  }

  /// ", head like V": which matrix with negative numbers, or without, has another one's scale; empty: none.
  [[nodiscard]] std::string borrowed_scale(bool negative) const {
    for (const AlignedProduct& product : products_) {
      for (const Column& column : product.columns) {
        const std::optional<Block>& block = column.bottom;
        if (block && !block->scale_of.empty() && (block->mark.scale.map == ColorMap::red_blue) == negative)
          // Without what was done to it, as in "head, off".
          return ", " + block->symbol.substr(0, block->symbol.find(", ")) + " like " + block->scale_of;
      }
    }
    return "";
  }

  /// One bar for each colour map in the figure.
  [[nodiscard]] std::vector<ColorBarMark> legend() const {
    std::map<ColorMap, ColorScale> used;
    std::optional<ColorBarMark> masked;
    for (const AlignedProduct& product : products_) {
      for (const Column& column : product.columns) {
        for (const auto* block : {&column.top, &column.bottom}) {
          if (!*block) continue;
          used.insert_or_assign((*block)->mark.scale.map, (*block)->mark.scale);
          if (!masked) masked = masked_bar((*block)->mark.scale, options_.width);
        }
      }
    }
    const bool both = used.contains(ColorMap::magma) && used.contains(ColorMap::red_blue);
    std::vector<ColorBarMark> bars;
    for (const ColorMap map : {ColorMap::viridis, ColorMap::magma, ColorMap::red_blue}) {
      if (!used.contains(map)) continue;
      const bool weights = map == ColorMap::viridis;
      ColorBarMark bar = {
          "legend." + std::string(color_map_name(map)),
          {0, 0, is_narrow() ? kNarrowBar : kBar, 9},
          {map, 0, weights ? used.at(map).high : 1},
          weights ? "weights" : others_title(used.contains(ColorMap::viridis), both, map == ColorMap::red_blue),
          "0",
          weights ? scale_end_text(used.at(map)) : "max"};
      if (map == ColorMap::red_blue) bar.low_text = "−max";
      bars.push_back(std::move(bar));
    }
    if (masked) bars.push_back(std::move(*masked));
    return bars;
  }

  void add_text(std::string id, Point at, std::string markup, double size, FontWeight weight, Ink ink,
                HorizontalAlign align = HorizontalAlign::left) {
    figure_.texts.push_back(
        {std::move(id), at, std::move(markup), size, weight, ink, align, VerticalAlign::baseline, 0});
  }

  std::vector<AlignedProduct> products_;
  const ViewOptions& options_;
  std::vector<MeasuredProduct> measured_;
  ProductArrangement made_;
  std::vector<ColorBarMark> legend_;
  Figure figure_;
  double labels_ = 0;  ///< left of the first matrices
  double left_ = 0;
};

}  // namespace

Figure aligned_products_figure(std::vector<AlignedProduct> products, const ViewOptions& options) {
  return ProductLayout(std::move(products), options).build();
}

}  // namespace attnscope
