// The figure that a command writes.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/cli/commands_figure_options.h"
#include "core/trace/trace.h"
#include "io/figures/fitted_figure.h"

namespace attnscope {

struct CommandFigure {
  ExperimentSource source;
  FittedFigure fitted;
  std::vector<std::string> warnings;  ///< one line each
  // What the figure was built from.
  std::shared_ptr<const Trace> trace;
  std::shared_ptr<const Trace> pinned;  ///< the baseline; null: none
};

/// Computes the experiment that the options name, and builds the view for a file with the options `file`, which are
/// checked. Fails if one of `outputs` is a file that is read.
Result<CommandFigure> command_figure(const FigureOptions& options, const FigureFileOptions& file,
                                     std::span<const std::filesystem::path> outputs);

}  // namespace attnscope
