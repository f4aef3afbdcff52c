#include "core/plan/validate.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/plan/plan.h"
#include "core/plan/resident_steps.h"

namespace attnscope {

void drop_edits_without_cell(Experiment& experiment) {
  if (experiment.edits.empty()) return;
  Experiment bare = experiment;
  bare.edits.clear();
  const Plan planned = plan(bare);
  const auto gone = [&](const CellEdit& edit) { return !check_edit(planned, edit); };
  experiment.edits.erase(std::remove_if(experiment.edits.begin(), experiment.edits.end(), gone),
                         experiment.edits.end());
}

namespace {

Result<void> check_edits(const Plan& planned, const Experiment& experiment) {
  if (experiment.edits.size() > kMaxEdits)
    return fail("edits: " + std::to_string(experiment.edits.size()) + " are not allowed; allowed: at most " +
                std::to_string(kMaxEdits));
  std::set<std::pair<std::string, std::vector<Index>>> cells;
  for (const CellEdit& edit : experiment.edits) {
    if (Result<void> fits = check_edit(planned, edit); !fits) return fits;
    if (!cells.insert({edit.tensor, edit.index}).second)
      return fail("edits: " + edit.tensor + index_text(edit.index) + " appears twice; allowed: each cell once");
  }
  return {};
}

Result<void> check_heads_off(const Experiment& experiment) {
  if (experiment.heads_off.empty()) return {};
  const Index heads = switchable_heads(experiment);
  if (heads == 0)
    return fail("heads_off: no heads can be switched off in " + experiment.system + "; allowed: an empty list");
  Index least = 0;
  for (const Index head : experiment.heads_off) {
    if (head < least || head >= heads) {
      return fail("heads_off: " + std::to_string(head) + " is not allowed; allowed: ascending numbers from 0 to " +
                  std::to_string(heads - 1));
    }
    least = head + 1;
  }
  return {};
}

/// What can be wrong with interventions whatever the model is; the rest, its plan says.
Result<void> check_interventions(const Experiment& experiment) {
  const std::vector<Intervention>& all = experiment.interventions;
  if (all.empty()) return {};
  if (experiment.model == nullptr)
    return fail("interventions: " + experiment.system + " has no trained layers; allowed with transformer");
  if (all.size() > kMaxInterventions)
    return fail("interventions: " + std::to_string(all.size()) + " are not allowed; allowed: at most " +
                std::to_string(kMaxInterventions));
  std::set<std::string> parts;
  for (const Intervention& each : all) {
    const bool is_scores = can_mask(each.tensor);
    if (!is_scores && !can_intervene(each.tensor))
      return fail(
          "interventions: tensor: " + quoted_text(each.tensor) +
          " is not allowed; allowed: head_outputs, scores, mlp_out or out of a layer, such as layer2.head_outputs");
    if (is_scores != (each.kind == Intervention::Kind::masked))
      return fail("interventions: " + each.tensor + " is " + std::string(kind_name(each.kind)) +
                  "; allowed: " + (is_scores ? "masked" : "off, mean, patched"));
    if (is_scores != each.key.has_value())
      return fail("interventions: " + each.tensor +
                  (each.key ? " has no keys; allowed: no key" : " has keys; allowed: one with a key"));
    const bool has_heads = is_scores || each.tensor.ends_with("head_outputs");
    if (has_heads != each.head.has_value())
      return fail("interventions: " + each.tensor +
                  (each.head ? " has no heads; allowed: no head" : " has heads; allowed: one with a head"));
    if (!parts.insert(part_name(each)).second)
      return fail("interventions: " + part_name(each) + " appears twice; allowed: each part once");
    if (each.kind == Intervention::Kind::patched && experiment.patch_text.ids.empty())
      return fail("interventions: " + part_name(each) + " is patched, but there is no text to patch from; " +
                  "allowed with patch_text");
  }
  return {};
}

}  // namespace

Index switchable_heads(const Experiment& experiment) {
  Experiment one_off = experiment;
  one_off.edits.clear();
  one_off.heads_off = {0};
  for (const PlannedStep& step : plan(one_off).steps) {
    if (step.operation->traits().switches_heads) return find_axis(step.axes, "head")->size;
  }
  return 0;
}

Result<void> validate(const Experiment& experiment, double memory_budget) {
  const Result<const System*> found = named_system(experiment.system);
  if (!found) return tl::unexpected(found.error());
  const System& system = **found;
  if (Result<void> draws = check_discard(experiment.discard); !draws) return draws;
  for (const Parameter& parameter : system.parameters) {
    if (Result<void> checked = check_value(parameter, experiment.parameters.at(parameter.name)); !checked)
      return checked;
  }
  for (const Parameter& parameter : system.parameters) {
    if (parameter.divides.empty()) continue;
    const Index whole = experiment.integer(parameter.divides);
    const Index parts = experiment.integer(parameter.name);
    if (whole % parts == 0) continue;
    std::vector<std::string> allowed;
    for (const Index divisor : divisors(whole)) allowed.push_back(std::to_string(divisor));
    return fail(parameter.name + ": " + std::to_string(parts) + " does not divide " + parameter.divides + " " +
                std::to_string(whole) + "; allowed: " + join(allowed, ", "));
  }
  if (Result<void> given = check_picture(experiment); !given) return given;
  if (experiment.tensors != nullptr && system.check == nullptr)
    return fail("tensors: " + experiment.system + " computes its own; allowed with own-tensors");
  if ((experiment.model != nullptr) != (experiment.system == "transformer"))
    return fail("model: " + experiment.system +
                (experiment.model != nullptr ? " has none; allowed with transformer"
                                             : " needs one; open the folder of a model"));
  if (Result<void> parts = check_interventions(experiment); !parts) return parts;
  if (system.check != nullptr) {
    if (Result<void> checked = system.check(experiment); !checked) return checked;
  }
  if (system.mask_sizes != nullptr) {
    if (Result<void> fits = check_mask(experiment.mask(), system.mask_sizes(experiment)); !fits) return fits;
  }
  if (Result<void> heads = check_heads_off(experiment); !heads) return heads;
  const Plan planned = plan(experiment);
  if (Result<void> edits = check_edits(planned, experiment); !edits) return edits;
  const std::vector<bool> held = resident_steps(planned, memory_budget);
  const double needed = resident_cost(planned, held).bytes + passing_bytes(planned, held);
  if (needed > memory_budget) {
    return fail("the experiment takes " + grouped_text(static_cast<Index>(std::min(needed / 1e6, 9e18))) +
                " MB; allowed: " + grouped_text(static_cast<Index>(memory_budget / 1e6)) + " MB");
  }
  return {};
}

}  // namespace attnscope
