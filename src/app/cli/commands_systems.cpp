#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/commands_tables.h"
#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/plan/plan.h"
#include "io/base/json_value.h"
#include "io/base/printable.h"

namespace attnscope {
namespace {

using nlohmann::ordered_json;

struct SystemsOptions {
  std::string system;
  bool json = false;
};

ordered_json step_json(const Plan& plan, std::size_t number) {
  const PlannedStep& step = plan.steps[number];
  ordered_json axes = ordered_json::array();
  for (const Axis& axis : step.axes) axes.push_back({{"name", axis.name}, {"size", axis.size}});
  return {{"name", step.name},
          {"axes", axes},
          {"operation", step.operation->name()},
          {"formula", formula(plan.steps, static_cast<int>(number))}};
}

ordered_json system_json(const System& system) {
  ordered_json json = {{"name", system.name},
                       {"title", system.title},
                       {"summary", system.summary},
                       {"source", system.source},
                       {"labels", system.labels}};
  json["parameters"] = ordered_json::array();
  for (const Parameter& parameter : system.parameters) json["parameters"].push_back(parameter_json(parameter));
  json["tensors"] = ordered_json::array();
  const Plan planned = plan(*default_experiment(system.name));
  for (std::size_t i = 0; i < planned.steps.size(); ++i) json["tensors"].push_back(step_json(planned, i));
  return json;
}

std::string axes_text(const Axes& axes) {
  std::vector<std::string> parts;
  for (const Axis& axis : axes) parts.push_back(axis.name + " " + std::to_string(axis.size));
  return "[" + join(parts, ", ") + "]";
}

std::string system_text(const System& system) {
  std::vector<std::vector<std::string>> parameters;
  for (const Parameter& parameter : system.parameters) {
    parameters.push_back({parameter.name, value_text(parameter.default_value), parameter.help});
    parameters.push_back({"", "", "Allowed: " + allowed_text(parameter) + "."});
  }
  parameters.push_back(
      {"seed", "42", "Seed of all random numbers, as in torch.manual_seed. Allowed: whole numbers from 0."});
  parameters.push_back(
      {"discard", "0",
       "Raw random numbers discarded between inputs and weights. Allowed: whole numbers from 0 to 10000000000."});
  std::vector<std::vector<std::string>> tensors;
  const Plan planned = plan(*default_experiment(system.name));
  for (std::size_t i = 0; i < planned.steps.size(); ++i) {
    const PlannedStep& step = planned.steps[i];
    tensors.push_back({step.name, axes_text(step.axes), formula(planned.steps, static_cast<int>(i))});
  }
  return system.name + " – " + system.title + "\n" + system.summary + "\nReproduces " + system.source +
         ".\n\nParameters and their defaults\n" + table_text(parameters) + "\nTensors and their default sizes\n" +
         table_text(tensors);
}

Result<CommandOutput> all_systems(bool json) {
  if (json) {
    ordered_json list = ordered_json::array();
    for (const System& system : systems()) list.push_back(system_json(system));
    return CommandOutput{pretty_json(list) + "\n", {}};
  }
  std::vector<std::vector<std::string>> rows;
  for (const System& system : systems()) rows.push_back({system.name, system.summary});
  return CommandOutput{table_text(rows) + "\nattnscope systems SYSTEM shows the parameters and tensors of a system.\n",
                       {}};
}

Result<CommandOutput> systems_command(const SystemsOptions& options) {
  if (options.system.empty()) return all_systems(options.json);
  const System* system = find_system(options.system);
  // This error suggests similar names.
  if (system == nullptr) return fail(default_experiment(options.system).error().message, Error::Kind::usage);
  return CommandOutput{options.json ? pretty_json(system_json(*system)) + "\n" : system_text(*system), {}};
}

}  // namespace

void add_systems_command(CommandLine& line) {
  const auto options = std::make_shared<SystemsOptions>();
  CLI::App& command = line.add("systems", "List the systems, or show the parameters and tensors of one",
                               [options] { return systems_command(*options); });
  command.add_option("SYSTEM", options->system, "The name of a system")->type_name("");
  command.add_flag("--json", options->json, "Print JSON, sufficient to build a user interface");
}

}  // namespace attnscope
