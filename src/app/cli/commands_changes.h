// Options that change parts of an experiment: heads and MLPs that are switched off or replaced, edited weights.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "app/cli/commands_experiment.h"
#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "io/models/model_texts.h"

namespace attnscope {

void add_change_options(CLI::App& command, ExperimentOptions& options);

/// Adds the interventions, heads that are off and edits that the options name; what the experiment says of the same part
/// or cell gives way. Two changes of one part or cell, and interventions other than heads of the first layer off where
/// there is no model, are a usage error. Whether the parts and cells are there, validation says.
Result<void> apply_changes(Experiment& experiment, const ExperimentOptions& options);

/// A text or the ids of its tokens, "1,2,3", of which at most one is given; `option` is named where the ids are wrong.
Result<GivenText> given_text(const char* option, const std::optional<std::string>& text,
                             const std::optional<std::string>& tokens);

}  // namespace attnscope
