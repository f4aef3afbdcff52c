// A row of numbers as bars around a zero line, with their values below.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "figure/layout/chart.h"

namespace attnscope {

struct BarRow {
  std::string id;                  ///< begins the ids of its marks
  std::string title;               ///< markup
  std::vector<std::string> about;  ///< dim, after the title: the first text that fits
  std::string note;                ///< right-aligned in the title's line, in the accent colour
  std::vector<double> numbers;
  std::vector<bool> left_out;  ///< masked numbers: without a bar, outside the scale; empty: none
  std::vector<double> sums;    ///< running sums, a curve on the same scale; empty: none
  ChartRange range;            ///< as `bar_range` makes it
  int decimals = -1;           ///< of the numbers below the bars; −1: three significant digits, or two
  Shade shade;
  Index shown = -1;   ///< so many numbers, the first ones, are computed at the moment shown; −1: all
  Index chosen = -1;  ///< selected number, in the accent colour
  double share = 1;   ///< of the total height of the rows

  /// Whether number `i` is computed at the moment shown.
  [[nodiscard]] bool is_shown(Index i) const { return shown < 0 || i < shown; }

  /// How number `i` responds to the mouse.
  std::function<TargetMark(Index i)> target;
};

/// A scale for the numbers of a row and 0: symmetric for numbers of both signs.
ChartRange bar_range(const BarRow& row);

/// The same for shares of 1: from 0 to 1, or for many of them to a round number above the largest.
ChartRange share_range(const BarRow& row);

/// Height of the title's line.
inline constexpr double kBarTitle = 22;
/// Ticks at the side of rows that are high enough.
inline constexpr std::size_t kMaxBarTicks = 5;

/// Columns that several rows share: one for each number, or for several neighbours where they are narrower than a
/// pixel.
struct BarColumns {
  double left = 0;
  double width = 0;  ///< of all together
  Index numbers = 0;

  [[nodiscard]] Index count() const;
  [[nodiscard]] double pitch() const { return width / static_cast<double>(count()); }
  [[nodiscard]] double center(Index column) const { return left + (static_cast<double>(column) + 0.5) * pitch(); }
  /// The first number of a column.
  [[nodiscard]] Index first(Index column) const;
  /// The column of number `i`.
  [[nodiscard]] Index column_of(Index i) const;
  /// The largest count of numbers in a column.
  [[nodiscard]] Index most() const;
  /// Whether short numbers fit below the bars.
  [[nodiscard]] bool has_numbers() const;
  /// Room below the bars.
  [[nodiscard]] double numbers_height() const;
};

/// Adds a row with bars of `height` below a title at `top`; returns the bottom.
double add_bar_row(Figure& figure, const BarRow& row, const BarColumns& columns, double top, double height);

}  // namespace attnscope
