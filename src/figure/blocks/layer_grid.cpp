#include "figure/blocks/layer_grid.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/heads/attention_list.h"
#include "core/plan/plan.h"
#include "core/plan/region.h"
#include "figure/blocks/head_link.h"
#include "figure/layout/grid.h"
#include "figure/layout/legend.h"
#include "figure/layout/page.h"
#include "figure/model/label_painter.h"
#include "figure/slices/head_state.h"
#include "figure/slices/matrix.h"
#include "figure/slices/selected.h"
#include "figure/slices/weight_colors.h"

namespace attnscope {
namespace {

constexpr double kMargin = 16;
constexpr double kLeft = 64;     // names of rows
constexpr double kTitle = 26;    // the title alone
constexpr double kAbove = 48;    // title and head names
constexpr double kBelow = 44;    // colour bar
constexpr double kGap = 6;       // between maps
constexpr double kMinSide = 12;  // of a map
constexpr double kMaxSide = 160;
constexpr double kMinPitch = 14;  // of names
constexpr double kWordPitch = TypeSize::kSmall * kLabelPitch;
constexpr Index kMaxAcross = 128;  // heads of a layer on one page

/// A row of heads.
struct Row {
  std::string tensor;
  std::string name;
  Index first = 0;
  Index heads = 1;
};

/// The texts of the grid.
struct Captions {
  std::string title;
  std::string page;              ///< empty: everything is on this page
  bool names_the_heads = false;  ///< above the columns
};

/// The step of the names that fit: every one, every second, …
Index every(double pitch) { return std::max<Index>(1, static_cast<Index>(std::ceil(kMinPitch / pitch))); }

void add_text(Figure& figure, std::string id, Point at, std::string words, HorizontalAlign align,
              VerticalAlign vertical, bool title = false) {
  figure.texts.push_back({std::move(id), at, std::move(words), title ? TypeSize::kTitle : TypeSize::kSmall,
                          title ? FontWeight::semibold : FontWeight::regular, title ? Ink::text : Ink::dim, align,
                          vertical, 0});
}

class MapGrid {
 public:
  MapGrid(const Trace& trace, std::vector<Row> rows, Captions captions, Index item, const ViewOptions& options)
      : trace_(trace),
        rows_(std::move(rows)),
        captions_(std::move(captions)),
        item_(item),
        options_(options),
        links_(trace),
        colors_(scale_kind(options.values)) {
    above_ = captions_.names_the_heads ? kAbove : kTitle;
    names_ = kLeft;
    for (const Row& row : rows_) {
      across_ = std::max(across_, row.heads);
      names_ = std::max(names_, text_width(row.name, TypeSize::kSmall) + 10);
    }
  }

  Figure build() {
    find_words();
    measure();
    captions();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      place(rows_[i], top_ + static_cast<double>(i) * pitch_, i);
      if (options_.stop.stop_requested()) return {};
    }
    figure_.color_bars.push_back(weights_bar(*scale_));
    place_legend(figure_.color_bars, {left_, top_ + static_cast<double>(rows_.size()) * pitch_ + 12}, kMargin,
                 figure_.width - 2 * kMargin);
    return std::move(figure_);
  }

 private:
  /// The words of the text, where all maps have the same ones, few enough to be read.
  void find_words() {
    for (const Row& row : rows_) {
      const HeatmapMark mark = *unscaled_mark(trace_, row.tensor, {row.first, item_});
      if (static_cast<double>(std::max(mark.rows(), mark.columns())) * kWordPitch > kMaxSide) {
        words_ = {};
        return;
      }
      const Labels beside = short_labels(row_labels(trace_, mark));
      const Labels above = short_labels(column_labels(trace_, mark));
      const bool is_first = &row == &rows_.front();
      if (is_first) words_ = {beside, above};
      if (beside.empty() || beside.are_counted() || beside != words_.beside || above != words_.above) {
        words_ = {};
        return;
      }
    }
  }

