// What the commands on an experiment have in common: EXPERIMENT, --set and --picture.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/trace/trace.h"
#include "io/experiments/experiment_file.h"

namespace attnscope {

struct ExperimentOptions {
  std::string experiment;             ///< a file or a system's name
  std::vector<std::string> settings;  ///< NAME=VALUE
  std::string labels = {};            ///< a file of token labels; empty: none
  std::string picture = {};           ///< a PNG file; empty: none
};

void add_experiment_options(CLI::App& command, ExperimentOptions& options);

/// Bytes that an experiment may take: ATTNSCOPE_MEMORY_MB where it is set, otherwise kDefaultMemoryBudget.
Result<double> memory_budget();

/// The experiment as the options say, valid and within the memory budget. Trouble in a file is a failure; a setting
/// that is wrong, or that does not go with the rest, is a mistake in the command.
Result<ExperimentSource> load_source(const ExperimentOptions& options);

/// The experiment alone. Fails where `output`, unless that is empty, is a file that was read for it.
Result<Experiment> load_experiment(const ExperimentOptions& options, const std::filesystem::path& output = {});

/// The experiment, computed; `output` as above.
Result<std::shared_ptr<const Trace>> compute_experiment(const ExperimentOptions& options,
                                                        const std::filesystem::path& output = {});

}  // namespace attnscope
