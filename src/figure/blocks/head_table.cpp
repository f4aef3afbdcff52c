#include "figure/blocks/head_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/base/text.h"
#include "figure/blocks/head_link.h"
#include "figure/blocks/measure_row.h"
#include "figure/layout/legend.h"
#include "figure/layout/page.h"
#include "figure/slices/matrix.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

struct TableSizes {
  static constexpr double kMargin = 16;
  static constexpr double kTitleHeight = 28;
  static constexpr double kNoteHeight = 24;
  static constexpr double kMapNumbers = 20;    // of the heads, above the map
  static constexpr double kLegendHeight = 60;  // with the title of the map
  static constexpr double kBelowMap = 12;
  static constexpr double kHeaderHeight = 44;
  static constexpr double kRow = 22;
  static constexpr double kBetweenHeadings = 8;
  static constexpr double kGap = 16;  // between columns of text
  static constexpr std::size_t kMaxMapTargets = 2048;
};

class HeadTableLayout : private TableSizes {
 public:
  /// Rows of the table on one page: as many as can be read in the window, which shows pages as a whole.
  static constexpr Index kMaxRows = 16;

  HeadTableLayout(const Trace& trace, const HeadTable& table, const ViewOptions& options)
      : table_(table), options_(options), links_(trace) {
    sort_ = static_cast<std::size_t>(std::ranges::find(table.measures, options.choice("sort"), &Measure::name) -
                                     table.measures.begin());
    mapped_ = is_sorted() && has_values(sort_) ? sort_ : table.mapped;
    for (std::size_t i = 0; i < table.measures.size(); ++i) find_ends(i);
    for (const HeadTableRow& row : table.rows) {
      if (row.line < std::ssize(line_labels_)) continue;
      const std::string number = std::to_string(row.line + 1);
      line_labels_.push_back(row.layer == "layer " + number ? number : row.layer);
    }
  }

  Figure build() {
    choose_rows();
    choose_sizes();
    double y = kMargin;
    title(y);
    y += kTitleHeight + kNoteHeight;
    if (has_map()) {
      map({left_, y});
      y += map_area() + kBelowMap;
    }
    header(y);
    y += kHeaderHeight;
    for (Index i = page_.first; i < page_.end(); ++i, y += kRow) row(*rows_[static_cast<std::size_t>(i)], y);
    if (rows_.empty()) text("none", {left_, y + 12}, table_.none, Ink::dim);
    return std::move(figure_);
  }

 private:
  [[nodiscard]] bool is_sorted() const { return sort_ < table_.measures.size(); }
  [[nodiscard]] bool has_names() const { return !table_.naming_rule.empty(); }
  [[nodiscard]] std::string measure_name(std::size_t measure) const {
    return std::string(table_.measures[measure].title);
  }
  [[nodiscard]] bool has_values(std::size_t measure) const {
    return std::ranges::any_of(table_.rows,
                               [&](const HeadTableRow& row) { return row.cells[measure].value.has_value(); });
  }

  void text(const std::string& id, Point at, const std::string& words, Ink ink,
            HorizontalAlign align = HorizontalAlign::left, FontWeight weight = FontWeight::regular,
            double size = TypeSize::kSmall) {
    figure_.texts.push_back({id, at, words, size, weight, ink, align, VerticalAlign::middle, 0});
  }

  /// The smallest and largest numbers of a measure, with 0 between them.
  void find_ends(std::size_t measure) {
    auto& [low, high] = ends_.emplace_back(0, table_.is_share ? 1 : 0);
    if (table_.is_share) return;
    for (const HeadTableRow& row : table_.rows) {
      const double value = row.cells[measure].value.value_or(0);
      low = std::min(low, value);
      high = std::max({high, value, row.cells[measure].uniform.value_or(0)});
    }
  }

  /// The heads to list, in their order.
  void choose_rows() {
    for (const HeadTableRow& row : table_.rows) {
      if (!table_.only_named || !row.name.empty()) rows_.push_back(&row);
    }
    if (is_sorted()) {
      const bool up = options_.choice("order") == "up";
      const auto value = [&](const HeadTableRow* row) { return row->cells[sort_].value; };
      std::stable_sort(rows_.begin(), rows_.end(), [&](const HeadTableRow* a, const HeadTableRow* b) {
        // Heads without the measure come last.
        if (!value(a) || !value(b)) return value(a).has_value() && !value(b);
        return up ? *value(a) < *value(b) : *value(a) > *value(b);
      });
    }
    page_ = page_of(std::ssize(rows_), kMaxRows, options_.integer("page"));
  }

