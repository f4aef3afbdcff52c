// The arithmetic behind one number of a tensor, as data.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/plan/plan.h"

namespace attnscope {

/// One number that another was made of.
struct Operand {
  int step = 0;
  std::vector<Index> index;
  double value = 0;
};

/// One summand, or one exponential of a softmax: "1.249 × 1.906" is 2.381. The terms of an explanation take its
/// operands in order; operands after those of the last term (a bias) appear in the results.
struct Term {
  std::string text;
  double value = 0;
  std::size_t operands = 1;  ///< how many of them this one is made of
};

/// A named intermediate or final result: "sum", "÷ √7", "largest of the row".
struct ResultLine {
  std::string text;
  double value = 0;
};

struct Explanation {
  int step = 0;
  std::vector<Index> index;
  double value = 0;       ///< as stored
  std::string operation;  ///< its name
  std::string formula;    ///< with the numbers of this cell for indices: "Σ_dim q[1, 2, dim] · k[1, 4, dim]"
  std::string note;       ///< where the arithmetic does not say it: drawn as number 17 of seed 42, masked, dropped
  std::vector<Operand> operands;
  std::vector<Term> terms;
  std::optional<std::size_t> own_term;  ///< the one of this cell, among those of its whole row
  std::vector<ResultLine> results;
  double computed = 0;          ///< the formula evaluated in double precision from the operands
  std::vector<Region> regions;  ///< the operands as boxes, one or a few per input
};

/// The cell that an operation explains.
struct ExplainedCell : StepInPlan {
  std::span<const Index> index;
  std::span<const Region> regions;                         ///< of the inputs
  std::span<const std::shared_ptr<const Tensor>> sources;  ///< the numbers of those regions
  std::uint64_t seed = 0;

  /// The number at `at` of input `i`.
  [[nodiscard]] Operand operand(std::size_t i, std::vector<Index> at) const {
    std::vector<Index> within = at;
    for (std::size_t axis = 0; axis < at.size(); ++axis) within[axis] -= regions[i].begin[axis];
    return {step.inputs[i], std::move(at), static_cast<double>(sources[i]->at(within))};
  }
  /// "scores[1, 2, 4]": input `i` with the index of this cell.
  [[nodiscard]] std::string name(std::size_t i) const { return input(i).name + index_text(index); }
};

}  // namespace attnscope
