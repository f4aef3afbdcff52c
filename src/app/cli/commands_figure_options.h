// Options that all commands writing figures share: view, page, text size and colours.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/commands_experiment.h"
#include "app/cli/commands_inputs.h"
#include "figure/views/view.h"
#include "io/figures/figure_file.h"

namespace attnscope {

struct FigureOptions : ExperimentOptions {
  std::string view;
  std::vector<std::string> view_options;  ///< "head=3"
  std::string pinned;
  std::optional<std::string> pinned_text = {};  ///< what the baseline's model reads
  std::optional<std::string> pinned_tokens = {};
  std::string theme = "paper";
  std::string width;
  std::string height;
  std::optional<double> font_points;
  std::string map;
  std::string range;
  std::string font = "inter";
  bool no_title = false;
  bool no_color_bar = false;
  bool no_values = false;
  bool no_labels = false;
  FigureFileOptions file;
};

/// Adds --view and --option.
void add_view_options(CLI::App& command, FigureOptions& options);

/// Adds those, --pinned, --theme, --width, …; the help of --dpi shows `options.file.dpi` as the default.
void add_figure_options(CLI::App& command, FigureOptions& options);

/// The file options, checked; a value out of range is a usage error.
Result<FigureFileOptions> file_options(const FigureOptions& options);

/// What to say of type that is smaller than --font-size asks for.
std::string smaller_type_warning(const SmallerType& type, const FigureOptions& options);

/// The view that the command names, otherwise the experiment's, with the options that the command sets. The
/// experiment's view options apply only to its own view.
Result<ViewOptions> selected_view(const FigureOptions& options, Experiment& experiment);

/// Records the baseline in `source` and `view`: the experiment that the command names, otherwise the baseline stored in
/// the opened figure.
Result<void> note_pinned(const FigureOptions& options, ExperimentSource& source, ViewOptions& view);

/// The files that the command reads, including those of the baseline in `source`.
std::vector<InputFile> figure_inputs(const FigureOptions& options, const ExperimentSource& source);

}  // namespace attnscope
