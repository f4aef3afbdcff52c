// The parts of a row of the table of measures: a number with a bar below it, and the profile of a head.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "figure/model/figure.h"

namespace attnscope {

/// The title of a measure in two lines, "previous" and "token"; the first is empty where it has one word.
std::pair<std::string, std::string> two_lines(const std::string& title);

/// What the bars of one column are drawn against.
struct MeasureScale {
  double largest = 0;             ///< a bar of the full width
  std::optional<double> uniform;  ///< the measure of uniform attention, marked on every bar
  int decimals = 3;
};

/// A number in its cell of the table, "–" where the measure does not apply.
void add_measure(Figure& figure, const std::string& id, const Rect& cell, std::optional<double> value,
                 const MeasureScale& scale, const Shade& shade);

/// The mean weight of each key, first to last, as a curve; of many keys the largest of each group. `largest` reaches
/// the top of `box`.
void add_profile(Figure& figure, const std::string& id, const std::vector<double>& received, const Rect& box,
                 double largest, const Shade& shade);

}  // namespace attnscope
