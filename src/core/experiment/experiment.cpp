#include "core/experiment/experiment.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/imported/own_tensors.h"
#include "core/systems/systems.h"
#include "core/trace/on_demand.h"

namespace attnscope {
namespace {

template <typename T>
const T& parameter_of(const Experiment& experiment, std::string_view name) {
  const auto found = experiment.parameters.find(name);
  assert(found != experiment.parameters.end() && std::holds_alternative<T>(found->second));
  return std::get<T>(found->second);
}

Result<const System*> system_of(std::string_view name) {
  if (const System* system = find_system(name)) return system;
  std::vector<std::string> names;
  for (const System& system : systems()) names.push_back(system.name);
  const std::string nearest = suggestion_text(name, names);
  return fail("system: " + quoted_text(name) + " is unknown" +
              (nearest.empty() ? "; allowed: " + join(names, ", ") : nearest));
}

Result<const Parameter*> parameter_called(const Experiment& experiment, std::string_view name) {
  const Result<const System*> system = system_of(experiment.system);
  if (!system) return tl::unexpected(system.error());
  if (const Parameter* parameter = find_parameter((*system)->parameters, name)) return parameter;
  std::vector<std::string> names = {"seed", "discard"};
  for (const Parameter& parameter : (*system)->parameters) names.push_back(parameter.name);
  const std::string nearest = suggestion_text(name, names);
  return fail("parameter " + quoted_text(name) + " is unknown to " + experiment.system +
              (nearest.empty() ? "; allowed: " + join(names, ", ") : nearest));
}

tl::unexpected<Error> fail_over(std::string_view name, const std::string& shown, std::uint64_t largest) {
  return fail(std::string(name) + ": " + shown + " is not allowed; allowed: whole numbers from 0 to " +
              std::to_string(largest));
}

/// A whole number from 0 to `largest`.
Result<std::uint64_t> parse_unsigned(std::string_view name, std::string_view text, std::uint64_t largest) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return fail_over(name, quoted_text(text), largest);
  if (value > largest) return fail_over(name, std::to_string(value), largest);
  return value;
}

}  // namespace

Index Experiment::integer(std::string_view name) const { return parameter_of<Index>(*this, name); }
double Experiment::real(std::string_view name) const { return parameter_of<double>(*this, name); }
const std::string& Experiment::choice(std::string_view name) const { return parameter_of<std::string>(*this, name); }
const Mask& Experiment::mask() const { return parameter_of<Mask>(*this, "mask"); }

bool matters(const Experiment& experiment, const Parameter& parameter) {
  const auto& only_with = parameter.only_with;
  return !only_with || std::find(only_with->values.begin(), only_with->values.end(),
                                 experiment.choice(only_with->parameter)) != only_with->values.end();
}

void Cost::add(const Axes& axes, double its_flops) {
  const Index count = element_count(axes);
  bytes += static_cast<double>(count) * sizeof(float);
  numbers += std::min(count, std::numeric_limits<Index>::max() - numbers);
  flops += its_flops;
  tensors += 1;
}

bool same_plan(const Experiment& a, const Experiment& b) {
  const bool same = a.system == b.system && a.discard == b.discard && a.parameters == b.parameters &&
                    a.edits == b.edits && a.heads_off == b.heads_off && a.picture == b.picture &&
                    a.tensors == b.tensors;
  if (!same || a.labels == b.labels) return same;
  const System* system = find_system(a.system);
  return system == nullptr || !system->reads_labels;
}

bool same_computation(const Experiment& a, const Experiment& b) { return same_plan(a, b) && a.seed == b.seed; }

std::string token_label(const Experiment& experiment, Index token) {
  const auto at = static_cast<std::size_t>(token);
  return at < experiment.labels.size() ? experiment.labels[at] : std::to_string(token);
}

Result<Experiment> default_experiment(std::string_view name) {
  const Result<const System*> system = system_of(name);
  if (!system) return tl::unexpected(system.error());
  Experiment experiment;
  experiment.system = (*system)->name;
  experiment.labels = (*system)->labels;
  for (const Parameter& parameter : (*system)->parameters) experiment.parameters[parameter.name] = parameter.standard;
  return experiment;
}

Result<Experiment> experiment_on(std::shared_ptr<const GivenTensors> tensors) {
  Experiment experiment = *default_experiment(own_tensors().name);
  const std::vector<std::string> uses = possible_uses(*tensors);
  // The best that can be made of it; the tensors themselves where what is called like attention does not go together.
  const auto can_be = [&](const std::string& use) { return own_layers(tensors, {use}).has_value(); };
  const auto use = std::find_if(uses.begin(), uses.end(), can_be);
  if (use != uses.end()) experiment.parameters["use"] = *use;
  experiment.view.name = use != uses.end() && *use == kUseTensors ? "tensor" : "heads";
  experiment.tensors = std::move(tensors);
  if (const Result<void> valid = validate(experiment, kUnlimitedMemory); !valid) return tl::unexpected(valid.error());
  return experiment;
}

