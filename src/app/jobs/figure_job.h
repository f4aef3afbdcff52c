// Writes figures in the background.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/jobs/background_task.h"
#include "app/jobs/figure_builder.h"

namespace attnscope {

/// A figure to write.
struct FigureTask {
  FigureRequest request;  ///< with `file`
  ExperimentSource source;
  std::vector<std::filesystem::path> outputs;
  bool to_clipboard = false;  ///< the only output is a PNG in its own folder, which is removed after copying
};

/// The files of a figure.
struct WrittenFigure {
  std::vector<std::filesystem::path> files;
  bool copied = false;  ///< to the clipboard
  std::string caption = {};
};

/// Builds and writes a figure. A stop keeps the files that are written already; the result is an error that names them.
class FigureJob : public BackgroundTask<Result<WrittenFigure>> {
 public:
  /// `wake` is called from the thread at the end.
  FigureJob(FigureTask task, std::function<void()> wake);
};

}  // namespace attnscope
