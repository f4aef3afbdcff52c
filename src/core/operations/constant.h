// Numbers that are written down: the same whatever the seed.
#pragma once

#include <string>
#include <vector>

#include "core/plan/explanation.h"
#include "core/plan/operation.h"

namespace attnscope {

/// The same number in some cells of a matrix: those of the `rows` × `columns` from (`row`, `column`) on that lie on one
/// of the diagonals `from` to `to`. Diagonal 0 starts in the corner of that rectangle, 1 a column to the right of it.
struct SetPart {
  Index matrix = 0;  ///< counted over the axes before the last two
  Index row = 0;
  Index column = 0;
  Index rows = 1;
  Index columns = 1;
  Index from = 0;
  Index to = 0;
  double value = 0;
  std::string why;  ///< what the number is for, as a sentence

  friend bool operator==(const SetPart&, const SetPart&) = default;
};

/// 0 outside of all parts; where parts overlap, the last one counts. Rectangles and diagonals take no memory before the
/// tensor does.
struct SetOperation {
  std::vector<SetPart> parts;

  /// The part that has the cell; null: none.
  [[nodiscard]] const SetPart* part_at(Index matrix, Index row, Index column) const;

  [[nodiscard]] std::string name() const { return "set"; }
  [[nodiscard]] std::string formula(const StepInPlan& step) const;
  void compute(Inputs inputs, const StepContext& context, Tensor& out) const;
  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const;
  [[nodiscard]] double magnitude_bound(const Axes& axes, std::span<const double> inputs) const;
  void explain(const ExplainedCell& cell, Explanation& e) const;

  friend bool operator==(const SetOperation&, const SetOperation&) = default;
};

}  // namespace attnscope