  void choose_sizes() {
    for (const HeadTableRow& row : table_.rows)
      head_width_ = std::max(head_width_, text_width(row_name(row), TypeSize::kSmall, FontWeight::semibold));
    head_width_ += 16 + kGap;
    for (std::size_t i = 0; i < table_.measures.size() && has_names(); ++i)
      name_width_ = std::max(name_width_, text_width(measure_name(i), TypeSize::kSmall, FontWeight::semibold));
    for (const HeadTableRow& row : table_.rows)
      name_width_ = std::max(name_width_, text_width(row.name, TypeSize::kSmall, FontWeight::semibold));
    if (has_names()) name_width_ += kGap;
    place_columns();
    const double shown = kRow * static_cast<double>(std::max<Index>(1, page_.count));
    const double others = kTitleHeight + kNoteHeight + kHeaderHeight + shown + 2 * kMargin;
    // In the window the map takes the height that the table leaves.
    if (has_map()) choose_cells(options_.height > 0 ? options_.height - others - kBelowMap : 240);
    figure_.height = std::max(options_.height, others + (has_map() ? map_area() + kBelowMap : 0));
  }

  /// Columns are as wide as their headings, and all of them wider by the same where there is room.
  void place_columns() {
    std::vector<double> widths;
    for (std::size_t i = 0; i < table_.measures.size(); ++i) {
      const auto [first, second] = two_lines(measure_name(i));
      const double heading = std::max(text_width(first, TypeSize::kSmall, FontWeight::semibold),
                                      text_width(second + " ↓", TypeSize::kSmall, FontWeight::semibold));
      widths.push_back(std::max(table_.min_column, std::ceil(heading) + kBetweenHeadings));
    }
    const double widest = *std::ranges::max_element(widths);
    double table = head_width_ + name_width_;
    for (const double width : widths) table += width;
    const double widened = std::clamp((options_.width - 2 * kMargin - table) / static_cast<double>(widths.size()), 0.0,
                                      std::max(0.0, table_.max_column - widest));
    table += widened * static_cast<double>(widths.size());
    figure_.width = std::max(options_.width, table + 2 * kMargin);
    left_ = (figure_.width - table) / 2;
    right_ = left_ + table;
    columns_.push_back(left_ + head_width_ + name_width_);
    for (const double width : widths) columns_.push_back(columns_.back() + width + widened);
  }

  [[nodiscard]] Rect column(std::size_t measure, double y, double height) const {
    return {columns_[measure], y, columns_[measure + 1] - columns_[measure], height};
  }

  /// "layer 2 · head 3"
  [[nodiscard]] static std::string row_name(const HeadTableRow& row) {
    return row.layer + " · head " + std::to_string(row.head + 1);
  }
  [[nodiscard]] std::string id_of(const HeadTableRow& row) const {
    return table_.id + "." + std::to_string(row.line + 1) + "." + std::to_string(row.head);
  }

  void title(double y) {
    text("title", {left_, y + 8}, table_.title, Ink::text, HorizontalAlign::left, FontWeight::semibold,
         TypeSize::kTitle);
    const std::string page = page_.is_all() ? "" : page_.text("rows");
    const std::string note = page + (page.empty() || table_.note.empty() ? "" : "; ") + table_.note;
    text("note", {left_, y + kTitleHeight + 4}, literal_markup(shortened_text(note, right_ - left_, TypeSize::kSmall)),
         Ink::dim);
  }

  // The map.

