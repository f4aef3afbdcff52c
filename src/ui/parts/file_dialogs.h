// Lets the desktop's file dialog ask for paths, in the background; our own dialog asks where there is none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/jobs/background_task.h"
#include "io/desktop/file_dialog.h"
#include "ui/panels/panels.h"
#include "ui/parts/shared.h"

namespace attnscope::ui {

/// While the desktop asks, our dialog is open and says so: closing it closes the desktop's.
class FileDialogs {
 public:
  /// `parent_window`: see FileQuestion.
  FileDialogs(Shared& shared, FileDialogKind kind, std::string parent_window);

  /// Starts what the open dialog asks for and takes an answer; the result of a dialog that asks for a path only. Call
  /// it once a frame.
  std::optional<DialogResult> update();

 private:
  using Answer = Result<std::optional<ChosenFiles>>;
  /// The open dialog, and the desktop's that asks for its path.
  struct Asking {
    Dialog dialog;
    bool browses;  ///< our dialog stays and gets the path
    std::unique_ptr<BackgroundTask<Answer>> task;
  };

  void ask(bool browses);
  std::optional<DialogResult> take(const Asking& asking, const Answer& answer);
  void cancel();

  Shared& shared_;
  FileDialogKind kind_;
  std::string parent_window_;
  bool usable_;  ///< until it turns out that there is no such dialog
  std::optional<Asking> asking_;
  std::vector<Asking> ending_;  ///< cancelled; a desktop that hangs must not make the window wait
};

}  // namespace attnscope::ui
