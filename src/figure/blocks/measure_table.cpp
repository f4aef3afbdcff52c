#include "figure/blocks/measure_table.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "figure/blocks/head_map.h"
#include "figure/blocks/head_order.h"
#include "figure/blocks/layer_block.h"
#include "figure/blocks/measure_columns.h"
#include "figure/blocks/measure_row.h"
#include "figure/layout/legend.h"
#include "figure/layout/page.h"
#include "figure/slices/matrix.h"
#include "figure/slices/measured_heads.h"
#include "figure/slices/selected.h"

namespace attnscope {
namespace {

constexpr double kTableMargin = 16;
constexpr double kNarrowMargin = 6;  // beside the table and its targets, in a narrow window
constexpr double kMeasureTitle = 28;
constexpr double kNoteHeight = 20;
constexpr double kBesideTitle = 12;
constexpr double kMeasureLine = 24;
constexpr double kTightLine = 21;       // in a low window
constexpr double kBetweenUpright = 14;  // two lines of a heading
constexpr double kMaxWidened = 32;      // what columns have beside that where there is room
constexpr double kMaxBeside = 80;       // width of the selected head's labels; wider ones are left out
constexpr double kMaxAbove = 28;
// Rows of the table on one page.
constexpr Index kMaxRows = 100;

constexpr const char* kUp = " ↑";
constexpr const char* kDown = " ↓";

class MetricsLayout {
 public:
  MetricsLayout(const Trace& trace, const ViewOptions& options)
      : trace_(trace),
        options_(options),
        slice_(selected_slice(trace, options.values)),
        step_(*selected_attention(trace, options.values).weights) {}

  Figure build() {
    heads_ = measured_heads(trace_, step_, options_, slice_.item);
    if (!heads_) return {};  // stopped
    order_ = sorted_heads(*heads_, options_.choice("sort"), options_.choice("order") == "up");
    page_ = page_of(std::ssize(order_), kMaxRows, options_.integer("page"));
    find_largest();
    place_columns();
    if (options_.in_window() && table_height() + 2 * kTableMargin > options_.height) line_height_ = kTightLine;
    const double table = table_height();
    double below = has_layers() ? 28 + layers_height() : compares() ? 28 + map_height() : 0;
    // Letters that can be read are worth more than what stands below the table.
    const bool leaves_out = options_.in_window() && below > 0 && table + below + 2 * kTableMargin > options_.height;
    if (leaves_out) below = kNoteHeight;
    const double height = table + below + 2 * kTableMargin;
    figure_.height = std::max(options_.height, height);
    double y = std::max(kTableMargin, std::min((figure_.height - height) / 2, 48.0));
    title(y);
    y += title_height();
    header(y);
    y += size_.header;
    for (Index i = page_.first; i < page_.end(); ++i, y += line_height_) row(order_[static_cast<std::size_t>(i)], y);
    uniform_row(y);
    y += line_height_;
    if (leaves_out) {
      const std::string what = has_layers() ? "all layers and heads" : "the distances between heads";
      text("more", {left_, y + kNoteHeight / 2}, "A taller window also shows " + what + ".", Ink::dim,
           HorizontalAlign::left);
      return std::move(figure_);
    }
    y += 28;
    if (has_layers()) {
      layers(y);
    } else if (compares()) {
      add_head_map(figure_, *heads_, {left_, y}, map_side(), kTableMargin);
      selected_head(y);
    }
    return std::move(figure_);
  }

 private:
  void text(const std::string& id, Point at, const std::string& words, Ink ink, HorizontalAlign align,
            FontWeight weight = FontWeight::regular, double size = TypeSize::kSmall) {
    figure_.texts.push_back({id, at, words, size, weight, ink, align, VerticalAlign::middle, 0});
  }

  /// Whether there is a map of the heads: not for one head, nor for too many.
  [[nodiscard]] bool compares() const { return order_.size() > 1 && !heads_->distances.empty(); }

