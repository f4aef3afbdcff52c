#include "figure/blocks/found_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/heads/attention_list.h"
#include "core/heads/head_rows.h"
#include "figure/blocks/head_link.h"
#include "figure/blocks/measure_row.h"
#include "figure/layout/legend.h"
#include "figure/layout/page.h"
#include "figure/slices/found_heads.h"
#include "figure/slices/matrix.h"
#include "figure/style/markup.h"

namespace attnscope {
namespace {

std::string measure_name(std::size_t measure) { return std::string(finder_measures()[measure].title); }

/// The rule by which heads are named.
std::string naming_rule() {
  return "A head is named after a measure of at least " + short_text(kNamedValue) + " that is at least " +
         short_text(kNamedMargin) + " above uniform attention\nand, if it is duplicate token or induction, above " +
         "shuffled tokens: the same places when the first copy is in another order.";
}

struct FoundSizes {
  static constexpr double kMargin = 16;
  static constexpr double kTitleHeight = 28;
  static constexpr double kNoteHeight = 24;
  static constexpr double kMapNumbers = 20;    // of the heads, above the map
  static constexpr double kLegendHeight = 60;  // with the title of the map
  static constexpr double kBelowMap = 12;
  static constexpr double kHeaderHeight = 44;
  static constexpr double kRow = 22;
  static constexpr double kMinColumn = 72;
  static constexpr double kMaxColumn = 110;
  static constexpr double kGap = 16;  // between columns of text
  static constexpr std::size_t kMaxMapTargets = 2048;
};

class FoundLayout : private FoundSizes {
 public:
  /// Rows of the table on one page: as many as can be read in the window, which shows pages as a whole.
  static constexpr Index kMaxRows = 16;

  FoundLayout(const Trace& trace, const FoundHeads& found, const ViewOptions& options)
      : trace_(trace), found_(found), options_(options), links_(trace) {
    for (const LayerAttention& each : layer_attentions(trace))
      titles_[trace.steps()[static_cast<std::size_t>(each.weights)].name] = title_of(each);
    const auto index = [](const std::string& name) {
      return static_cast<std::size_t>(std::ranges::find(finder_measures(), name, &Measure::name) -
                                      finder_measures().begin());
    };
    sort_ = index(options.choice("sort"));
    mapped_ = is_sorted() ? sort_ : index("induction");
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
    if (rows_.empty()) text("none", {left_, y + 12}, "No head has a name.", Ink::dim);
    return std::move(figure_);
  }

 private:
  [[nodiscard]] bool is_sorted() const { return sort_ < finder_measures().size(); }

  void text(const std::string& id, Point at, const std::string& words, Ink ink,
            HorizontalAlign align = HorizontalAlign::left, FontWeight weight = FontWeight::regular,
            double size = TypeSize::kSmall) {
    figure_.texts.push_back({id, at, words, size, weight, ink, align, VerticalAlign::middle, 0});
  }

  /// The heads to list, in their order.
  void choose_rows() {
    for (const FoundHead& head : found_.heads) {
      if (options_.choice("show") == "all" || head.name) rows_.push_back(&head);
    }
    if (is_sorted()) {
      const bool up = options_.choice("order") == "up";
      const auto value = [&](const FoundHead* head) { return head->values[sort_].mean; };
      std::stable_sort(rows_.begin(), rows_.end(), [&](const FoundHead* a, const FoundHead* b) {
        // Numbers that are not finite come last.
        if (std::isnan(value(a)) || std::isnan(value(b))) return !std::isnan(value(a)) && std::isnan(value(b));
        return up ? value(a) < value(b) : value(a) > value(b);
      });
    }
    page_ = page_of(std::ssize(rows_), kMaxRows, options_.integer("page"));
  }

  void choose_sizes() {
    for (const FoundHead& head : found_.heads)
      head_width_ = std::max(head_width_, text_width(row_name(head), TypeSize::kSmall, FontWeight::semibold));
    head_width_ += 16 + kGap;
    for (std::size_t i = 0; i < finder_measures().size(); ++i)
      name_width_ = std::max(name_width_, text_width(measure_name(i), TypeSize::kSmall, FontWeight::semibold));
    name_width_ += kGap;
    const auto count = static_cast<double>(finder_measures().size());
    const double names = head_width_ + name_width_;
    column_ = std::clamp((options_.width - 2 * kMargin - names) / count, kMinColumn, kMaxColumn);
    const double table = names + count * column_;
    figure_.width = std::max(options_.width, table + 2 * kMargin);
    left_ = (figure_.width - table) / 2;
    right_ = left_ + table;
    const double shown = kRow * static_cast<double>(std::max<Index>(1, page_.count));
    const double others = kTitleHeight + kNoteHeight + kHeaderHeight + shown + 2 * kMargin;
    // In the window the map takes the height that the table leaves.
    if (has_map()) choose_cells(options_.height > 0 ? options_.height - others - kBelowMap : 240);
    figure_.height = std::max(options_.height, others + (has_map() ? map_area() + kBelowMap : 0));
  }

