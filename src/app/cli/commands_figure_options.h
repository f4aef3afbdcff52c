// What the commands that write figures have in common: the view, the page, the type and the colours.
#pragma once

#include <CLI/CLI.hpp>
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
  std::string theme = "paper";
  std::string width;
  std::string height;
  std::string map;
  std::string range;
  bool no_title = false;
  bool no_color_bar = false;
  bool no_values = false;
  bool no_labels = false;
  FigureFileOptions file;
};

/// --view, --pinned, --theme, --width, …; the help of --dpi says what `options.file.dpi` is.
void add_figure_options(CLI::App& command, FigureOptions& options);

/// What the options say about the file, in range; otherwise a usage error.
Result<FigureFileOptions> file_options(const FigureOptions& options);

/// The view that the command names, otherwise the experiment's own, with the options that the command sets. Options of
/// the experiment hold only for its own view.
Result<ViewOptions> selected_view(const FigureOptions& options, Experiment& experiment);

/// Notes in `source` and `view` what the view compares with: the experiment that the command names, otherwise the one
/// that a figure was compared with which is opened.
Result<void> note_pinned(const FigureOptions& options, ExperimentSource& source, ViewOptions& view);

/// The files that such a command reads; `source` with what it compares with.
std::vector<InputFile> figure_inputs(const FigureOptions& options, const ExperimentSource& source);

}  // namespace attnscope
