// What several families of operations share.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/explanation.h"
#include "core/plan/plan_builder.h"

namespace attnscope {

/// Records an operation whose result has the axes of its input, with `flops` for each element.
Value record_elementwise(PlanBuilder& builder, std::string name, Value input, Operation operation, double flops);

/// The region of the first input with the same cells.
Region same_cells(const StepInPlan& step, const Region& region);

/// Computes an operation whose numbers depend on more of the input than their own cells, such as rows or groups: fills
/// `out` with the part of what `operation` makes from all of its source box, which has the axes of the input.
template <typename Record>
void compute_part_of_source(const Record& operation, const StepPart& part, Inputs inputs, const StepContext& context,
                            Tensor& out) {
  const Region& source = part.sources[0];
  if (source.begin == part.region.begin && source.end == part.region.end)
    return operation.compute(inputs, context, out);
  Tensor whole(inputs[0]->axes(), nullptr);
  operation.compute(inputs, context, whole);
  for_each_run(part.region, [&](Index at, std::vector<Index> index) {
    for (std::size_t axis = 0; axis < index.size(); ++axis) index[axis] -= source.begin[axis];
    std::copy_n(whole.values().begin() + whole.offset(index), out.size(-1), out.values().begin() + at);
  });
}

/// "scores[head, query, key]": an input with the names of its axes.
std::string input_text(const StepInPlan& step, std::size_t i = 0);
/// An input with other names for its axes.
std::string input_text(const StepInPlan& step, std::size_t i, const std::vector<std::string>& axes);

/// Adds the same cell of the first input as an operand; returns its value.
double add_same_cell(const ExplainedCell& cell, Explanation& explanation);

/// Calls `visit(position, index)` for every cell of `region`: its position in the region, its index in the tensor.
template <typename Visit>
void for_each_cell(const Region& region, const Visit& visit) {
  for_each_run(region, [&](Index at, std::vector<Index>& index) {
    if (index.empty()) return visit(static_cast<std::size_t>(at), std::as_const(index));
    const Index length = region.size(index.size() - 1);
    for (Index i = 0; i < length; ++i, ++index.back()) visit(static_cast<std::size_t>(at + i), std::as_const(index));
    index.back() -= length;
  });
}

}  // namespace attnscope
