// The arithmetic behind one number of a trace, from the recorded operation alone.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/plan/region.h"
#include "core/trace/trace.h"

namespace attnscope {

/// One number that another was made of.
struct Operand {
  int step = 0;
  std::vector<Index> index;
  double value = 0;
};

/// One summand, or one exponential of a softmax: "1.249 × 1.906" is 2.381. The terms of an explanation take its
/// operands in their order; operands behind those of the last term (a bias) stand in the results.
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
  std::string operation;  ///< see `operation_name`
  std::string formula;    ///< with the numbers of this cell for indices: "Σ_dim q[1, 2, dim] · k[1, 4, dim]"
  std::string note;       ///< where the arithmetic does not say it: drawn as number 17 of seed 42, masked, dropped
  std::vector<Operand> operands;
  std::vector<Term> terms;
  std::vector<ResultLine> results;
  double computed = 0;          ///< the formula evaluated in double precision from the operands
  std::vector<Region> regions;  ///< the operands as boxes, one or a few per input
};

/// Explains `index` of the tensor made by step `step`; both are within the trace.
Explanation explain(const Trace& trace, int step, std::span<const Index> index);

/// Only the boxes of cells that `explain` would name; cheap enough for every movement of the mouse.
std::vector<Region> regions_behind(const Trace& trace, int step, std::span<const Index> index);

/// Reads "scores[1, 2, 4]" and checks it against the trace.
struct CellReference {
  int step = 0;
  std::vector<Index> index;
};
Result<CellReference> parse_cell(const Trace& trace, std::string_view text);
/// The same with the steps alone, as `plan` gives them.
Result<CellReference> parse_cell(std::span<const PlannedStep> steps, std::string_view text);

/// Reads a tensor's name, alone or with a slice as in Python: "scores", "scores[1]", "scores[1, 10:20, :]". Axes that
/// are not named are whole.
Result<Region> parse_region(std::span<const PlannedStep> steps, std::string_view text);

}  // namespace attnscope
