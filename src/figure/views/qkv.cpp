// Queries, keys and values of every head. Matrices of one kind share a colour scale, so that heads are comparable.
#include <array>
#include <cmath>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "figure/layout/grid.h"
#include "figure/layout/legend.h"
#include "figure/layout/page.h"
#include "figure/slices/matrix.h"
#include "figure/slices/selected.h"
#include "figure/views/view.h"

namespace attnscope {
namespace qkv_view_parts {
namespace {

constexpr double kMargin = 16;
constexpr double kPanelTitle = 18;
constexpr double kSymbolLine = 20;
constexpr double kBetween = 14;  // matrices of one head
constexpr double kLegendHeight = 44;
constexpr double kBarWidth = 100;
constexpr double kPageLine = 20;
constexpr Index kMaxHeads = 128;  // on one page: each has several matrices and their names

/// The matrices of one head, left to right.
using HeadRow = std::vector<HeatmapMark>;

std::vector<HeadRow> rows_of(const Trace& trace, const std::string& prefix, const Page& page, Index item,
                             const StopToken& stop) {
  constexpr std::array<const char*, 7> kNames = {"q", "scaled_q", "rotated_q", "k", "rotated_k", "v", "cross_q"};
  std::vector<HeadRow> rows;
  for (Index head = page.first; head < page.end(); ++head) {
    if (stop.stop_requested()) return {};
    HeadRow row;
    for (const char* name : kNames) {
      std::optional<HeatmapMark> mark = matrix_mark(trace, prefix + name, {head, item});
      if (!mark) continue;
      mark->id += "." + std::to_string(head);
      // All heads have the labels of the first one.
      if (row.empty() || row.back().rows() != mark->rows())
        mark->row_labels = rows.empty() ? row_labels(trace, *mark) : rows.front()[row.size()].row_labels;
      row.push_back(std::move(*mark));
    }
    rows.push_back(std::move(row));
  }
  // All heads of the page share one scale.
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    ColorScale scale = rows.front()[i].scale;
    for (const HeadRow& row : rows) scale = joint_scale(scale, row[i].scale);
    for (HeadRow& row : rows) row[i].scale = scale;
  }
  return rows;
}

class QkvLayout {
 public:
  QkvLayout(std::vector<HeadRow> rows, const Page& page, bool single, const ViewOptions& options)
      : rows_(std::move(rows)), page_(page), single_(single), options_(options) {}

  Figure build() {
    const HeadRow& first = rows_.front();
    PanelShape shape;
    shape.largest_cell = 32;
    shape.gap = 26;
    shape.left = -kBetween;
    shape.columns = 0;
    for (const HeatmapMark& mark : first) {
      shape.rows = std::max(shape.rows, mark.rows());
      shape.columns += mark.columns();
      // A matrix is never narrower than its name.
      shape.left += row_label_width(mark.row_labels) + kBetween;
    }
    shape.columns = std::max<Index>(1, shape.columns);
    shape.top = kPanelTitle + kSymbolLine;
    figure_.color_bars = legend();
    const double room = options_.width - 2 * kMargin;
    const LegendSize legend_extent = legend_size(figure_.color_bars, room);
    const std::string said = page_.text("heads");
    const double header = said.empty() ? 0 : kPageLine;
    const double fixed = 2 * kMargin + header + kLegendHeight + legend_extent.height;
    const Grid grid = fit_grid(static_cast<Index>(rows_.size()), shape, room,
                               options_.height > 0 ? std::max(1.0, options_.height - fixed) : 0);
    figure_.width =
        std::max(options_.width,
                 std::max({grid.width(), legend_extent.width, text_width(said, TypeSize::kSmall)}) + 2 * kMargin);
    figure_.height = std::max(options_.height, grid.height() + fixed);
    const double left = (figure_.width - grid.width()) / 2;
    const double top = kMargin + header + (figure_.height - fixed - grid.height()) / 2;
    if (!said.empty())
      add_text("page", {left, top - header + 11}, said, TypeSize::kSmall, FontWeight::regular, Ink::dim);
    for (std::size_t i = 0; i < rows_.size(); ++i) place_head(i, grid, {left, top});
    place_legend(figure_.color_bars, {left, top + grid.height() + 18}, kMargin, std::max(room, legend_extent.width));
    return std::move(figure_);
  }