  [[nodiscard]] Index lines() const { return table_.rows.back().line + 1; }
  [[nodiscard]] Index heads() const { return std::ssize(table_.rows) / lines(); }
  /// Not for layers with different numbers of heads.
  [[nodiscard]] bool has_map() const { return heads() * lines() == std::ssize(table_.rows) && lines() > 1; }
  [[nodiscard]] double map_left() const {
    double widest = 0;
    for (const std::string& label : line_labels_) widest = std::max(widest, text_width(label, TypeSize::kSmall));
    return widest + 12;
  }
  [[nodiscard]] double map_height() const { return cell_height_ * static_cast<double>(lines()); }
  [[nodiscard]] double map_right() const { return left_ + map_left() + cell_width_ * static_cast<double>(heads()); }
  [[nodiscard]] std::string map_title() const {
    return capitalized(measure_name(mapped_)) + " by layer (rows) and head (columns)";
  }
  /// Whether there is room for the legend on the right of the map.
  [[nodiscard]] bool is_legend_beside() const {
    return map_right() + 24 + text_width(map_title(), TypeSize::kSmall, FontWeight::semibold) <= right_;
  }
  [[nodiscard]] double map_area() const {
    const double map = kMapNumbers + map_height();
    return is_legend_beside() ? std::max(map, kLegendHeight) : map + 8 + kLegendHeight;
  }

  void choose_cells(double height) {
    cell_width_ = std::clamp((right_ - left_ - map_left()) / static_cast<double>(heads()), 3.0, 32.0);
    const double room = is_legend_beside() ? std::max(height, kLegendHeight) : height - 8 - kLegendHeight;
    cell_height_ = std::clamp(std::floor((room - kMapNumbers) / static_cast<double>(lines())), 5.0, 20.0);
  }

  void map(Point at) {
    auto numbers = std::make_shared<Tensor>(Axes{{"layer", lines()}, {"head", heads()}});
    std::ranges::transform(table_.rows, numbers->values().begin(), [&](const HeadTableRow& row) {
      return static_cast<float>(row.cells[mapped_].value.value_or(std::numeric_limits<double>::quiet_NaN()));
    });
    HeatmapMark map;
    map.id = "map";
    map.step = -1;
    map.axes = numbers->axes();
    map.box = {at.x + map_left(), at.y + kMapNumbers, map_right() - left_ - map_left(), map_height()};
    const auto [low, high] = ends_[mapped_];
    map.scale = {ColorMap::viridis, low, high > low ? high : low + 1};
    map.row_labels = line_labels_;
    map.column_labels = position_numbers(heads());
    map.about = measure_name(mapped_) + " of every head";
    map.source = slice_of(std::move(numbers), map);
    if (table_.rows.size() <= kMaxMapTargets) add_map_targets(map.box);
    const Point beside = {map.box.right() + 24, at.y + kMapNumbers};
    const Point legend = is_legend_beside() ? beside : Point{map.box.x, map.box.bottom() + 16};
    text("map.title", legend, map_title(), Ink::text, HorizontalAlign::left, FontWeight::semibold);
    ColorBarMark bar = {"map.scale",
                        {0, 0, 100, 9},
                        map.scale,
                        measure_name(mapped_),
                        short_text(map.scale.low),
                        short_text(map.scale.high)};
    place_legend({&bar, 1}, {legend.x, legend.y + 14}, kMargin, figure_.width - 2 * kMargin);
    figure_.color_bars.push_back(std::move(bar));
    figure_.heatmaps.push_back(std::move(map));
  }

  void add_map_targets(const Rect& box) {
    for (const HeadTableRow& row : table_.rows) {
      const Rect cell = {box.x + static_cast<double>(row.head) * cell_width_,
                         box.y + static_cast<double>(row.line) * cell_height_, cell_width_, cell_height_};
      add_target("map." + id_of(row), cell, row, table_.about(row, mapped_));
    }
  }

  /// A place that opens the head.
  void add_target(const std::string& id, const Rect& box, const HeadTableRow& row, const std::string& words) {
    TargetMark target;
    target.id = id;
    target.box = box;
    target.about = words;
    if (const auto open = links_.to(row.tensor, row.head)) {
      target.about += "\nClick to open it";
      target.click = *open;
    }
    figure_.targets.push_back(std::move(target));
  }

  // The table.

