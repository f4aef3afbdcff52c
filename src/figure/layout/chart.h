// What charts share: axes with round ticks, the way from numbers to pixels, legends.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "figure/model/figure.h"

namespace attnscope {

/// The numbers along one axis of a chart.
struct ChartRange {
  double low = 0;
  double high = 1;
  int base = 0;  ///< 0: linear; otherwise logarithmic (both ends are positive then) with powers of 2 or of 10 for ticks

  /// Where `value` lies between the ends: 0 at `low`, 1 at `high`, less and more beyond them.
  [[nodiscard]] double share(double value) const;
};

struct ChartTick {
  double value = 0;
  std::string markup;

  friend bool operator==(const ChartTick&, const ChartTick&) = default;
};

/// Round numbers within `range`, at most `most` of them (but one at least, if there is one): multiples of 1, 2 or 5
/// times a power of ten; on a logarithmic axis every power of its base, or every second, third, ….
std::vector<ChartTick> chart_ticks(const ChartRange& range, std::size_t most);

/// Where curves and bars stand, and what the numbers along its sides are.
struct Chart {
  std::string id;  ///< begins the ids of its marks
  Rect box;
  ChartRange x;
  ChartRange y;

  [[nodiscard]] double across(double value) const { return box.x + x.share(value) * box.width; }
  [[nodiscard]] double up(double value) const { return box.bottom() - y.share(value) * box.height; }
  [[nodiscard]] Point at(double x_value, double y_value) const { return {across(x_value), up(y_value)}; }
};

/// Ticks at the left of the box, gridlines through it.
void add_y_axis(Figure& figure, const Chart& chart, std::size_t most_ticks);
/// Ticks below the box, and under them at its right end what the numbers are.
void add_x_axis(Figure& figure, const Chart& chart, const std::string& title);

/// A chart in `outer` with room for a heading, for flags above the box in so many lines, and for both axes; the labels
/// at the left get `y_labels`, see `y_axis_width`.
Chart place_chart(const Rect& outer, std::string id, const ChartRange& x, const ChartRange& y, double y_labels,
                  int flag_lines);

/// Room that the labels of `add_y_axis` take at the left, their distance included.
double y_axis_width(const ChartRange& range, std::size_t most_ticks);
/// Room that `add_x_axis` takes below the box.
inline constexpr double kXAxisHeight = 36;

/// A curve through points given as numbers of the chart.
void add_curve(Figure& figure, const Chart& chart, const std::string& id, std::span<const Point> values, Shade shade,
               bool dashed = false);
/// A measured point: a small square with a tooltip.
void add_point(Figure& figure, const std::string& id, Point at, Shade shade, const std::string& about);

/// A line from the bottom of the box to a label above it.
struct ChartFlag {
  std::string id;
  double x = 0;  ///< number of the chart; beyond the ends it stands there
  std::string markup;
  Ink ink = Ink::dim;
};

/// Flags, each with its label in a line of its own, at that side of it where it has room. No line goes through the
/// label of another one unless both stand at the right end.
void add_flags(Figure& figure, const Chart& chart, std::vector<ChartFlag> flags);
inline constexpr double kFlagHeight = 16;

/// Where labels stand that are to be `apart` at least, as near as can be to the places that they are for, in any order.
std::vector<double> spread(const std::vector<double>& places, double apart);

struct LegendEntry {
  std::string markup;
  Shade shade;
  bool dashed = false;
};

/// Entries side by side from `at` on, the top left corner, going to further lines within `width`. Returns what they
/// take up; `figure` may be null for that alone.
double add_legend(Figure* figure, const std::string& id, std::span<const LegendEntry> entries, Point at, double width);

/// A paragraph in lines no longer than `width`, from `at` on, its top left corner. Returns how high it is; `figure` may
/// be null for that alone.
double add_caption(Figure* figure, const std::string& id, const std::string& text, Point at, double width);

/// One line of text with all that a chart leaves as it is.
TextMark chart_text(std::string id, Point at, std::string markup, Ink ink, double size = TypeSize::kSmall,
                    HorizontalAlign horizontal = HorizontalAlign::left,
                    VerticalAlign vertical = VerticalAlign::baseline);

}  // namespace attnscope
