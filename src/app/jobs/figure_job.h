// Figures on their way to files, beside the window.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "app/jobs/background_task.h"
#include "app/jobs/figure_builder.h"

namespace attnscope {

/// A figure that is to be written.
struct FigureTask {
  FigureRequest request;  ///< with `file`
  ExperimentSource source;
  std::vector<std::filesystem::path> outputs;
  bool to_clipboard = false;  ///< the only output is a PNG in a folder of its own, which goes when it was taken
};

/// What has become of it.
struct WrittenFigure {
  std::vector<std::filesystem::path> files;
  bool copied = false;  ///< the desktop has the picture
};

/// Builds and writes a figure. Once it is stopped, outputs that are there by then stay, and the result is an error that
/// says so.
class FigureJob : public BackgroundTask<Result<WrittenFigure>> {
 public:
  /// `wake` is called from the thread at the end.
  FigureJob(FigureTask task, std::function<void()> wake);
};

}  // namespace attnscope