  /// "head 1", or what the head is known to do: "1 previous token".
  [[nodiscard]] std::string row_name(Index head) const {
    const std::string name = head_name(trace_.experiment(), step_.name, head);
    return name.empty() ? "head " + std::to_string(head + 1) : std::to_string(head + 1) + " " + name;
  }

  /// All columns are wider by the same where there is room.
  void place_columns() {
    double names = 0;
    for (const Index head : order_)
      names = std::max(names, 28 + text_width(row_name(head), TypeSize::kSmall, FontWeight::semibold));
    size_ = measure_columns(*heads_, names,
                            options_.in_window() ? std::optional(options_.width - 2 * kTableMargin) : std::nullopt,
                            options_.choice("sort") != "head");
    const double widened =
        std::clamp((options_.width - 2 * kTableMargin - size_.all()) / std::max(1.0, size_.count()), 0.0, kMaxWidened);
    const double all = size_.all() + size_.count() * widened;
    figure_.width = std::max(options_.width, all + 2 * (size_.upright ? kNarrowMargin : kTableMargin));
    left_ = (figure_.width - all) / 2;
    columns_.push_back(left_ + size_.names);
    for (const double width : size_.widths) columns_.push_back(columns_.back() + (width > 0 ? width + widened : 0));
    profile_left_ = columns_.back();
  }

  /// Whether the column of a measure is left out.
  [[nodiscard]] bool is_left_out(std::size_t measure) const { return size_.widths[measure] <= 0; }

  /// Where the numbers of a measure are, in a row of that height.
  [[nodiscard]] Rect column(std::size_t measure, double y, double height) const {
    return {columns_[measure], y, columns_[measure + 1] - columns_[measure], height};
  }

  [[nodiscard]] std::string attention_name() const {
    const SelectedAttention selected = selected_attention(trace_, options_.values);
    if (trace_.experiment().model != nullptr || layer_attentions(trace_).size() > 1) return capitalized(selected.title);
    return step_.name == "cross_weights" ? "Cross-attention" : "Attention";
  }

  void title(double y) {
    const std::string words = attention_name() + ": measures of every head";
    text("title", {left_, y + 8}, words, Ink::text, HorizontalAlign::left, FontWeight::semibold, TypeSize::kTitle);
    const double title = text_width(words, TypeSize::kTitle, FontWeight::semibold);
    if (!page_.is_all())
      text("page", {left_ + title + kBesideTitle, y + 8}, page_.text("rows"), Ink::dim, HorizontalAlign::left);
    const double right = profile_left_ + size_.profile;
    const std::string size = grouped_text(heads_->queries) + " queries × " + grouped_text(heads_->keys) + " keys";
    text("size", {right, y + 8}, size, Ink::dim, HorizontalAlign::right);
    const std::string bars = "bars are scaled to the largest number of their column";
    const double room = right - text_width(size, TypeSize::kSmall) - left_ - title - 2 * kBesideTitle;
    if (page_.is_all() && text_width(bars, TypeSize::kSmall) <= room)
      text("bars", {left_ + title + kBesideTitle, y + 8}, bars, Ink::dim, HorizontalAlign::left);
    if (const std::string note = mask_note(); !note.empty())
      text("mask", {left_, y + 8 + kNoteHeight}, note, Ink::dim, HorizontalAlign::left);
  }

  /// Of imported weights: the mask that the measures take, and rows that they leave out.
  [[nodiscard]] std::string mask_note() const {
    std::string note = heads_->mask;
    if (const Index rows = heads_->left_out; rows > 0) {
      note += (note.empty() ? "" : "; ") + grouped_text(rows) +
              (rows == 1 ? " row that is not finite left out" : " rows that are not finite left out");
    }
    return note;
  }

  [[nodiscard]] double title_height() const { return kMeasureTitle + (mask_note().empty() ? 0 : kNoteHeight); }