Result<void> set_parameter(Experiment& experiment, std::string_view name, ParameterValue value) {
  const Result<const Parameter*> parameter = parameter_called(experiment, name);
  if (!parameter) return tl::unexpected(parameter.error());
  if (Result<void> checked = check_value(**parameter, value); !checked) return checked;
  experiment.parameters[(*parameter)->name] = std::move(value);
  return {};
}

Result<void> set_parameter_text(Experiment& experiment, std::string_view name, std::string_view text) {
  if (name == "seed" || name == "discard") {
    const bool seed = name == "seed";
    const Result<std::uint64_t> value =
        parse_unsigned(name, text, seed ? std::numeric_limits<std::uint64_t>::max() : kLargestDiscard);
    if (!value) return tl::unexpected(value.error());
    (seed ? experiment.seed : experiment.discard) = *value;
    return {};
  }
  const Result<const Parameter*> parameter = parameter_called(experiment, name);
  if (!parameter) return tl::unexpected(parameter.error());
  Result<ParameterValue> value = parse_value(**parameter, text);
  if (!value) return tl::unexpected(value.error());
  experiment.parameters[(*parameter)->name] = std::move(*value);
  return {};
}

namespace {

Result<void> check_picture(const Experiment& experiment) {
  const ColorPicture& picture = experiment.picture;
  if (!experiment.parameters.contains("picture")) {
    if (picture.empty()) return {};
    std::vector<std::string> names;
    for (const System& system : systems()) {
      if (find_parameter(system.parameters, "picture") != nullptr) names.push_back(system.name);
    }
    return fail("picture: " + experiment.system + " attends to no pixels; allowed with " + join(names, ", "));
  }
  if (experiment.choice("picture") == "file" && picture.empty())
    return fail("picture: file is not allowed without a picture; allowed: noise, shapes, stripes, or a picture given");
  return {};
}

}  // namespace

Result<void> set_picture(Experiment& experiment, ColorPicture picture) {
  experiment.picture = std::move(picture);
  if (experiment.parameters.contains("picture")) experiment.parameters["picture"] = std::string("file");
  return check_picture(experiment);
}

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
  if (experiment.edits.size() > kMostEdits)
    return fail("edits: " + std::to_string(experiment.edits.size()) + " are not allowed; allowed: at most " +
                std::to_string(kMostEdits));
  std::set<std::pair<std::string, std::vector<Index>>> cells;
  for (const CellEdit& edit : experiment.edits) {
    if (Result<void> fits = check_edit(planned, edit); !fits) return fits;
    if (!cells.insert({edit.tensor, edit.index}).second)
      return fail("edits: " + edit.tensor + index_text(edit.index) + " is there twice; allowed: each cell once");
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

}  // namespace

Index switchable_heads(const Experiment& experiment) {
  Experiment one_off = experiment;
  one_off.edits.clear();
  one_off.heads_off = {0};
  for (const PlannedStep& step : plan(one_off).steps) {
    if (const auto* keep = std::get_if<KeepHeadsOperation>(&step.operation))
      return step.axes[static_cast<std::size_t>(keep->axis)].size;
  }
  return 0;
}

Result<void> validate(const Experiment& experiment, double memory_budget) {
  const Result<const System*> found = system_of(experiment.system);
  if (!found) return tl::unexpected(found.error());
  const System& system = **found;
  if (experiment.discard > kLargestDiscard)
    return fail_over("discard", std::to_string(experiment.discard), kLargestDiscard);
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
    return fail("tensors: " + experiment.system + " draws its own; allowed with own-tensors");
  if (system.check != nullptr) {
    if (Result<void> checked = system.check(experiment); !checked) return checked;
  }
  if (Result<void> fits = check_mask(experiment.mask(), system.mask_sizes(experiment)); !fits) return fits;
  if (Result<void> heads = check_heads_off(experiment); !heads) return heads;
  const Plan planned = plan(experiment);
  if (Result<void> edits = check_edits(planned, experiment); !edits) return edits;
  const double needed = held_cost(planned, held_steps(planned, memory_budget)).bytes;
  if (needed > memory_budget) {
    return fail("the experiment takes " + grouped_text(static_cast<Index>(std::min(needed / 1e6, 9e18))) +
                " MB; allowed: " + grouped_text(static_cast<Index>(memory_budget / 1e6)) + " MB");
  }
  return {};
}

}  // namespace attnscope
