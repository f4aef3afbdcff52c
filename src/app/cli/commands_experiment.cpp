#include "app/cli/commands_experiment.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include "app/cli/commands_changes.h"
#include "app/cli/commands_inputs.h"
#include "app/session/text_edits.h"
#include "core/base/text.h"
#include "core/experiment/system.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "io/base/file_formats.h"
#include "io/base/printable.h"
#include "io/experiments/experiment_link.h"
#include "io/experiments/labels_file.h"
#include "io/figures/png_picture.h"
#include "io/models/model_folder.h"
#include "io/models/model_texts.h"
#include "io/tensors/tensor_format.h"

namespace attnscope {

void add_experiment_options(CLI::App& command, ExperimentOptions& options) {
  command
      .add_option("EXPERIMENT", options.experiment,
                  "An experiment (.json), a figure written by attnscope, a link to an experiment, a tensor file (" +
                      extension_list(tensor_formats(), ", ") +
                      "; - for standard input), the folder of a model, or the name of a system")
      ->required()
      ->type_name("");
  command.add_option("--set", options.settings, "Set a parameter, seed or discard; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--picture", options.picture, "The picture, for systems and models that see one")
      ->type_name("FILE.png");
  command.add_option("--labels", options.labels, kLabelsHelp)->type_name("FILE");
  CLI::Option* const text = command.add_option("--text", options.text, "The text that a model reads");
  CLI::Option* const text2 =
      command.add_option("--text2", options.text2, "The second text: of a pair, or the one that a decoder continues");
  text->type_name("TEXT");
  text2->type_name("TEXT");
  command.add_option("--tokens", options.tokens, "The ids of the tokens that a model reads, instead of --text")
      ->type_name("ID,…")
      ->excludes(text);
  command.add_option("--tokens2", options.tokens2, "The ids of the second text, instead of --text2")
      ->type_name("ID,…")
      ->excludes(text2);
  add_change_options(command, options);
}

namespace {

/// Gives the experiment the picture that the command names. An error in the file is a failure; a system without pixels
/// is a usage error.
Result<void> apply_picture(Experiment& experiment, const std::string& file) {
  if (file.empty()) return {};
  const Result<ColorPicture> picture = read_png_picture(file);
  if (!picture) return tl::unexpected(picture.error());
  if (const Result<void> set = set_picture(experiment, *picture); !set)
    return fail("--" + set.error().message, Error::Kind::usage);
  return {};
}

/// Gives a model the texts that the command names. Texts for anything else are a usage error.
Result<void> apply_texts(Experiment& experiment, const ExperimentOptions& options) {
  const Result<GivenText> first = given_text("--tokens", options.text, options.tokens);
  if (!first) return tl::unexpected(first.error());
  const Result<GivenText> second = second_text(options);
  if (!second) return tl::unexpected(second.error());
  if (first->empty() && second->empty()) return {};
  if (experiment.model == nullptr) {
    const std::string option =
        first->empty() ? (second->text ? "--text2" : "--tokens2") : (first->text ? "--text" : "--tokens");
    return fail(option + ": allowed only with a model", Error::Kind::usage);
  }
  return set_texts(experiment, *first, *second);
}

/// What is wrong with an experiment, behind what was opened, unless the message names that itself: what a model refuses
/// may come from its folder.
std::string named_refusal(const ExperimentOptions& options, const Experiment& experiment, const std::string& message) {
  const bool is_named = experiment.model != nullptr && belongs_to_model(options.experiment) &&
                        message.find(experiment.model->folder()) != std::string::npos;
  const bool is_system = find_system(options.experiment) != nullptr;
  return (is_named || is_system ? "" : source_text(options.experiment) + ": ") + printable(message);
}

/// Changes the experiment as the options say.
Result<void> apply_options(Experiment& experiment, const ExperimentOptions& options) {
  if (Result<void> given = apply_texts(experiment, options); !given) {
    if (given.error().kind == Error::Kind::usage) return given;
    return fail(named_refusal(options, experiment, given.error().message), given.error().kind);
  }
  for (const std::string& setting : options.settings) {
    if (Result<void> set = apply_setting(experiment, setting); !set) return set;
  }
  if (Result<void> changed = apply_changes(experiment, options); !changed) {
    if (changed.error().kind == Error::Kind::usage) return changed;
    return fail(named_refusal(options, experiment, changed.error().message), changed.error().kind);
  }
  if (!options.labels.empty()) {
    Result<std::vector<std::string>> labels = read_labels_file(options.labels);
    if (!labels) return tl::unexpected(labels.error());
    experiment.labels = std::move(*labels);
  }
  return apply_picture(experiment, options.picture);
}

}  // namespace

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

Result<ExperimentSource> open_experiment(const ExperimentOptions& options) {
  if (options.experiment == "-") {
    if (const Result<void> readable = check_standard_input(); !readable) return tl::unexpected(readable.error());
  }
  return open_source(options.experiment);
}

Result<Experiment> changed_experiment(const ExperimentOptions& options) {
  Result<ExperimentSource> opened = open_experiment(options);
  if (!opened) return tl::unexpected(opened.error());
  if (const Result<void> changed = apply_options(opened->experiment, options); !changed)
    return tl::unexpected(changed.error());
  return std::move(opened->experiment);
}

Result<GivenText> second_text(const ExperimentOptions& options) {
  return given_text("--tokens2", options.text2, options.tokens2);
}

Result<ExperimentSource> load_source(const ExperimentOptions& options) {
  const Result<double> budget = memory_budget();
  if (!budget) return tl::unexpected(budget.error());
  Result<ExperimentSource> opened = open_experiment(options);
  if (!opened) return opened;
  Experiment experiment = opened->experiment;
  if (const Result<void> changed = apply_options(experiment, options); !changed) return tl::unexpected(changed.error());
  if (const Result<void> valid = validate(experiment, kUnlimitedMemory); !valid) {
    if (!options.settings.empty() && validate(opened->experiment, kUnlimitedMemory))
      return fail("--set " + valid.error().message, Error::Kind::usage);
    return fail(named_refusal(options, experiment, valid.error().message));
  }
  opened->experiment = std::move(experiment);
  for (const Experiment* each : {&opened->experiment, opened->pinned ? &*opened->pinned : nullptr}) {
    if (each == nullptr) continue;
    if (const Result<void> fits = validate(*each, *budget); !fits)
      return fail(named_refusal(options, *each, fits.error().message) + "; ATTNSCOPE_MEMORY_MB sets the limit");
  }
  return opened;
}

Result<Experiment> load_experiment(const ExperimentOptions& options, const std::filesystem::path& output) {
  Result<ExperimentSource> source = load_source(options);
  if (!source) return tl::unexpected(source.error());
  if (const Result<void> spared = check_spares_inputs({&output, 1}, input_files(options, *source)); !spared)
    return tl::unexpected(spared.error());
  return std::move(source->experiment);
}

std::vector<std::string> warnings_of(const Trace& trace) {
  std::vector<std::string> warnings(trace.warnings().begin(), trace.warnings().end());
  const std::vector<std::string> unknown = warnings_of_unknown_tokens(trace.experiment());
  warnings.insert(warnings.end(), unknown.begin(), unknown.end());
  return warnings;
}

Result<std::shared_ptr<const Trace>> compute_experiment(const ExperimentOptions& options,
                                                        const std::filesystem::path& output) {
  const Result<Experiment> experiment = load_experiment(options, output);
  if (!experiment) return tl::unexpected(experiment.error());
  return Executor(*memory_budget()).run(*experiment);
}

}  // namespace attnscope
