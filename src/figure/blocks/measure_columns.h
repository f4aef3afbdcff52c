// How wide the columns of the table of measures are.
#pragma once

#include <optional>
#include <vector>

#include "core/heads/head_measures.h"

namespace attnscope {

/// Between the upright headings of a narrow table and the line below them, both ends together; and above them, for the
/// arrow that says what the table is sorted by.
inline constexpr double kAroundUpright = 12;
inline constexpr double kUprightArrow = 14;

struct MeasureColumns {
  double names = 0;            ///< of the heads
  std::vector<double> widths;  ///< of each measure; 0: left out, for it applies to no head
  double profile = 0;          ///< of the curves behind them; 0: none
  double header = 0;           ///< height of the headings
  bool upright = false;        ///< whether headings are
  int decimals = 3;            ///< of the numbers

  [[nodiscard]] double all() const;
  /// How many measures are not left out.
  [[nodiscard]] double count() const;
};

/// Columns as wide as their headings, beside `names`, and as a window allows that has `room` for all of them together:
/// where it is too narrow, the curves are left out first, then headings stand upright, and then numbers get fewer decimals,
/// so that the names of heads can be read.
MeasureColumns measure_columns(const HeadMeasures& heads, double names, std::optional<double> room, bool sorted);

}  // namespace attnscope