  /// "layer 2 · head 3"
  [[nodiscard]] std::string row_name(const FoundHead& head) const {
    return layer_name(head) + " · head " + std::to_string(head.head + 1);
  }
  [[nodiscard]] std::string layer_name(const FoundHead& head) const {
    const auto title = titles_.find(head.tensor);
    return title != titles_.end() ? title->second : "layer " + std::to_string(head.layer);
  }
  [[nodiscard]] std::string id_of(const FoundHead& head) const {
    return "found." + std::to_string(head.layer) + "." + std::to_string(head.head);
  }

  void title(double y) {
    const std::string words = "Every head on random tokens, repeated";
    text("title", {left_, y + 8}, words, Ink::text, HorizontalAlign::left, FontWeight::semibold, TypeSize::kTitle);
    std::string note = page_.is_all() ? "" : page_.text("rows") + "; ";
    note += std::to_string(found_.tokens) + " tokens, twice";
    if (found_.first_token)
      note += ", after the first token " + trace_.experiment().model->token_text(*found_.first_token);
    note += tested_with(trace_);
    note += "; means over " + std::to_string(kFinderSeeds) + " texts; marks on the bars: uniform attention";
    text("note", {left_, y + kTitleHeight + 4}, literal_markup(shortened_text(note, right_ - left_, TypeSize::kSmall)),
         Ink::dim);
  }

  // The map.

  [[nodiscard]] Index layers() const { return found_.heads.back().layer; }
  [[nodiscard]] Index heads() const { return std::ssize(found_.heads) / layers(); }
  /// Not for layers with different numbers of heads.
  [[nodiscard]] bool has_map() const { return heads() * layers() == std::ssize(found_.heads) && layers() > 1; }
  [[nodiscard]] double map_left() const { return text_width(std::to_string(layers()), TypeSize::kSmall) + 12; }
  [[nodiscard]] double map_height() const { return cell_height_ * static_cast<double>(layers()); }
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
    cell_height_ = std::clamp(std::floor((room - kMapNumbers) / static_cast<double>(layers())), 5.0, 20.0);
  }

  void map(Point at) {
    auto numbers = std::make_shared<Tensor>(Axes{{"layer", layers()}, {"head", heads()}});
    std::ranges::transform(found_.heads, numbers->values().begin(),
                           [&](const FoundHead& head) { return static_cast<float>(head.values[mapped_].mean); });
    HeatmapMark map;
    map.id = "map";
    map.step = -1;
    map.axes = numbers->axes();
    map.box = {at.x + map_left(), at.y + kMapNumbers, map_right() - left_ - map_left(), map_height()};
    map.scale = {ColorMap::viridis, 0, 1};
    map.row_labels = position_numbers(layers());
    map.column_labels = position_numbers(heads());
    map.about = measure_name(mapped_) + " of every head";
    map.source = slice_of(std::move(numbers), map);
    if (found_.heads.size() <= kMaxMapTargets) add_map_targets(map.box);
    const Point beside = {map.box.right() + 24, at.y + kMapNumbers};
    const Point legend = is_legend_beside() ? beside : Point{map.box.x, map.box.bottom() + 16};
    text("map.title", legend, map_title(), Ink::text, HorizontalAlign::left, FontWeight::semibold);
    ColorBarMark bar = {"map.scale", {0, 0, 100, 9}, map.scale, measure_name(mapped_), "0", "1"};
    place_legend({&bar, 1}, {legend.x, legend.y + 14}, kMargin, figure_.width - 2 * kMargin);
    figure_.color_bars.push_back(std::move(bar));
    figure_.heatmaps.push_back(std::move(map));
  }

  void add_map_targets(const Rect& box) {
    for (const FoundHead& head : found_.heads) {
      const Rect cell = {box.x + static_cast<double>(head.head) * cell_width_,
                         box.y + static_cast<double>(head.layer - 1) * cell_height_, cell_width_, cell_height_};
      add_target("map." + id_of(head), cell, head, about(head, mapped_));
    }
  }

  /// A place that opens the head.
  void add_target(const std::string& id, const Rect& box, const FoundHead& head, const std::string& words) {
    TargetMark target;
    target.id = id;
    target.box = box;
    target.about = words;
    if (const auto open = links_.to(head.tensor, head.head)) {
      target.about += "\nClick to open it";
      target.click = *open;
    }
    figure_.targets.push_back(std::move(target));
  }

