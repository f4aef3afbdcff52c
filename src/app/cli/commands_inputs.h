// What a command reads, which it never writes over.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "app/cli/commands_experiment.h"
#include "core/base/result.h"

namespace attnscope {

/// A file that a command reads.
struct InputFile {
  std::string what;  ///< "the experiment", "--labels"
  std::filesystem::path path;
};

/// The files that `options` name and those that the experiments in `source` name in turn. "-" is standard input, which
/// is a file where the shell was told so.
std::vector<InputFile> input_files(const ExperimentOptions& options, const ExperimentSource& source);

/// Fails, as what cannot be done, where one of `outputs` is one of the `inputs`: by device and number, so that it is
/// found behind links of all kinds, to files and to folders. The message names both.
Result<void> check_spares_inputs(std::span<const std::filesystem::path> outputs, std::span<const InputFile> inputs);

/// Fails where what is read from standard input could not be: a folder, or nothing that can be read.
Result<void> check_standard_input();

}  // namespace attnscope
