// A calculation as a line of numbers, each with its sign in front and its name above: q · k ÷ √d = score.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "figure/model/figure.h"

namespace attnscope {

/// One number of a calculation.
struct ArithmeticTerm {
  std::string id;       ///< begins the ids of its marks
  std::string sign;     ///< in front of it: "÷"; empty: none
  std::string caption;  ///< above it, markup
  std::string value;
  Ink ink = Ink::text;
  std::optional<TensorCell> cell;  ///< the cell it is inspected as
};

/// The terms from `at` on, the top left corner, in as many lines as `width` needs. Returns their height; `figure` may
/// be null for that alone.
double add_arithmetic(Figure* figure, std::span<const ArithmeticTerm> terms, Point at, double width);

}  // namespace attnscope