  /// As large as there is room for, beside labels that take so much.
  [[nodiscard]] double fitting_side(double beside, double above) const {
    const auto across = static_cast<double>(across_);
    const auto down = static_cast<double>(rows_.size());
    double side = (options_.width - 2 * kMargin - names_ - beside) / across - kGap;
    if (options_.height > 0)
      side = std::min(side, (options_.height - 2 * kMargin - above_ - above - kBelow) / down - kGap);
    return std::floor(std::clamp(side, kMinSide, kMaxSide));
  }

  /// Leaves room for the words beside the first maps, and above the uppermost ones, where they can be read there.
  void measure_words() {
    if (words_.beside.empty()) return;
    const double beside = row_label_width(words_.beside);
    const double above = column_label_height(words_.above, 0);  // turned
    const auto longest = static_cast<double>(std::max(words_.beside.size(), words_.above.size()));
    const double side = fitting_side(beside, above);
    if (side / longest < kWordPitch) {
      words_ = {};
      figure_.lacks_words = true;
      return;
    }
    side_ = side;
    beside_ = beside;
    over_ = column_label_height(words_.above, side / longest);
    names_ += beside_;
    above_ += over_;
  }

  void measure() {
    const auto across = static_cast<double>(across_);
    const auto down = static_cast<double>(rows_.size());
    side_ = fitting_side(0, 0);
    measure_words();
    pitch_ = side_ + kGap;
    const ColorBarMark bar = weights_bar({ColorMap::viridis, 0, 1});
    double width = std::max(names_ + across * pitch_, legend_size({&bar, 1}, options_.width).width);
    if (!captions_.page.empty()) {
      const double title = text_width(captions_.title, TypeSize::kTitle, FontWeight::semibold);
      width = std::max(width, title + 12 + text_width(captions_.page, TypeSize::kSmall));
    }
    const double height = above_ + down * pitch_ + kBelow;
    figure_.width = std::max(options_.width, width + 2 * kMargin);
    figure_.height = std::max(options_.height, height + 2 * kMargin);
    corner_ = {std::round((figure_.width - width) / 2),
               kMargin + std::round((figure_.height - height - 2 * kMargin) / 2)};
    left_ = corner_.x + names_;
    top_ = corner_.y + above_;
  }

  void captions() {
    const Point at = {corner_.x, corner_.y + 13};
    add_text(figure_, "title", at, captions_.title, HorizontalAlign::left, VerticalAlign::baseline, true);
    const double after = at.x + text_width(captions_.title, TypeSize::kTitle, FontWeight::semibold) + 12;
    constexpr const char* kAxes = "rows: queries, columns: keys";
    if (!captions_.page.empty()) {
      add_text(figure_, "page", {after, at.y}, captions_.page, HorizontalAlign::left, VerticalAlign::baseline);
    } else if (after + text_width(kAxes, TypeSize::kSmall) <= figure_.width - kMargin) {
      add_text(figure_, "axes", {after, at.y}, kAxes, HorizontalAlign::left, VerticalAlign::baseline);
    }
    if (!captions_.names_the_heads) return;
    const Index first = rows_.front().first;
    for (Index i = 0; i < across_; i += every(pitch_)) {
      add_text(figure_, "head." + std::to_string(first + i),
               {left_ + (static_cast<double>(i) + 0.5) * pitch_ - kGap / 2, top_ - 6 - over_},
               (pitch_ >= 48 ? "head " : "") + std::to_string(first + i + 1), HorizontalAlign::center,
               VerticalAlign::baseline);
    }
  }

  void place(const Row& row, double y, std::size_t number) {
    if (static_cast<Index>(number) % every(pitch_) == 0) {
      add_text(figure_, (captions_.names_the_heads ? "layer." : "row.") + std::to_string(number),
               {left_ - 8 - beside_, y + side_ / 2}, row.name, HorizontalAlign::right, VerticalAlign::middle);
    }
    for (Index i = 0; i < row.heads; ++i) {
      const Slice slice = {row.first + i, item_};
      HeatmapMark mark = scale_ ? *unscaled_mark(trace_, row.tensor, slice) : *matrix_mark(trace_, row.tensor, slice);
      if (scale_) mark.scale = *scale_;
      colors_.color(mark);
      scale_ = mark.scale;
      mark.id = row.tensor + "." + std::to_string(slice.head);
      const double cell = side_ / static_cast<double>(std::max<Index>(1, std::max(mark.rows(), mark.columns())));
      mark.box = {left_ + static_cast<double>(i) * pitch_, y, cell * static_cast<double>(mark.columns()),
                  cell * static_cast<double>(mark.rows())};
      if (i == 0) mark.row_labels = words_.beside;
      if (number == 0) mark.column_labels = words_.above;
      const std::string state = head_state(trace_.experiment(), row.tensor, slice.head);
      links_.add(figure_, mark.id, mark.box, row.tensor, slice.head, state);
      if (!state.empty()) frame(mark);
      if (state == "off") cross_out(mark);
      figure_.heatmaps.push_back(std::move(mark));
    }
  }

