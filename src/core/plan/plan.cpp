#include "core/plan/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/plan/plan_builder.h"

namespace attnscope {

Result<void> check_edit(const Plan& plan, const CellEdit& edit) {
  const std::string what = "edits: " + quoted_text(edit.tensor);
  const auto step = std::find_if(plan.steps.begin(), plan.steps.end(),
                                 [&](const PlannedStep& each) { return each.name == edit.tensor; });
  if (step == plan.steps.end() || !std::holds_alternative<DrawOperation>(step->operation)) {
    std::vector<std::string> drawn;
    for (const PlannedStep& each : plan.steps) {
      if (std::holds_alternative<DrawOperation>(each.operation)) drawn.push_back(each.name);
    }
    return fail(what + (step == plan.steps.end() ? " is no tensor of the system" : " is computed, not drawn") +
                "; allowed: " + (drawn.empty() ? "none, nothing is drawn" : join(drawn, ", ")));
  }
  bool inside = edit.index.size() == step->axes.size();
  for (std::size_t axis = 0; inside && axis < edit.index.size(); ++axis)
    inside = edit.index[axis] >= 0 && edit.index[axis] < step->axes[axis].size;
  if (!inside)
    return fail(what + " has no cell " + index_text(edit.index) + "; its shape is " + shape_text(step->axes));
  if (!(std::abs(edit.value) <= static_cast<double>(std::numeric_limits<float>::max())))
    return fail(what + index_text(edit.index) + ": " + exact_text(edit.value) +
                " is not allowed; allowed: finite numbers");
  return {};
}

Plan plan(const Experiment& experiment) {
  PlanBuilder recorder;
  find_system(experiment.system)->run(experiment, recorder);
  Plan plan = recorder.take_plan();
  for (const CellEdit& edit : experiment.edits) {
    if (!check_edit(plan, edit)) continue;  // `validate` says so
    PlannedStep& step = *std::find_if(plan.steps.begin(), plan.steps.end(),
                                      [&](const PlannedStep& each) { return each.name == edit.tensor; });
    std::get<DrawOperation>(step.operation)
        .by_hand.push_back({offset_in(step.axes, edit.index), static_cast<float>(edit.value)});
  }
  return plan;
}

Cost cost_of(const Experiment& experiment) { return plan(experiment).cost; }

std::string layer_prefix(Index layer) { return layer > 1 ? "layer" + std::to_string(layer) + "." : ""; }

}  // namespace attnscope