  /// A measure of a head with all that it is compared with.
  [[nodiscard]] std::string about(const FoundHead& head, std::size_t measure) const {
    const FoundValue& value = head.values[measure];
    std::string words = capitalized(measure_name(measure)) + " of " + layer_name(head) + ", head " +
                        std::to_string(head.head + 1) + ": " + number_text(value.mean) + " ± " +
                        number_text(value.spread) + "\nuniform attention: " + number_text(value.uniform) +
                        "; shuffled tokens: " + number_text(value.shuffled);
    if (!head.without_first.empty()) {
      const FoundValue& without = head.without_first[measure];
      words += "\nwithout the first token: " + number_text(without.mean) + " ± " + number_text(without.spread);
    }
    return words;
  }

  // The table.

  [[nodiscard]] double column_right(std::size_t measure) const {
    return left_ + head_width_ + name_width_ + static_cast<double>(measure + 1) * column_;
  }

  void header(double y) {
    const double line = y + kHeaderHeight - 2;
    add_sort("head", "head", {left_, y, head_width_, kHeaderHeight}, "Click to sort by layer and head.", !is_sorted());
    text("header.name", {left_ + head_width_, line - 12}, "name", Ink::dim);
    figure_.targets.push_back({"header.name", {left_ + head_width_, y, name_width_, kHeaderHeight}, naming_rule(), {}});
    for (std::size_t i = 0; i < finder_measures().size(); ++i) {
      const Measure& measure = finder_measures()[i];
      const std::string source = measure.source.empty() ? "" : "\n" + std::string(measure.source);
      add_sort(
          std::string(measure.name), measure_name(i), {column_right(i) - column_, y, column_, kHeaderHeight},
          std::string(measure.definition) + "\nHere: of the queries in the second copy." + source + "\nClick to sort.",
          is_sorted() && sort_ == i);
    }
    figure_.lines.push_back({"header.line", {left_, line}, {right_, line}, Ink::line, 1, false, false});
  }

  /// The title of a column, in two lines where it has two words; a click sorts by it, a second one reverses the order.
  void add_sort(const std::string& sort, const std::string& title, const Rect& box, const std::string& about,
                bool chosen) {
    const bool up = options_.choice("order") == "up";
    const std::string arrow = chosen && sort != "head" ? (up ? " ↑" : " ↓") : "";
    const std::size_t space = title.rfind(' ');
    const std::string first = space == std::string::npos ? "" : title.substr(0, space);
    const std::string second = space == std::string::npos ? title : title.substr(space + 1);
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

  void row(const FoundHead& head, double y) {
    const std::string id = id_of(head);
    figure_.bars.push_back({id + ".hue", {left_, y + 7, 8, 8}, Shade::of_hue(head.head)});
    text(id + ".head", {left_ + 16, y + 11}, row_name(head), Ink::text);
    text(id + ".name", {left_ + head_width_, y + 11}, head.name ? measure_name(*head.name) : "–",
         head.name ? Ink::text : Ink::dim, HorizontalAlign::left,
         head.name ? FontWeight::semibold : FontWeight::regular);
    add_target(id, {left_ - 6, y, head_width_ + name_width_ + 6, kRow}, head, capitalized(row_name(head)));
    for (std::size_t i = 0; i < head.values.size(); ++i) {
      const FoundValue& value = head.values[i];
      const std::string cell = id + "." + std::string(finder_measures()[i].name);
      const Rect box = {column_right(i) - column_, y, column_, kRow};
      add_measure(figure_, cell, box, std::isnan(value.mean) ? std::nullopt : std::optional(value.mean),
                  {1, value.uniform}, Shade::of_hue(head.head));
      add_target(cell, box, head, about(head, i));
    }
  }

  const Trace& trace_;
  const FoundHeads& found_;
  const ViewOptions& options_;
  HeadLinks links_;
  std::map<std::string, std::string> titles_;  ///< of the attentions, by the names of their weights
  std::size_t sort_ = 0;                       ///< of `finder_measures`; their number: by layer and head
  std::size_t mapped_ = 0;
  std::vector<const FoundHead*> rows_;
  Page page_;  ///< of `rows_`
  double head_width_ = 0;
  double name_width_ = 0;
  double column_ = 0;
  double cell_width_ = 0;  ///< of the map
  double cell_height_ = 0;
  double left_ = 0;
  double right_ = 0;
  Figure figure_;
};

}  // namespace

Index found_pages(const Trace& trace) {
  Index heads = 0;
  for (const LayerAttention& each : layer_attentions(trace)) {
    if (each.kind == AttentionKind::self || each.kind == AttentionKind::encoder)
      heads += heads_in(trace.steps()[static_cast<std::size_t>(each.weights)].axes);
  }
  return page_count(heads, FoundLayout::kMaxRows);
}

Figure found_figure(const Trace& trace, const FoundHeads& found, const ViewOptions& options) {
  return FoundLayout(trace, found, options).build();
}

}  // namespace attnscope