  /// A click sorts by this column; a second click reverses the order.
  void sort_target(const std::string& sort, const Rect& box, const std::string& about) {
    const bool again = options_.choice("sort") == sort && options_.choice("order") == "down";
    figure_.targets.push_back(
        {"sort." + sort, box, about, SetOptions{{{"sort", sort}, {"order", std::string(again ? "up" : "down")}}}});
  }

  /// Words from `foot` upwards, if there are any. Returns their length.
  double upright(const std::string& id, Point foot, const std::string& words, Ink ink, FontWeight weight) {
    if (words.empty()) return 0;
    figure_.texts.push_back(
        {id, foot, words, TypeSize::kSmall, weight, ink, HorizontalAlign::left, VerticalAlign::middle, -90});
    return text_width(words, TypeSize::kSmall, weight);
  }

  /// `arrow`: the order, where the table is sorted by that measure.
  void heading(std::size_t measure, double line, const std::string& arrow) {
    const std::string title(measures()[measure].title);
    const FontWeight weight = arrow.empty() ? FontWeight::regular : FontWeight::semibold;
    const Ink ink = arrow.empty() ? Ink::dim : Ink::text;
    const std::string id = "header." + std::string(measures()[measure].name);
    const auto [first, second] = two_lines(title);
    if (size_.upright) {
      const Point foot = {(columns_[measure] + columns_[measure + 1]) / 2, line - kAroundUpright / 2};
      const double aside = first.empty() ? 0 : kBetweenUpright / 2;
      const double length = std::max(upright(id + ".first", {foot.x - aside, foot.y}, first, ink, weight),
                                     upright(id, {foot.x + aside, foot.y}, second, ink, weight));
      const Point above = {foot.x, foot.y - length - kUprightArrow / 2};
      if (!arrow.empty()) text(id + ".order", above, arrow.substr(1), ink, HorizontalAlign::center, weight);
      return;
    }
    const double right = columns_[measure + 1] - 6;
    // The arrow follows the short second word, or stands above a single long one.
    const std::string above = first.empty() && !arrow.empty() ? arrow.substr(1) : first;
    if (!above.empty()) text(id + ".first", {right, line - 27}, above, ink, HorizontalAlign::right, weight);
    text(id, {right, line - 12}, second + (first.empty() ? "" : arrow), ink, HorizontalAlign::right, weight);
  }

  void header(double y) {
    const double line = y + size_.header - 2;
    const std::string& sort = options_.choice("sort");
    const std::string arrow = options_.choice("order") == "up" ? kUp : kDown;
    text("header.head", {left_, line - 12}, "head", sort == "head" ? Ink::text : Ink::dim, HorizontalAlign::left,
         sort == "head" ? FontWeight::semibold : FontWeight::regular);
    sort_target("head", {left_, y, size_.names, size_.header}, "Click to sort by head.");
    for (std::size_t i = 0; i < measures().size(); ++i) {
      if (is_left_out(i)) continue;
      const Measure& measure = measures()[i];
      heading(i, line, sort == measure.name ? arrow : "");
      const std::string source = measure.source.empty() ? "" : "\n" + std::string(measure.source);
      sort_target(std::string(measure.name), column(i, y, size_.header),
                  std::string(measure.definition) + source + "\nClick to sort.");
    }
    if (size_.profile > 0) {
      text("header.profile.first", {profile_left_ + 14, line - 27}, "mean weight", Ink::dim, HorizontalAlign::left);
      text("header.profile", {profile_left_ + 14, line - 12}, "per key", Ink::dim, HorizontalAlign::left);
    }
    figure_.lines.push_back(
        {"header.line", {left_, line}, {profile_left_ + size_.profile, line}, Ink::line, 1, false, false});
  }

  /// The largest number in each column, for its bars, and the largest of all curves.
  void find_largest() {
    for (std::size_t measure = 0; measure < heads_->uniform.size(); ++measure) {
      double& most = largest_.emplace_back(heads_->uniform[measure].value_or(0));
      for (const MeasureRow& row : heads_->heads) most = std::max(most, row[measure].value_or(0));
    }
    for (const std::vector<double>& each : heads_->received) {
      if (!each.empty()) largest_received_ = std::max(largest_received_, *std::max_element(each.begin(), each.end()));
    }
  }

