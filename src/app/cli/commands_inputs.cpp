#include "app/cli/commands_inputs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "core/experiment/system.h"
#include "io/base/printable.h"
#include "io/models/model_file.h"

namespace attnscope {
namespace {

constexpr const char* kStandardInput = "-";

/// Device and inode of a file, independent of its name; nothing if it does not exist.
std::optional<std::pair<::dev_t, ::ino_t>> identity(const std::filesystem::path& path) {
  struct ::stat status = {};
  const int found = path == kStandardInput ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
  // Writing to a device loses nothing.
  if (found != 0 || S_ISCHR(status.st_mode)) return std::nullopt;
  return std::pair(status.st_dev, status.st_ino);
}

void add_files(const Experiment& experiment, const std::string& what, std::vector<InputFile>& files) {
  if (experiment.tensors != nullptr) files.push_back({what, experiment.tensors->file()});
  if (experiment.model == nullptr) return;
  for (const std::string& file : files_of_model(*experiment.model)) files.push_back({"a part of the model", file});
}

}  // namespace

std::vector<InputFile> input_files(const ExperimentOptions& options, const ExperimentSource& source) {
  std::vector<InputFile> files;
  if (!options.experiment.empty() && find_system(options.experiment) == nullptr)
    files.push_back({"the experiment", options.experiment});
  if (!options.labels.empty()) files.push_back({"--labels", options.labels});
  if (!options.picture.empty()) files.push_back({"--picture", options.picture});
  add_files(source.experiment, "the experiment's tensors", files);
  if (source.pinned) add_files(*source.pinned, "the tensors of the baseline", files);
  return files;
}

Result<void> check_spares_inputs(std::span<const std::filesystem::path> outputs, std::span<const InputFile> inputs) {
  for (const std::filesystem::path& output : outputs) {
    // An output "-" is a file of that name, not standard input.
    const auto written = identity(output == kStandardInput ? "./-" : output);
    if (!written) continue;
    for (const InputFile& input : inputs) {
      if (identity(input.path) != written) continue;
      return fail(path_text(output) + ": this command reads it as " + input.what +
                  "; allowed: a file that the command does not read");
    }
  }
  return {};
}

Result<void> check_standard_input() {
  struct ::stat status = {};
  if (::fstat(STDIN_FILENO, &status) == 0 && S_ISDIR(status.st_mode))
    return fail("standard input: is a folder; allowed: a tensor file or stream");
  char nothing = 0;
  if (::read(STDIN_FILENO, &nothing, 0) < 0) return fail("standard input: " + std::generic_category().message(errno));
  return {};
}

}  // namespace attnscope
