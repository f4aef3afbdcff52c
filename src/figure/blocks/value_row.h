// A line with a name, a bar and a number.
#pragma once

#include <string>

#include "figure/model/figure.h"

namespace attnscope {

struct ValueRow {
  std::string id;
  std::string name;   ///< plain text; shortened where it is too long
  std::string about;  ///< shown under the mouse
  double value = 0;
  double least = 0;    ///< of all rows, at most 0; bars of negative values go to the left from where 0 is
  double largest = 0;  ///< of all rows, at least 0
};

inline constexpr double kValueRowHeight = 20;

/// Adds a row of that width with its top left corner at `at`; names take `name_width` of it.
void add_value_row(Figure& figure, const ValueRow& row, Point at, double width, double name_width);

}  // namespace attnscope
