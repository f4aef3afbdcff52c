// Numbers side by side as bars about a zero line, with room for what each of them is.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "figure/layout/chart.h"

namespace attnscope {

struct BarRow {
  std::string id;                  ///< begins the ids of its marks
  std::string title;               ///< markup
  std::vector<std::string> about;  ///< dim, behind the title: the first of them that has room there
  std::string note;                ///< at the right end of the title's line, in the accent colour
  std::vector<double> numbers;
  std::vector<bool> left_out;  ///< masked numbers: no bar, and they do not count for the scale; empty: none
  std::vector<double> sums;    ///< after each number: a curve on the same scale; empty: none
  ChartRange range;            ///< as `bar_range` makes it
  int decimals = -1;           ///< of the numbers below the bars; −1: three significant digits, or two
  Shade shade;
  Index chosen = -1;  ///< is in the accent colour
  double share = 1;   ///< of the height that the rows have together
  /// What number `i` does when it is pointed at and clicked.
  std::function<TargetMark(Index i)> target;
};

/// A scale for the numbers of a row, and 0: symmetric where there are both signs.
ChartRange bar_range(const BarRow& row);

/// The same for shares of 1: from 0 to 1, or where there are many of them to a round number above the largest.
ChartRange share_range(const BarRow& row);

/// The title's line.
inline constexpr double kBarTitle = 22;
/// Ticks at the side, of rows that are high enough.
inline constexpr std::size_t kMaxBarTicks = 5;

/// Columns that several rows share: one for each number, or for several neighbours where there is no pixel for each.
struct BarColumns {
  double left = 0;
  double width = 0;  ///< of all together
  Index numbers = 0;

  [[nodiscard]] Index count() const;
  [[nodiscard]] double pitch() const { return width / static_cast<double>(count()); }
  [[nodiscard]] double center(Index column) const { return left + (static_cast<double>(column) + 0.5) * pitch(); }
  /// The first number of a column.
  [[nodiscard]] Index first(Index column) const;
  /// Which column number `i` is in.
  [[nodiscard]] Index column_of(Index i) const;
  /// How many numbers the fullest column stands for.
  [[nodiscard]] Index most() const;
  /// Whether columns are wide enough for short numbers.
  [[nodiscard]] bool has_numbers() const;
  /// Room below the bars.
  [[nodiscard]] double numbers_height() const;
};

/// Adds a row whose bars take up `height` below a title at `top`; returns where it ends.
double add_bar_row(Figure& figure, const BarRow& row, const BarColumns& columns, double top, double height);

}  // namespace attnscope
