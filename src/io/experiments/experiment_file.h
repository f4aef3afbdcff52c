// Experiments as JSON files, format "attnscope-experiment/1".
//
//   {
//     "format": "attnscope-experiment/1",
//     "system": "worked-example",
//     "seed": 42,                                    any unsigned 64-bit number
//     "discard": 0,                                  at most kMaxDiscard
//     "params": {"tokens": 6, "mask": "causal"},     parameters of the system
//     "labels": ["the", "cat"],                      of the tokens
//     "view": {"name": "heads", "options": {}},
//     "picture": {"rows": 1, "columns": 1, "rgb": "e65a28"},    see picture_json.h
//     "tensors": "attention.npz"                     of own-tensors: their file, relative to this one's folder
//     "tensors_saved": {…}                           what was in it, see saved_tensors.h
//     "model": "../models/story", "text": "…"        of transformer: its folder and what it reads, see model_json.h
//   }
//
// All but format and system may be missing; the system's defaults apply then. Everything else is refused with one line
// that names file, field, value and limit: a key that is unknown or appears twice, a value of another type or out of
// range. No value is adjusted.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/experiment/experiment.h"

namespace attnscope {

/// The most bytes that an experiment file may have; an explicit mask takes about six for each of its values.
inline constexpr std::uint64_t kMaxExperimentBytes = 64'000'000;

/// An experiment and, in a figure that compares, its baseline.
struct ExperimentSource {
  Experiment experiment;
  std::optional<Experiment> pinned = std::nullopt;
  bool is_other_file = false;  ///< it was read from a figure, tensors, a model or a link, and cannot be saved there
  std::string version = {};    ///< `content_version` of the file; empty where none can be saved in it
};

/// Reads an experiment, the source of a figure, or the experiment that a link (see experiment_link.h), a file of tensors
/// (see imported_tensor_file.h) or a model's folder (see model_texts.h) stands for. Every value is within its own range; `validate` checks whether they go together and fit
/// into memory. The view and its options belong to the figures; here they are only known to be plain values: whole
/// numbers become Index, other numbers double.
Result<ExperimentSource> read_source(const std::filesystem::path& path);

/// The same from the text of an experiment; messages call the file `name`. Paths in the text are relative to `folder`,
/// or to the current folder if that is empty.
Result<Experiment> parse_experiment(std::string_view text, std::string_view name,
                                    const std::filesystem::path& folder = {});

/// The same for JSON inside another file; errors omit a name.
Result<Experiment> experiment_from_json(const nlohmann::json& document, const std::filesystem::path& folder = {});

/// What the command line calls EXPERIMENT: the name of a system, a link, a file of any of those kinds, or "-" for tensors on
/// standard input. Anything else is a mistake in the command (usage), unless it looks like a file's name: then the file
/// is missing (failure).
Result<ExperimentSource> open_source(const std::string& file_or_system);

/// `--set`: "heads=3", "seed=7", "mask=causal", "mask=[[true, false], [true, true]]". Errors are mistakes in the
/// command.
Result<void> apply_setting(Experiment& experiment, std::string_view setting);

/// The experiment as a file: every parameter, in the order of the system's table, to make the file explain itself.
/// `parse_experiment` reads back an equal experiment. The same experiment gives the same text, with a newline at the
/// end. A path in it is relative to `folder`, where the text will be: both can move together, and nobody learns where
/// that was. The path is absolute without a folder, or if the two have only the root in common.
std::string experiment_json(const Experiment& experiment, const std::filesystem::path& folder = {});

/// The same on one line, for the metadata of other files.
std::string compact_experiment_json(const Experiment& experiment, const std::filesystem::path& folder = {});

/// The folder of a file, as the functions above expect it.
std::filesystem::path folder_of(const std::filesystem::path& file);

}  // namespace attnscope