  void header(double y) {
    const double line = y + kHeaderHeight - 2;
    add_sort("head", "head", {left_, y, head_width_, kHeaderHeight}, "Click to sort by layer and head.", !is_sorted());
    if (has_names()) {
      text("header.name", {left_ + head_width_, line - 12}, "name", Ink::dim);
      figure_.targets.push_back(
          {"header.name", {left_ + head_width_, y, name_width_, kHeaderHeight}, table_.naming_rule, {}});
    }
    for (std::size_t i = 0; i < table_.measures.size(); ++i) {
      const Measure& measure = table_.measures[i];
      const std::string source = measure.source.empty() ? "" : "\n" + std::string(measure.source);
      add_sort(std::string(measure.name), measure_name(i), column(i, y, kHeaderHeight),
               std::string(measure.definition) + table_.about_measures + source + "\nClick to sort.",
               is_sorted() && sort_ == i);
    }
    figure_.lines.push_back({"header.line", {left_, line}, {right_, line}, Ink::line, 1, false, false});
  }

  /// The title of a column, in two lines where it has two words; a click sorts by it, a second one reverses the order.
  void add_sort(const std::string& sort, const std::string& title, const Rect& box, const std::string& about,
                bool chosen) {
    const bool up = options_.choice("order") == "up";
    const std::string arrow = chosen && sort != "head" ? (up ? " ↑" : " ↓") : "";
    const auto [first, second] = two_lines(title);
    const bool left = sort == "head";
    const double x = left ? box.x : box.right() - 6;
    const HorizontalAlign align = left ? HorizontalAlign::left : HorizontalAlign::right;
    const FontWeight weight = chosen ? FontWeight::semibold : FontWeight::regular;
    const Ink ink = chosen ? Ink::text : Ink::dim;
    const double line = box.bottom() - 14;
    if (!first.empty()) text("header." + sort + ".first", {x, line - 15}, first, ink, align, weight);
    text("header." + sort, {x, line}, second + arrow, ink, align, weight);
    const bool again = options_.choice("sort") == sort && !up;
    figure_.targets.push_back(
        {"sort." + sort, box, about, SetOptions{{{"sort", sort}, {"order", std::string(again ? "up" : "down")}}}});
  }

  void row(const HeadTableRow& row, double y) {
    const std::string id = id_of(row);
    figure_.bars.push_back({id + ".hue", {left_, y + 7, 8, 8}, Shade::of_hue(row.head)});
    text(id + ".head", {left_ + 16, y + 11}, row_name(row), Ink::text);
    if (has_names())
      text(id + ".name", {left_ + head_width_, y + 11}, row.name.empty() ? "–" : row.name,
           row.name.empty() ? Ink::dim : Ink::text, HorizontalAlign::left,
           row.name.empty() ? FontWeight::regular : FontWeight::semibold);
    add_target(id, {left_ - 6, y, head_width_ + name_width_ + 6, kRow}, row, capitalized(row_name(row)));
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const std::string cell = id + "." + std::string(table_.measures[i].name);
      const Rect box = column(i, y, kRow);
      add_measure(figure_, cell, box, row.cells[i].value, {ends_[i].second, row.cells[i].uniform},
                  Shade::of_hue(row.head));
      add_target(cell, box, row, table_.about(row, i));
    }
  }

  const HeadTable& table_;
  const ViewOptions& options_;
  HeadLinks links_;
  std::size_t sort_ = 0;  ///< of the measures; their number: by layer and head
  std::size_t mapped_ = 0;
  std::vector<std::pair<double, double>> ends_;  ///< [measure]
  std::vector<std::string> line_labels_;         ///< of the map: "2", or "decoder layer 2" where there are more parts
  std::vector<const HeadTableRow*> rows_;
  Page page_;  ///< of `rows_`
  double head_width_ = 0;
  double name_width_ = 0;
  std::vector<double> columns_;  ///< the left edges of those of the measures, and where the last one ends
  double cell_width_ = 0;        ///< of the map
  double cell_height_ = 0;
  double left_ = 0;
  double right_ = 0;
  Figure figure_;
};

}  // namespace

Index head_table_pages(Index heads) { return page_count(heads, HeadTableLayout::kMaxRows); }

Figure head_table_figure(const Trace& trace, const HeadTable& table, const ViewOptions& options) {
  return HeadTableLayout(trace, table, options).build();
}

}  // namespace attnscope
