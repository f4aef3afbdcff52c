// The program in its window.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "figure/style/palette.h"
#include "io/desktop/file_dialog.h"
#include "io/experiments/experiment_file.h"

namespace attnscope::ui {

struct WindowArguments {
  ExperimentSource source;     ///< validated
  std::string file;            ///< where Save writes; empty when nowhere yet
  std::optional<Theme> theme;  ///< nothing: the last one
  double ui_scale = 1;         ///< times the desktop's scale; 0.5 to 4
  double memory_budget = kDefaultMemoryBudget;
  bool named = false;  ///< the user named what to open
  std::string lesson;  ///< a file of one to open; empty: none
  FileDialogKind file_dialog = FileDialogKind::automatic;
  std::string without_window = {};  ///< for the message that there is no display: what works without one
};

/// Opens the window and returns when it is closed. Errors are one line: no display, OpenGL too old, a missing data
/// file.
Result<void> run_window(WindowArguments arguments);

}  // namespace attnscope::ui