  void number(const std::string& id, std::size_t measure, double y, std::optional<double> value, const Shade& shade) {
    if (is_left_out(measure)) return;
    const MeasureScale scale = {largest_[measure], heads_->uniform[measure], size_.decimals};
    add_measure(figure_, id, column(measure, y, line_height_), value, scale, shade);
  }

  void row(Index head, double y) {
    const std::string id = "head." + std::to_string(head);
    const bool chosen = head == slice_.head;
    const double width = profile_left_ + size_.profile - left_;
    if (chosen)
      figure_.bars.push_back({"chosen", {left_ - 6, y, width + 12, line_height_}, Shade::of(Ink::accent, 0.14)});
    figure_.bars.push_back({id + ".hue", {left_, y + 7, 8, 8}, Shade::of_hue(head)});
    text(id + ".name", {left_ + 16, y + 11}, shortened_text(row_name(head), size_.names - 18, TypeSize::kSmall),
         Ink::text, HorizontalAlign::left, chosen ? FontWeight::semibold : FontWeight::regular);
    const MeasureRow& values = heads_->heads[static_cast<std::size_t>(head)];
    figure_.targets.push_back({id, {left_ - 6, y, width + 12, line_height_}, "", SetOptions{{{"head", head + 1}}}});
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (is_left_out(i)) continue;
      const std::string name(measures()[i].title);
      number(id + "." + std::string(measures()[i].name), i, y, values[i], Shade::of_hue(head));
      const std::string about = name + " of head " + std::to_string(head + 1) +
                                (values[i] ? ": " + number_text(*values[i]) : " does not apply") +
                                (heads_->uniform[i] ? "; uniform attention: " + number_text(*heads_->uniform[i]) : "");
      figure_.targets.push_back({id + "." + std::string(measures()[i].name), column(i, y, line_height_), about,
                                 SetOptions{{{"head", head + 1}}}});
    }
    profile(id, heads_->received[static_cast<std::size_t>(head)], y, Shade::of_hue(head));
  }

  void uniform_row(double y) {
    figure_.lines.push_back(
        {"uniform.line", {left_, y}, {profile_left_ + size_.profile, y}, Ink::line, 1, false, false});
    // The mark that stands for it in the rows above.
    figure_.bars.push_back({"uniform.mark", {left_ + 4, y + 8, 1, 6}, Shade::of(Ink::dim)});
    text("uniform.name", {left_ + 16, y + 11}, "uniform", Ink::dim, HorizontalAlign::left);
    for (std::size_t i = 0; i < heads_->uniform.size(); ++i)
      number("uniform." + std::string(measures()[i].name), i, y, heads_->uniform[i], Shade::of(Ink::dim));
    if (!heads_->uniform_received.empty()) profile("uniform", heads_->uniform_received, y, Shade::of(Ink::dim));
    figure_.targets.push_back({"uniform",
                               {left_, y, profile_left_ + size_.profile - left_, line_height_},
                               "Uniform attention under the same mask, for comparison.",
                               {}});
  }

  void profile(const std::string& id, const std::vector<double>& received, double y, const Shade& shade) {
    if (size_.profile <= 0) return;
    add_profile(figure_, id, received, {profile_left_ + 14, y + 4, size_.profile - 14, line_height_ - 8},
                largest_received_, shade);
  }

  [[nodiscard]] double table_height() const {
    return title_height() + size_.header + line_height_ * static_cast<double>(page_.count + 1);
  }

  /// In the window the maps take the height that the table leaves.
  [[nodiscard]] double room_for_maps() const {
    const double table = table_height();
    const double left = options_.height - 2 * kTableMargin - table - 28 - 44 - 40;
    const double wide = (figure_.width - 2 * kTableMargin) * 0.4;
    return std::clamp(std::min(options_.height > 0 ? left : 220, wide), 112.0, 320.0);
  }
  [[nodiscard]] double map_side() const { return head_map_side(std::ssize(order_), room_for_maps()); }
  [[nodiscard]] double map_height() const { return 44 + std::max(map_side(), room_for_maps()) + 40; }

