#include "figure/blocks/map_grid.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "figure/blocks/head_link.h"
#include "figure/layout/grid.h"
#include "figure/layout/legend.h"
#include "figure/model/label_painter.h"
#include "figure/slices/head_state.h"
#include "figure/slices/matrix.h"
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
constexpr double kMaxSide = 260;
constexpr double kRunGap = 24;  // between runs of rows
// Rows in one run read from top to bottom; runs side by side have to be worth it.
constexpr double kWorthAnotherRun = 1.4;
constexpr double kMinPitch = 14;  // of names
constexpr double kWordPitch = TypeSize::kSmall * kLabelPitch;

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
  MapGrid(const Trace& trace, const std::vector<MapRow>& rows, const MapCaptions& captions, Index item,
          const ViewOptions& options)
      : trace_(trace),
        rows_(rows),
        captions_(captions),
        item_(item),
        options_(options),
        links_(trace),
        colors_(scale_kind(options.values)) {
    above_ = captions_.names_the_heads ? kAbove : kTitle;
    names_ = kLeft;
    for (const MapRow& row : rows_) {
      across_ = std::max(across_, row.heads);
      names_ = std::max(names_, text_width(row.name, TypeSize::kSmall) + 10);
    }
  }

  Figure build() {
    find_words();
    measure();
    captions();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      place(rows_[i], corner_of(i), i);
      if (options_.stop.stop_requested()) return {};
    }
    figure_.color_bars.push_back(weights_bar(*scale_));
    place_legend(figure_.color_bars, {left_, top_ + static_cast<double>(down_) * pitch_ + 12}, kMargin,
                 figure_.width - 2 * kMargin);
    return std::move(figure_);
  }

 private:
  /// The words of the text, where all maps have the same ones, few enough to be read.
  void find_words() {
    for (const MapRow& row : rows_) {
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
    return fitting_side(runs_, down_, beside, above);
  }
  [[nodiscard]] double fitting_side(Index runs, Index down, double beside, double above) const {
    const double width = options_.width - 2 * kMargin - static_cast<double>(runs - 1) * kRunGap;
    double side = (width / static_cast<double>(runs) - names_ - beside) / static_cast<double>(across_) - kGap;
    if (options_.height > 0) {
      const double height = options_.height - 2 * kMargin - above_ - above - kBelow;
      side = std::min(side, height / static_cast<double>(down) - kGap);
    }
    return std::floor(std::clamp(side, kMinSide, kMaxSide));
  }

  /// Puts the rows into runs side by side where a room that is low and wide makes the maps much larger so.
  void choose_runs() {
    const auto rows = static_cast<Index>(rows_.size());
    down_ = rows;
    if (options_.height <= 0 || !captions_.names_the_heads) return;
    double side = fitting_side(0, 0);
    for (Index runs = 2; runs <= rows; ++runs) {
      const Index down = (rows + runs - 1) / runs;
      const double wider = fitting_side(runs, down, 0, 0);
      if ((runs - 1) * down >= rows || wider < kWorthAnotherRun * side) continue;
      side = wider;
      runs_ = runs;
      down_ = down;
    }
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
    choose_runs();
    side_ = fitting_side(0, 0);
    measure_words();
    pitch_ = side_ + kGap;
    run_pitch_ = names_ + static_cast<double>(across_) * pitch_ + kRunGap;
    const ColorBarMark bar = weights_bar({ColorMap::viridis, 0, 1});
    double width =
        std::max(static_cast<double>(runs_) * run_pitch_ - kRunGap, legend_size({&bar, 1}, options_.width).width);
    if (!captions_.page.empty()) {
      const double title = text_width(captions_.title, TypeSize::kTitle, FontWeight::semibold);
      width = std::max(width, title + 12 + text_width(captions_.page, TypeSize::kSmall));
    }
    const double height = above_ + static_cast<double>(down_) * pitch_ + kBelow;
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
    for (Index run = 0; run < runs_; ++run) name_heads(run);
  }

  void name_heads(Index run) {
    const Index first = rows_.front().first;
    const double left = left_ + static_cast<double>(run) * run_pitch_;
    const std::string of_run = run == 0 ? "" : "." + std::to_string(run);
    for (Index i = 0; i < across_; i += every(pitch_)) {
      add_text(figure_, "head." + std::to_string(first + i) + of_run,
               {left + (static_cast<double>(i) + 0.5) * pitch_ - kGap / 2, top_ - 6 - over_},
               (pitch_ >= 48 ? "head " : "") + std::to_string(first + i + 1), HorizontalAlign::center,
               VerticalAlign::baseline);
    }
  }

  /// The upper left corner of the first map of row `number`.
  [[nodiscard]] Point corner_of(std::size_t number) const {
    const Index run = static_cast<Index>(number) / down_;
    const Index down = static_cast<Index>(number) % down_;
    return {left_ + static_cast<double>(run) * run_pitch_, top_ + static_cast<double>(down) * pitch_};
  }

  void place(const MapRow& row, Point at, std::size_t number) {
    const Index down_from_top = static_cast<Index>(number) % down_;
    if (down_from_top % every(pitch_) == 0) {
      add_text(figure_, (captions_.names_the_heads ? "layer." : "row.") + std::to_string(number),
               {at.x - 8 - beside_, at.y + side_ / 2}, row.name, HorizontalAlign::right, VerticalAlign::middle);
    }
    for (Index i = 0; i < row.heads; ++i) {
      const Slice slice = {row.first + i, item_};
      HeatmapMark mark = scale_ ? *unscaled_mark(trace_, row.tensor, slice) : *matrix_mark(trace_, row.tensor, slice);
      if (scale_) mark.scale = *scale_;
      colors_.color(mark);
      scale_ = mark.scale;
      mark.id = row.tensor + "." + std::to_string(slice.head);
      const double cell = side_ / static_cast<double>(std::max<Index>(1, std::max(mark.rows(), mark.columns())));
      mark.box = {at.x + static_cast<double>(i) * pitch_, at.y, cell * static_cast<double>(mark.columns()),
                  cell * static_cast<double>(mark.rows())};
      if (i == 0) mark.row_labels = words_.beside;
      if (down_from_top == 0) mark.column_labels = words_.above;
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
  const std::vector<MapRow>& rows_;
  const MapCaptions& captions_;
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
  Index runs_ = 1;        ///< of rows, side by side
  Index down_ = 1;        ///< rows of the longest run
  double run_pitch_ = 0;  ///< from run to run
  double names_ = 0;      ///< width
  double above_ = 0;
  double side_ = 0;
  double pitch_ = 0;
  Point corner_;
  double left_ = 0;
  double top_ = 0;
  std::optional<ColorScale> scale_;
  Figure figure_;
};

}  // namespace

Figure map_grid(const Trace& trace, const std::vector<MapRow>& rows, const MapCaptions& captions, Index item,
                const ViewOptions& options) {
  return MapGrid(trace, rows, captions, item, options).build();
}

double map_pitch(Index across, Index down, const ViewOptions& options) {
  const double room = options.height > 0 ? options.height : page_height(options.width);
  return std::min((options.width - 2 * kMargin - kLeft) / static_cast<double>(across),
                  (room - 2 * kMargin - kTitle - kBelow) / static_cast<double>(down));
}

}  // namespace attnscope
