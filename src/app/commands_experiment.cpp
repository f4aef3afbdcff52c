#include "app/commands_experiment.h"

#include <cstdlib>
#include <optional>

#include "core/run.h"
#include "core/systems/systems.h"
#include "core/text.h"
#include "io/experiment_file.h"
#include "io/printable.h"

namespace attnscope {

void add_experiment_options(CLI::App& command, ExperimentOptions& options) {
  command.add_option("EXPERIMENT", options.experiment, "A JSON file, or the name of a system")
      ->required()
      ->type_name("");
  command.add_option("--set", options.settings, "Set a parameter, seed or discard; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

Result<double> memory_budget() {
  constexpr Index most_megabytes = 1'000'000'000;
  const char* text = std::getenv("ATTNSCOPE_MEMORY_MB");
  if (text == nullptr || *text == '\0') return kDefaultMemoryBudget;
  const std::optional<Index> megabytes = parse_integer(text);
  if (!megabytes || *megabytes < 1 || *megabytes > most_megabytes) {
    return fail("ATTNSCOPE_MEMORY_MB: " + quoted_text(text) + " is not allowed; allowed: whole numbers from 1 to " +
                    std::to_string(most_megabytes),
                Error::Kind::usage);
  }
  return static_cast<double>(*megabytes) * 1e6;
}

Result<Experiment> load_experiment(const ExperimentOptions& options) {
  const Result<double> budget = memory_budget();
  if (!budget) return tl::unexpected(budget.error());
  Result<Experiment> opened = open_experiment(options.experiment);
  if (!opened) return opened;
  Experiment experiment = *opened;
  for (const std::string& setting : options.settings) {
    if (const Result<void> set = apply_setting(experiment, setting); !set) return tl::unexpected(set.error());
  }
  const std::string origin = find_system(options.experiment) != nullptr ? "" : path_text(options.experiment) + ": ";
  if (const Result<void> valid = validate(experiment, kUnlimitedMemory); !valid) {
    if (validate(*opened, kUnlimitedMemory)) return fail("--set " + valid.error().message, Error::Kind::usage);
    return fail(origin + valid.error().message);
  }
  if (const Result<void> fits = validate(experiment, *budget); !fits) {
    return fail(origin + fits.error().message + "; ATTNSCOPE_MEMORY_MB sets the limit");
  }
  return experiment;
}

Result<std::shared_ptr<const Trace>> compute_experiment(const ExperimentOptions& options) {
  const Result<Experiment> experiment = load_experiment(options);
  if (!experiment) return tl::unexpected(experiment.error());
  return Runner(*memory_budget()).run(*experiment);
}

}  // namespace attnscope
