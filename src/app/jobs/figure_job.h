// Figures on their way to files, beside the window.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

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

/// Builds and writes a figure in a thread of its own.
class FigureJob {
 public:
  /// `wake` is called from the thread at the end.
  FigureJob(FigureTask task, std::function<void()> wake);
  /// Stops it and waits for that.
  ~FigureJob() = default;
  FigureJob(const FigureJob&) = delete;
  FigureJob& operator=(const FigureJob&) = delete;

  /// It ends soon; outputs that are there by then stay.
  void cancel() { thread_.request_stop(); }
  [[nodiscard]] bool cancelled() const { return thread_.get_stop_token().stop_requested(); }
  /// Waits for its end, no longer than `most`; whether it has come to that.
  bool wait(std::chrono::steady_clock::duration most) const;
  /// What has become of it, once it has ended. Where it was stopped, an error says so.
  [[nodiscard]] std::optional<Result<WrittenFigure>> result() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  std::optional<Result<WrittenFigure>> result_;
  std::jthread thread_;  // last: it uses what stands above
};

}  // namespace attnscope
