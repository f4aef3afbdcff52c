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
//     "tensors": "attention.npz"                     of own-tensors: the file that they are in, seen from this one's
//     folder
//     "tensors_saved": {…}                           what was in it, see saved_tensors.h
//   }
//
// All but format and system may be missing and are then as the system has them. Everything else is refused with one
// line that names file, field, value and what is allowed: a key that is unknown or there twice, a value of another type
// or out of range. Nothing is made to fit.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/experiment/experiment.h"

namespace attnscope {

/// Bytes that an experiment file may have; an explicit mask takes about six for each of its numbers.
inline constexpr std::uint64_t kMaxExperimentBytes = 64'000'000;
/// Token labels that an experiment may have, and the bytes of one.
inline constexpr std::size_t kMaxLabels = 65'536;
inline constexpr std::size_t kMaxLabelBytes = 256;

/// An experiment, and the one it is compared with, as a figure has them.
struct ExperimentSource {
  Experiment experiment;
  std::optional<Experiment> pinned = std::nullopt;
  bool is_other_file = false;  ///< it was read from a figure or from tensors, where no experiment can be saved
  std::string version = {};    ///< `content_version` of the file; empty where none can be saved in it
};

/// Reads an experiment, what a figure was made of, or makes the experiment that a file of tensors stands for, see
/// imported_tensor_file.h. Every value is within its own range; whether they go together,
/// and fit into memory, is for `validate`. The view and its options are the figures' business and only known to be
/// plain values here: whole numbers become Index, other numbers double.
Result<ExperimentSource> read_source(const std::filesystem::path& path);

/// The same from the text of an experiment; `name` stands for the file in messages. Other files that it names lie
/// relative to `folder`, without one to the current folder.
Result<Experiment> parse_experiment(std::string_view text, std::string_view name,
                                    const std::filesystem::path& folder = {});

/// The same of JSON that is part of another file; errors without a name.
Result<Experiment> experiment_from_json(const nlohmann::json& document, const std::filesystem::path& folder = {});

/// What the command line calls EXPERIMENT: a system's name, a file of any of those kinds, or "-" for tensors on
/// standard input. None of them is a mistake in the command (usage) unless it looks like a file's name; then the file
/// is missing (failure).
Result<ExperimentSource> open_source(const std::string& file_or_system);

/// `--set`: "heads=3", "seed=7", "mask=causal", "mask=[[true, false], [true, true]]". Errors are mistakes in the
/// command.
Result<void> apply_setting(Experiment& experiment, std::string_view setting);

/// The experiment as a file: every parameter, in the order of the system's table, so that the file explains itself.
/// `parse_experiment` reads back an equal experiment. The same text for the same experiment, with a newline at the end.
/// A file that it names is named as seen from `folder`, where the text is to lie, so that both can move together and
/// nobody reads where that was; with its whole path without a folder, or where nothing but the root is common to both.
std::string experiment_json(const Experiment& experiment, const std::filesystem::path& folder = {});

/// The same on one line, for the metadata of other files.
std::string compact_experiment_json(const Experiment& experiment, const std::filesystem::path& folder = {});

/// The folder of a file, as the functions above have it.
std::filesystem::path folder_of(const std::filesystem::path& file);

}  // namespace attnscope