 private:
  void place_head(std::size_t head, const Grid& grid, Point origin) {
    const Point corner = grid.corner(static_cast<Index>(head));
    double x = origin.x + corner.x;
    const double y = origin.y + corner.y;
    const double title_x = x + row_label_width(rows_[head].front().row_labels);
    const Index number = page_.first + static_cast<Index>(head);
    add_text("head." + std::to_string(number), {title_x, y + 12},
             single_ || page_.of == 1 ? "single head" : "head " + std::to_string(number + 1), TypeSize::kBody,
             FontWeight::semibold, Ink::text);
    for (const HeatmapMark& each : rows_[head]) {
      HeatmapMark mark = each;
      x += row_label_width(mark.row_labels);
      mark.box = {x, y + kPanelTitle + kSymbolLine, grid.cell_width * static_cast<double>(mark.columns()),
                  grid.cell_height * static_cast<double>(mark.rows())};
      add_text(mark.id + ".symbol", {x, mark.box.y - 6}, symbol_of(mark), TypeSize::kBody, FontWeight::regular,
               Ink::dim);
      x = mark.box.right() + kBetween;
      figure_.heatmaps.push_back(std::move(mark));
    }
  }

  [[nodiscard]] static std::string symbol_of(const HeatmapMark& mark) {
    const std::string name = mark.id.substr(0, mark.id.rfind('.'));
    return symbol(name);
  }

  /// One bar for each kind of matrix.
  [[nodiscard]] std::vector<ColorBarMark> legend() const {
    std::vector<ColorBarMark> bars;
    for (const HeatmapMark& mark : rows_.front()) {
      const std::string title = symbol_of(mark);
      bars.push_back({"scale." + title,
                      {0, 0, kBarWidth, 9},
                      mark.scale,
                      title,
                      short_text(mark.scale.low),
                      short_text(mark.scale.high)});
    }
    return bars;
  }

  void add_text(std::string id, Point at, std::string markup, double size, FontWeight weight, Ink ink) {
    figure_.texts.push_back(
        {std::move(id), at, std::move(markup), size, weight, ink, HorizontalAlign::left, VerticalAlign::baseline, 0});
  }

  std::vector<HeadRow> rows_;
  Page page_;
  bool single_;
  const ViewOptions& options_;
  Figure figure_;
};

/// The prefix of the shown tensors' names.
std::string prefix_of(const Trace& trace, const ParameterValues& options) {
  return shown_attention(trace, options).layer;
}

Index heads_of(const Trace& trace, const std::string& prefix) {
  const Axis* const heads = find_axis(trace.find(prefix + "q")->axes, "head");
  return heads == nullptr ? 1 : heads->size;
}

Index pages(const Trace& trace, const ParameterValues& options) {
  return trace.find(prefix_of(trace, options) + "q") == nullptr
             ? 1
             : page_count(heads_of(trace, prefix_of(trace, options)), kMaxHeads);
}

bool applies(const Trace& trace, const ParameterValues& chosen, std::string_view option) {
  if (option == "page") return pages(trace, chosen) > 1;
  return option == "stage" ? has_stages(trace) : leaves_choice(trace, option);
}

Figure build(const Trace& trace, const ViewOptions& options) {
  const std::string prefix = prefix_of(trace, options.values);
  const Page page = page_of(heads_of(trace, prefix), kMaxHeads, options.integer("page"));
  std::vector<HeadRow> rows = rows_of(trace, prefix, page, selected_slice(trace, options.values).item, options.stop);
  if (rows.empty()) return {};  // stopped
  Figure figure = QkvLayout(std::move(rows), page, prefix == "single.", options).build();
  figure.title = trace.experiment().system + ": queries, keys and values";
  return figure;
}

std::string missing(const Trace& trace) {
  return trace.find(selected_attention(trace, {}).layer + "q") != nullptr ? ""
                                                                          : "The file has no queries, keys and values.";
}

}  // namespace
}  // namespace qkv_view_parts

View qkv_view() {
  View view = {"qkv",
               "Q K V",
               "Q, K and V of every head, and the queries of cross-attention.",
               {stage_option(), layer_option(), item_option(), page_option()},
               qkv_view_parts::applies,
               qkv_view_parts::build,
               qkv_view_parts::missing};
  view.pages = qkv_view_parts::pages;
  view.names = layer_names;
  return view;
}

}  // namespace attnscope
