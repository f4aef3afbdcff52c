// Options that all commands on an experiment share: EXPERIMENT, --set, --labels, --picture, and what a model reads.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/trace/trace.h"
#include "io/experiments/experiment_file.h"
#include "io/models/model_texts.h"

namespace attnscope {

struct ExperimentOptions {
  std::string experiment;                ///< a file or a system's name
  std::vector<std::string> settings;     ///< NAME=VALUE
  std::string labels = {};               ///< a file of token labels; empty: none
  std::string picture = {};              ///< a PNG file; empty: none
  std::optional<std::string> text = {};  ///< what a model reads, and its second text
  std::optional<std::string> text2 = {};
  std::optional<std::string> tokens = {};  ///< the same as ids: "1,2,3"
  std::optional<std::string> tokens2 = {};
  std::vector<std::string> off = {};  ///< parts of a model: "layer2.head3"; otherwise heads: "layer1.head3"
  std::vector<std::string> mean = {};
  std::vector<std::string> patched = {};
  std::vector<std::string> masked = {};
  std::optional<std::string> patch_text = {};
  std::optional<std::string> patch_tokens = {};
  std::vector<std::string> edits = {};  ///< "w_q[0,1]=2.5"
};

void add_experiment_options(CLI::App& command, ExperimentOptions& options);

/// Bytes that an experiment may take: ATTNSCOPE_MEMORY_MB if it is set, otherwise kDefaultMemoryBudget.
Result<double> memory_budget();

/// What EXPERIMENT names, as it is there: the options change nothing yet.
Result<ExperimentSource> open_experiment(const ExperimentOptions& options);

/// The same, changed as the options say. Not yet validated: it may be given another text.
Result<Experiment> changed_experiment(const ExperimentOptions& options);

/// What --text2 or --tokens2 give; empty without them.
Result<GivenText> second_text(const ExperimentOptions& options);

/// The experiment that the options describe, valid and within the memory budget. An error in a file is a failure; an
/// invalid setting is a usage error.
Result<ExperimentSource> load_source(const ExperimentOptions& options);

/// The experiment alone. Fails if `output` is not empty and names one of the files read.
Result<Experiment> load_experiment(const ExperimentOptions& options, const std::filesystem::path& output = {});

/// What to warn of: what the trace warns of, and words that the model does not know.
std::vector<std::string> warnings_of(const Trace& trace);

/// The experiment, computed; `output` as above.
Result<std::shared_ptr<const Trace>> compute_experiment(const ExperimentOptions& options,
                                                        const std::filesystem::path& output = {});

}  // namespace attnscope
