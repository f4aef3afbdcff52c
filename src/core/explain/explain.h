// The arithmetic behind one number of a trace, from the recorded operation alone.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/plan/explanation.h"
#include "core/trace/trace.h"

namespace attnscope {

/// Explains `index` of the tensor made by step `step`; both are within the trace.
Explanation explain(const Trace& trace, int step, std::span<const Index> index);

/// Only the boxes of cells that `explain` would name; cheap enough for every move of the mouse.
std::vector<Region> regions_behind(const Trace& trace, int step, std::span<const Index> index);

/// Reads "scores[1, 2, 4]", whether or not there is such a cell. An error is a usage error.
struct CellName {
  std::string_view tensor;  ///< a part of what was read
  std::vector<Index> index;
};
Result<CellName> parse_cell_name(std::string_view text);

/// The same, checked against the trace.
struct CellReference {
  int step = 0;
  std::vector<Index> index;
};
Result<CellReference> parse_cell(const Trace& trace, std::string_view text);
/// The same with the steps alone, as `plan` gives them.
Result<CellReference> parse_cell(std::span<const PlannedStep> steps, std::string_view text);

/// Reads a tensor's name, alone or with a slice as in Python: "scores", "scores[1]", "scores[1, 10:20, :]". Axes
/// without an index are whole.
Result<Region> parse_region(std::span<const PlannedStep> steps, std::string_view text);

}  // namespace attnscope
