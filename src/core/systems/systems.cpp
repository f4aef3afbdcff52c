#include "core/systems/systems.h"

#include <algorithm>
#include <cassert>

#include "core/experiment/system.h"
#include "core/imported/imported_layers.h"
#include "core/models/models.h"

namespace attnscope {
namespace {

System with_common_parameters(System system) {
  for (Parameter& parameter : common_parameters()) system.parameters.push_back(std::move(parameter));
  return system;
}

}  // namespace

std::span<const System> systems() {
  static const std::vector<System> list = [] {
    std::vector<System> all = make_systems();
    for (System& system : all) system = with_common_parameters(std::move(system));
    return all;
  }();
  return list;
}

namespace {

/// The common parameters have an effect only if the weights are computed, not imported.
System with_parameters_of_scores(System system) {
  for (Parameter& parameter : common_parameters()) {
    parameter.only_with = {"use", {kUseScores, kUseQueries}};
    system.parameters.push_back(std::move(parameter));
  }
  return system;
}

}  // namespace

const System* find_system(std::string_view name) {
  static const System own = with_parameters_of_scores(imported_tensors_system());
  static const System transformer = transformer_system();
  if (name == own.name) return &own;
  if (name == transformer.name) return &transformer;
  const std::span<const System> all = systems();
  const auto found = std::find_if(all.begin(), all.end(), [&](const System& system) { return system.name == name; });
  return found == all.end() ? nullptr : &*found;
}

Experiment first_experiment() {
  Experiment experiment = *default_experiment(kFirstSystem);
  for (const char* const setting : kFirstSettings) {
    const std::string_view text = setting;
    const std::size_t equals = text.find('=');
    [[maybe_unused]] const Result<void> set =
        set_parameter_text(experiment, text.substr(0, equals), text.substr(equals + 1));
    assert(set);
  }
  return experiment;
}

std::string head_name(const Experiment& experiment, std::string_view tensor, Index head) {
  const System* system = find_system(experiment.system);
  if (system == nullptr || system->head_names.empty()) return {};
  constexpr std::string_view kLayer = "layer";
  const bool behind_first = tensor.starts_with(kLayer) && tensor.find('.') == kLayer.size() + 1;
  const std::size_t layer = behind_first ? static_cast<std::size_t>(tensor[kLayer.size()] - '1') : 0;
  const auto at = static_cast<std::size_t>(head);
  if (layer >= system->head_names.size() || at >= system->head_names[layer].size()) return {};
  return system->head_names[layer][at];
}

std::string head_title(const Experiment& experiment, std::string_view tensor, Index head) {
  const std::string name = head_name(experiment, tensor, head);
  return "head " + std::to_string(head + 1) + (name.empty() ? "" : ": " + name);
}

}  // namespace attnscope