  /// Marks a head whose outputs are replaced.
  void frame(const HeatmapMark& mark) {
    const Rect box = mark.box.grown(2);
    figure_.curves.push_back(
        {mark.id + ".changed",
         {{box.x, box.y}, {box.right(), box.y}, {box.right(), box.bottom()}, {box.x, box.bottom()}, {box.x, box.y}},
         Shade::of(Ink::accent),
         2,
         false});
  }

  /// A frame alone would look like a choice.
  void cross_out(const HeatmapMark& mark) {
    const Rect& box = mark.box;
    // The accent is too dark for most cells on paper.
    const auto add = [&](const char* name, Point from, Point to) {
      figure_.curves.push_back({mark.id + name, {from, to}, Shade::of_hue(0), 2, false});
    };
    add(".down", {box.x, box.y}, {box.right(), box.bottom()});
    add(".up", {box.x, box.bottom()}, {box.right(), box.y});
  }

  const Trace& trace_;
  std::vector<Row> rows_;
  Captions captions_;
  Index item_;
  const ViewOptions& options_;
  HeadLinks links_;
  WeightColors colors_;
  /// Of queries and keys; empty where they have no room, or differ.
  struct Words {
    Labels beside, above;
  };
  Words words_;
  double beside_ = 0;  ///< their width left of the maps
  double over_ = 0;    ///< and their height above them
  Index across_ = 1;
  double names_ = 0;  ///< width
  double above_ = 0;
  double side_ = 0;
  double pitch_ = 0;
  Point corner_;
  double left_ = 0;
  double top_ = 0;
  std::optional<ColorScale> scale_;
  Figure figure_;
};

std::vector<ShownAttention> layers_of(const Trace& trace, const ParameterValues& options) {
  std::vector<ShownAttention> layers;
  for (const LayerAttention& each : wanted_attentions(trace, options)) {
    const Step& weights = trace.steps()[static_cast<std::size_t>(each.weights)];
    const Axis* const heads = find_axis(weights.axes, "head");
    layers.push_back({weights.name, title_of(each), heads != nullptr ? heads->size : 1});
  }
  return layers;
}

Index most_heads(const std::vector<ShownAttention>& attentions) {
  Index most = 1;
  for (const ShownAttention& each : attentions) most = std::max(most, each.heads);
  return most;
}

/// Layers and heads of a page.
struct LayerPages {
  explicit LayerPages(const std::vector<ShownAttention>& layers) {
    heads_on_one = std::min(most_heads(layers), kMaxAcross);
    layers_on_one = std::min<Index>(std::ssize(layers), kMaxMaps / heads_on_one);
    head_pages = page_count(most_heads(layers), heads_on_one);
    layer_pages = page_count(std::ssize(layers), layers_on_one);
  }
  [[nodiscard]] Index count() const { return head_pages * layer_pages; }

  Index heads_on_one = 1;
  Index layers_on_one = 1;
  Index head_pages = 1;
  Index layer_pages = 1;
};

std::string run_text(const std::string& things, const Page& page) {
  return things + " " + grouped_text(page.first + 1) + "–" + grouped_text(page.end()) + " of " + grouped_text(page.of);
}

}  // namespace

Index layer_grid_pages(const Trace& trace, const ParameterValues& options) {
  return LayerPages(layers_of(trace, options)).count();
}