  /// The selected head, right of the map.
  void selected_head(double y) {
    std::optional<HeatmapMark> mark = matrix_mark(trace_, step_.name, slice_);
    double left = std::max(left_ + 24 + map_side() + 72, figure_.width / 2);
    if (size_.profile <= 0) left = std::max(left, left_ + head_map_title_width() + 16);
    mark->row_labels = row_labels(trace_, *mark);
    if (row_label_width(mark->row_labels) > kMaxBeside) mark->row_labels.clear();
    const double beside = row_label_width(mark->row_labels);
    const double room = profile_left_ + size_.profile - left - beside;
    const double side = std::max(map_side(), room_for_maps());
    const double cell =
        std::min({40.0, room / static_cast<double>(mark->columns()), side / static_cast<double>(mark->rows())});
    mark->id = "chosen";
    mark->column_labels = column_labels(trace_, *mark);
    if (column_label_height(mark->column_labels, cell) > kMaxAbove) mark->column_labels.clear();
    mark->box = {left + beside, y + 36, cell * static_cast<double>(mark->columns()),
                 cell * static_cast<double>(mark->rows())};
    text("chosen.title", {left, y}, head_title(trace_.experiment(), step_.name, slice_.head), Ink::text,
         HorizontalAlign::left, FontWeight::semibold, TypeSize::kBody);
    ColorBarMark bar = {
        "chosen.scale", {0, 0, 100, 9}, mark->scale, "attention weight", "0", scale_end_text(mark->scale)};
    place_legend({&bar, 1}, {left, mark->box.bottom() + 18}, kTableMargin, figure_.width - 2 * kTableMargin);
    figure_.color_bars.push_back(std::move(bar));
    figure_.heatmaps.push_back(std::move(*mark));
  }

  /// Below the table of a later layer: how it depends on the earlier ones.
  [[nodiscard]] bool has_layers() const { return heads_->rollout != nullptr || !heads_->compositions.empty(); }
  [[nodiscard]] double layers_height() const {
    return std::max(composition_height(*heads_), heads_->rollout != nullptr ? rollout_side() + 44 + 40 : 0);
  }
  [[nodiscard]] double rollout_left() const {
    return heads_->compositions.empty() ? left_ : left_ + composition_width() + 48;
  }
  [[nodiscard]] double rollout_side() const {
    const double right = profile_left_ + size_.profile;
    return std::min(right - rollout_left(), std::max(200.0, room_for_maps()));
  }
  void layers(double y) {
    if (!heads_->compositions.empty()) add_composition(figure_, *heads_, slice_.head, {left_, y});
    if (heads_->rollout == nullptr) return;
    const std::optional<HeatmapMark> mark = matrix_mark(trace_, step_.name, slice_);
    add_rollout(figure_, *heads_, row_labels(trace_, *mark), {rollout_left(), y}, rollout_side(), kTableMargin);
  }

  const Trace& trace_;
  const ViewOptions& options_;
  Slice slice_;
  const Step& step_;
  std::shared_ptr<const HeadMeasures> heads_;
  std::vector<Index> order_;
  Page page_;  ///< of `order_`
  std::vector<double> largest_;
  double largest_received_ = 0;
  MeasureColumns size_;
  std::vector<double> columns_;  ///< the left edges of those of the measures, and where the last one ends
  double left_ = 0;
  double line_height_ = kMeasureLine;
  double profile_left_ = 0;
  Figure figure_;
};

}  // namespace

Index measure_table_pages(Index heads) { return page_count(heads, kMaxRows); }

Figure measure_table_figure(const Trace& trace, const ViewOptions& options) {
  return MetricsLayout(trace, options).build();
}

}  // namespace attnscope
