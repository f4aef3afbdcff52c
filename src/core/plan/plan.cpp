#include "core/plan/plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/plan/plan_builder.h"

namespace attnscope {

Result<void> check_edit(const Plan& plan, const CellEdit& edit) {
  const std::string what = "edits: " + quoted_text(edit.tensor);
  const auto step = std::find_if(plan.steps.begin(), plan.steps.end(),
                                 [&](const PlannedStep& each) { return each.name == edit.tensor; });
  const auto can_edit = [](const PlannedStep& each) {
    const OperationTraits traits = each.operation->traits();
    return traits.draws || traits.is_weight;
  };
  if (step == plan.steps.end() || !can_edit(*step)) {
    // A trained model has hundreds of weights.
    constexpr std::size_t most = 12;
    std::vector<std::string> allowed;
    bool weights = false;
    for (const PlannedStep& each : plan.steps) {
      if (!can_edit(each)) continue;
      weights = weights || each.operation->traits().is_weight;
      allowed.push_back(each.name);
      if (allowed.size() == most) break;
    }
    const std::string is_computed = weights ? " is computed, not a weight" : " is computed, not random";
    return fail(
        what + (step == plan.steps.end() ? " is not a tensor of the system" : is_computed) + "; allowed: " +
        (allowed.empty() ? "none, nothing is random" : join(allowed, ", ") + (allowed.size() == most ? ", …" : "")));
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
  std::map<std::string_view, std::vector<EditedNumber>> numbers;  // by tensor
  for (const CellEdit& edit : experiment.edits) {
    if (!check_edit(plan, edit)) continue;  // `validate` says so
    const auto step = std::find_if(plan.steps.begin(), plan.steps.end(),
                                   [&](const PlannedStep& each) { return each.name == edit.tensor; });
    numbers[step->name].push_back({offset_in(step->axes, edit.index), static_cast<float>(edit.value)});
  }
  if (numbers.empty()) return plan;
  for (PlannedStep& step : plan.steps) {
    if (const auto found = numbers.find(step.name); found != numbers.end())
      step.operation = step.operation->with_numbers(std::move(found->second));
  }
  return plan;
}

Cost cost_of(const Experiment& experiment) { return plan(experiment).cost; }

std::string formula(std::span<const PlannedStep> steps, int step) {
  const PlannedStep& planned = steps[static_cast<std::size_t>(step)];
  return planned.operation->formula({steps, planned});
}

std::vector<Region> regions_behind(std::span<const PlannedStep> steps, const Region& region) {
  const PlannedStep& step = steps[static_cast<std::size_t>(region.step)];
  return step.operation->input_regions({steps, step}, region);
}

std::string layer_prefix(Index layer) { return layer > 1 ? "layer" + std::to_string(layer) + "." : ""; }

}  // namespace attnscope