Figure layer_grid(const Trace& trace, Index item, const ViewOptions& options) {
  const std::vector<ShownAttention> layers = layers_of(trace, options.values);
  const LayerPages pages(layers);
  const Index most = most_heads(layers);
  const Index number = std::clamp<Index>(options.integer("page"), 1, pages.count());
  const Page of_layers = page_of(std::ssize(layers), pages.layers_on_one, (number - 1) / pages.head_pages + 1);
  const Page of_heads = page_of(most, pages.heads_on_one, (number - 1) % pages.head_pages + 1);
  std::vector<Row> rows;
  for (Index layer = of_layers.first; layer < of_layers.end(); ++layer) {
    const ShownAttention& each = layers[static_cast<std::size_t>(layer)];
    const Index heads = std::clamp<Index>(each.heads - of_heads.first, 0, of_heads.count);
    rows.push_back({each.tensor, each.title, of_heads.first, heads});
  }
  Captions captions;
  // Layers of a decoder have two.
  const std::string rows_name = has_both_kinds(trace) ? "attentions" : "layers";
  captions.title = std::to_string(layers.size()) + " " + rows_name + ", " + std::to_string(most) +
                   (most == 1 ? " head" : " heads") + " each";
  captions.names_the_heads = true;
  if (pages.count() > 1) {
    captions.page = (of_layers.is_all() ? "" : run_text(rows_name, of_layers) + " · ") +
                    (of_heads.is_all() ? "" : run_text("heads", of_heads) + " · ") + "page " + grouped_text(number) +
                    " of " + grouped_text(pages.count());
  }
  return MapGrid(trace, std::move(rows), std::move(captions), item, options).build();
}

namespace {

Index heads_on_a_page(const std::vector<ShownAttention>& attentions) {
  return std::max<Index>(1, kMaxPanels / std::max<Index>(1, std::ssize(attentions)));
}

/// The rows of the page with `across` heads side by side.
std::vector<Row> rows_of(const std::vector<ShownAttention>& attentions, const Page& page, Index across) {
  std::vector<Row> rows;
  for (const ShownAttention& each : attentions) {
    const Index end = std::min(page.end(), each.heads);
    for (Index first = page.first; first < end; first += across) {
      const Index heads = std::min(across, end - first);
      std::string name = attentions.size() > 1 ? each.title + (each.heads > 1 ? " · " : "") : "";
      if (each.heads > 1) name += grouped_text(first + 1) + "–" + grouped_text(first + heads);
      rows.push_back({each.tensor, std::move(name), first, heads});
    }
  }
  return rows;
}

/// The number of heads side by side that makes them largest.
Index best_across(const std::vector<ShownAttention>& attentions, const Page& page, const ViewOptions& options) {
  const double width = options.width - 2 * kMargin - kLeft;
  const double room = options.height > 0 ? options.height : page_height(options.width);
  const double height = room - 2 * kMargin - kTitle - kBelow;
  Index best = 1;
  double largest = 0;
  for (Index across = 1; across <= page.count; ++across) {
    Index down = 0;
    for (const ShownAttention& each : attentions)
      down += page_count(std::clamp<Index>(each.heads - page.first, 0, page.count), across);
    const double pitch = std::min(width / static_cast<double>(across), height / static_cast<double>(down));
    if (pitch > largest) largest = pitch, best = across;
  }
  return best;
}

}  // namespace

Index head_grid_pages(const std::vector<ShownAttention>& attentions) {
  return page_count(most_heads(attentions), heads_on_a_page(attentions));
}

Figure head_grid(const Trace& trace, const std::vector<ShownAttention>& attentions, Index item,
                 const ViewOptions& options) {
  const Page page = page_of(most_heads(attentions), heads_on_a_page(attentions), options.integer("page"));
  Captions captions;
  captions.title = attentions.size() > 1 ? "Attention" : attentions.front().title;
  if (page.is_all()) captions.title += ", " + grouped_text(page.of) + " heads";
  captions.page = page.text("heads");
  return MapGrid(trace, rows_of(attentions, page, best_across(attentions, page, options)), std::move(captions), item,
                 options)
      .build();
}

}  // namespace attnscope
