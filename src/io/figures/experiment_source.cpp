// Experiments are read from files of their own, from links, from figures, from files of tensors and from models.
#include <iostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/experiment/system.h"
#include "io/base/file.h"
#include "io/base/file_formats.h"
#include "io/base/printable.h"
#include "io/experiments/experiment_file.h"
#include "io/experiments/experiment_link.h"
#include "io/experiments/imported_tensor_file.h"
#include "io/figures/content_version.h"
#include "io/figures/figure_source.h"
#include "io/figures/png_picture.h"
#include "io/models/model_file.h"
#include "io/models/model_folder.h"
#include "io/models/model_texts.h"
#include "io/tensors/tensor_format.h"

namespace attnscope {
namespace {

/// Whether `name` can only mean a file.
bool looks_like_file(const std::string& name) {
  return name.find('/') != std::string::npos || std::filesystem::path(name).has_extension();
}

/// Gives a model of pictures its example. One that cannot be used is no reason not to open the model.
void give_example_picture(Experiment& experiment) {
  const std::optional<std::filesystem::path> file = example_picture(*experiment.model);
  const Result<ColorPicture> picture = file ? read_png_picture(*file) : ColorPicture();
  if (!picture || picture->empty() || !set_picture(experiment, *picture)) experiment.picture = {};
}

}  // namespace

Result<ExperimentSource> read_source(const std::filesystem::path& path) {
  std::error_code error;
  // A file may be named like one.
  if (is_experiment_link(path.native()) && !std::filesystem::exists(path, error)) {
    Result<Experiment> experiment = read_experiment_link(path.native());
    if (!experiment) return tl::unexpected(experiment.error());
    return ExperimentSource{std::move(*experiment), std::nullopt, true};
  }
  if (belongs_to_model(path)) {
    Result<Experiment> experiment = experiment_of_model(path);
    if (!experiment) return tl::unexpected(experiment.error());
    give_example_picture(*experiment);
    return ExperimentSource{std::move(*experiment), std::nullopt, true};
  }
  if (find_format(tensor_formats(), path) != nullptr) {
    Result<Experiment> experiment = experiment_of_tensors(path);
    if (!experiment) return tl::unexpected(experiment.error());
    return ExperimentSource{std::move(*experiment), std::nullopt, true};
  }
  if (const Result<void> readable = check_no_pickle(path); !readable) return tl::unexpected(readable.error());
  const Result<std::string> text = read_file(path, kMaxExperimentBytes);
  if (!text) return tl::unexpected(text.error());
  if (is_figure_file(*text)) return parse_figure_source(*text, path_text(path), folder_of(path));
  Result<Experiment> experiment = parse_experiment(*text, path_text(path), folder_of(path));
  if (!experiment) return tl::unexpected(experiment.error());
  return ExperimentSource{std::move(*experiment), std::nullopt, false, content_version(*text)};
}

Result<ExperimentSource> open_source(const std::string& file_or_system) {
  if (find_system(file_or_system) != nullptr) return ExperimentSource{*default_experiment(file_or_system)};
  if (file_or_system == "-") {
    Result<Experiment> experiment = experiment_of_stream(std::cin);
    if (!experiment) return tl::unexpected(experiment.error());
    return ExperimentSource{std::move(*experiment), std::nullopt, true};
  }
  std::error_code error;
  if (is_experiment_link(file_or_system) || looks_like_file(file_or_system) ||
      std::filesystem::exists(file_or_system, error))
    return read_source(file_or_system);
  std::vector<std::string> names;
  for (const System& system : systems()) names.push_back(system.name);
  const std::string nearest = suggestion_text(file_or_system, names);
  return fail(attnscope::quoted_text(file_or_system) + " is neither a file nor a system" +
                  (nearest.empty() ? "; the systems are " + join(names, ", ") : nearest),
              Error::Kind::usage);
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(file, error);
  return (error ? file : absolute.lexically_normal()).parent_path();
}

}  // namespace attnscope
