#include "core/experiment/experiment.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/experiment/system.h"

namespace attnscope {
namespace {

template <typename T>
const T& parameter_of(const Experiment& experiment, std::string_view name) {
  const auto found = experiment.parameters.find(name);
  assert(found != experiment.parameters.end() && std::holds_alternative<T>(found->second));
  return std::get<T>(found->second);
}

Result<const Parameter*> parameter_called(const Experiment& experiment, std::string_view name) {
  const Result<const System*> system = named_system(experiment.system);
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

/// An integer from 0 to `largest`.
Result<std::uint64_t> parse_unsigned(std::string_view name, std::string_view text, std::uint64_t largest) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return fail_over(name, quoted_text(text), largest);
  if (value > largest) return fail_over(name, std::to_string(value), largest);
  return value;
}

}  // namespace

Result<const System*> named_system(std::string_view name) {
  if (const System* system = find_system(name)) return system;
  std::vector<std::string> names;
  for (const System& system : systems()) names.push_back(system.name);
  const std::string nearest = suggestion_text(name, names);
  return fail("system: " + quoted_text(name) + " is unknown" +
              (nearest.empty() ? "; allowed: " + join(names, ", ") : nearest));
}

Result<void> check_discard(std::uint64_t discard) {
  if (discard > kMaxDiscard) return fail_over("discard", std::to_string(discard), kMaxDiscard);
  return {};
}

Index Experiment::integer(std::string_view name) const { return parameter_of<Index>(*this, name); }
double Experiment::real(std::string_view name) const { return parameter_of<double>(*this, name); }
const std::string& Experiment::choice(std::string_view name) const { return parameter_of<std::string>(*this, name); }

const Mask& Experiment::mask() const {
  static const Mask none;
  return parameters.contains("mask") ? parameter_of<Mask>(*this, "mask") : none;
}

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

/// The other text has an effect only on what is patched.
bool same_patches(const Experiment& a, const Experiment& b) {
  return a.patch_text == b.patch_text || !std::ranges::any_of(a.interventions, [](const Intervention& each) {
           return each.kind == Intervention::Kind::patched;
         });
}

std::string edits_text(const std::vector<CellEdit>& edits) {
  if (edits.empty()) return {};
  return "; " + grouped_text(std::ssize(edits)) + (edits.size() == 1 ? " number" : " numbers") + " edited";
}

std::string changes_text(const Experiment& experiment, std::size_t most_named) {
  const std::string edits = edits_text(experiment.edits);
  if (experiment.interventions.empty()) return edits.empty() ? edits : edits.substr(2);
  return parts_text(experiment.interventions, most_named) + edits;
}

bool same_plan(const Experiment& a, const Experiment& b) {
  const bool same = a.system == b.system && a.discard == b.discard && a.parameters == b.parameters &&
                    a.edits == b.edits && a.heads_off == b.heads_off && a.picture == b.picture &&
                    a.tensors == b.tensors && a.model == b.model && a.text == b.text && a.text2 == b.text2 &&
                    a.interventions == b.interventions && same_patches(a, b);
  if (!same || a.labels == b.labels) return same;
  const System* system = find_system(a.system);
  return system == nullptr || system->reads_labels == nullptr || !system->reads_labels(a);
}

bool same_computation(const Experiment& a, const Experiment& b) { return same_plan(a, b) && a.seed == b.seed; }

Index pixel_count(const Experiment& e) { return saturating_product(e.integer("height"), e.integer("width")); }

Result<Experiment> default_experiment(std::string_view name) {
  const Result<const System*> system = named_system(name);
  if (!system) return tl::unexpected(system.error());
  Experiment experiment;
  experiment.system = (*system)->name;
  experiment.labels = (*system)->labels;
  for (const Parameter& parameter : (*system)->parameters)
    experiment.parameters[parameter.name] = parameter.default_value;
  return experiment;
}

Experiment experiment_on_model(std::shared_ptr<const Model> model) {
  Experiment experiment = *default_experiment("transformer");
  experiment.model = std::move(model);
  experiment.view.name = "heads";
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
        parse_unsigned(name, text, seed ? std::numeric_limits<std::uint64_t>::max() : kMaxDiscard);
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

Result<void> check_picture(const Experiment& experiment) {
  const SharedPicture& picture = experiment.picture;
  if (experiment.model != nullptr) return {};  // whose family says whether it takes one
  if (!experiment.parameters.contains("picture")) {
    if (picture.empty()) return {};
    std::vector<std::string> names;
    for (const System& system : systems()) {
      if (find_parameter(system.parameters, "picture") != nullptr) names.push_back(system.name);
    }
    return fail("picture: " + experiment.system + " has no picture; allowed with " + join(names, ", "));
  }
  if (experiment.choice("picture") == "file" && picture.empty())
    return fail("picture: file needs a picture; allowed without one: noise, shapes, stripes");
  return {};
}

Result<void> set_picture(Experiment& experiment, const ColorPicture& picture) {
  const System& system = *find_system(experiment.system);
  if (system.fit_picture != nullptr) {
    Result<ColorPicture> fitted = system.fit_picture(experiment, picture);
    if (!fitted) return tl::unexpected(fitted.error());
    experiment.picture = std::move(*fitted);
    return {};
  }
  experiment.picture = averaged(picture, kMaxTokenPictureSide);
  if (experiment.parameters.contains("picture")) experiment.parameters["picture"] = std::string("file");
  return check_picture(experiment);
}

}  // namespace attnscope
