// Parts of charts: axes with round ticks, the mapping from numbers to pixels, legends.
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

  /// The position of `value` between the ends: 0 at `low`, 1 at `high`, less or more beyond them.
  [[nodiscard]] double share(double value) const;
};

struct ChartTick {
  double value = 0;
  std::string markup;

  friend bool operator==(const ChartTick&, const ChartTick&) = default;
};

/// At most `most` round numbers within `range` (but at least one, if there is any): multiples of 1, 2 or 5 times a
/// power of ten; on a logarithmic axis every power of its base, or every second, third, …, and for few
/// powers of ten 2 and 5 times each, where there is room.
std::vector<ChartTick> chart_ticks(const ChartRange& range, std::size_t most);

/// The area of curves and bars, and the numbers along its sides.
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
/// Ticks below the box, and the axis title, which may be empty, under them at the right.
void add_x_axis(Figure& figure, const Chart& chart, const std::string& title);

/// A chart in `outer` with room for a heading, for `flag_lines` lines of flags above the box, and for both axes; the
/// labels at the left take `y_labels`, see `y_axis_width`.
Chart place_chart(const Rect& outer, std::string id, const ChartRange& x, const ChartRange& y, double y_labels,
                  int flag_lines);

/// The width of the labels of `add_y_axis`, distance included.
double y_axis_width(const ChartRange& range, std::size_t most_ticks);
/// The height of `add_x_axis` below the box.
inline constexpr double kXAxisHeight = 36;

/// A curve through points given as numbers of the chart.
void add_curve(Figure& figure, const Chart& chart, const std::string& id, std::span<const Point> values, Shade shade,
               bool dashed = false);
/// A measured point: a small square with a tooltip.
void add_point(Figure& figure, const std::string& id, Point at, Shade shade, const std::string& about);

/// A line from the bottom of the box to a label above it.
struct ChartFlag {
  std::string id;
  double x = 0;  ///< number on the x axis; clamped to its ends
  std::string markup;
  Ink ink = Ink::dim;
};

/// Adds flags, each with its label in a separate line, on the side where it fits. No line crosses the label of another
/// flag, unless both are at the right end.
void add_flags(Figure& figure, const Chart& chart, std::vector<ChartFlag> flags);
inline constexpr double kFlagHeight = 16;

/// Positions for labels at least `apart` from each other, as near as possible to the given places, which are in any
/// order.
std::vector<double> spread(const std::vector<double>& places, double apart);

struct LegendEntry {
  std::string markup;
  Shade shade;
  bool dashed = false;
};

/// Adds entries side by side from `at` on, the top left corner, in as many lines as `width` needs. Returns their
/// height; `figure` may be null for that alone.
double add_legend(Figure* figure, const std::string& id, std::span<const LegendEntry> entries, Point at, double width);

/// Adds a paragraph in lines no longer than `width` with its top left corner at `at`. Returns its height; `figure` may
/// be null for that alone.
double add_caption(Figure* figure, const std::string& id, const std::string& text, Point at, double width,
                   Ink ink = Ink::dim);

/// Adds what a view found out, in letters of the usual size and in lines no longer than `width`, with its top left corner
/// at `at`. Returns its height; `figure` may be null for that alone.
double add_result(Figure* figure, const std::string& id, const std::string& markup, Point at, double width);

/// One line of text in the regular weight.
TextMark chart_text(std::string id, Point at, std::string markup, Ink ink, double size = TypeSize::kSmall,
                    HorizontalAlign horizontal = HorizontalAlign::left,
                    VerticalAlign vertical = VerticalAlign::baseline);

}  // namespace attnscope
