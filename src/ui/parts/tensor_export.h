// Exports the tensors on screen as a file.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/jobs/background_task.h"
#include "core/base/result.h"
#include "ui/panels/panels.h"
#include "ui/parts/shared.h"

namespace attnscope::ui {

/// Files are written in the background, one at a time: many numbers take a while.
class TensorExport {
 public:
  explicit TensorExport(Shared& shared) : shared_(shared) {}

  /// Writes the tensors to the file of the confirmed dialog and closes it, or asks in it first whether to replace the
  /// file.
  void carry_out(const DialogResult& result);
  /// Reports a file that was written since the last frame.
  void take_written();
  /// Stops writing; what was there before stays.
  void cancel();
  /// "writing a.npz …" for the status bar; empty: nothing is being written.
  [[nodiscard]] std::string writing_text() const;
  [[nodiscard]] bool busy() const { return writing_ && !writing_->task.result(); }

 private:
  struct Writing {
    Writing(const std::shared_ptr<const Trace>& trace, const std::filesystem::path& to,
            const std::function<void()>& wake);

    std::filesystem::path path;
    BackgroundTask<Result<void>> task;
  };

  Shared& shared_;
  std::optional<Writing> writing_;
};

}  // namespace attnscope::ui
