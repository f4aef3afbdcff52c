// What an experiment will compute: names, shapes and operations, without any number.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/plan/operation.h"

namespace attnscope {

/// One tensor to compute, and how.
struct PlannedStep {
  std::string name;
  Operation operation;
  std::vector<int> inputs;  ///< positions of earlier steps
  Axes axes;
  double flops = 0;  ///< multiplications and additions; see Cost

  friend bool operator==(const PlannedStep&, const PlannedStep&) = default;
};

/// A step among those of its plan.
struct StepInPlan {
  std::span<const PlannedStep> steps;
  const PlannedStep& step;

  [[nodiscard]] const PlannedStep& input(std::size_t i) const {
    return steps[static_cast<std::size_t>(step.inputs[i])];
  }
};

/// A box of a step's result, and the boxes of the inputs that it is computed from.
struct StepPart : StepInPlan {
  const Region& region;
  std::span<const Region> sources;  ///< see `OperationFunctions::input_regions`
};

/// The steps of an experiment, in the order in which they are computed. The seed is not part of it: it only changes
/// the numbers.
struct Plan {
  std::vector<PlannedStep> steps;
  Cost cost;
};

/// Whether the plan draws the cell that `edit` changes, and the cell can hold the new number.
Result<void> check_edit(const Plan& plan, const CellEdit& edit);

/// The plan of an experiment whose parameters are each within their range. Edits of cells that do not exist are left
/// out.
Plan plan(const Experiment& experiment);

/// The cost of an experiment, without computing it. Its parameters are each within their range.
Cost cost_of(const Experiment& experiment);

/// The prefix of a layer's tensor names; layers count from 1: "", "layer2.", …
std::string layer_prefix(Index layer);

/// The formula of a step with axis names for indices: "Σ_dim q[head, query, dim] · k[head, key, dim] / √7".
std::string formula(std::span<const PlannedStep> steps, int step);

/// What the numbers of `region` are computed from: for each input of its step, the smallest box with all cells that
/// count.
std::vector<Region> regions_behind(std::span<const PlannedStep> steps, const Region& region);

}  // namespace attnscope
