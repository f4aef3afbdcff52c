// The files that a command reads, and therefore never overwrites.
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

/// The files that `options` name, and those that the experiments in `source` name in turn. "-" is standard input, which
/// may be redirected from a file.
std::vector<InputFile> input_files(const ExperimentOptions& options, const ExperimentSource& source);

/// Fails if one of `outputs` is one of the `inputs`. Compares device and inode numbers, and therefore sees through
/// links of all kinds; character devices such as /dev/null are always allowed. The message names the output and the
/// input's role; the error is not a usage error.
Result<void> check_spares_inputs(std::span<const std::filesystem::path> outputs, std::span<const InputFile> inputs);

/// Fails if standard input is a folder or cannot be read.
Result<void> check_standard_input();

}  // namespace attnscope
