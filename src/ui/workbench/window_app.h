// The program in its window.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "figure/style/palette.h"
#include "io/experiments/experiment_file.h"

namespace attnscope::ui {

struct WindowArguments {
  ExperimentSource source;     ///< validated
  std::string file;            ///< where Save writes; empty when nowhere yet
  std::optional<Theme> theme;  ///< nothing: as it was last
  double ui_scale = 1;         ///< on top of what the desktop asks for; 0.5 to 4
  double memory_budget = kDefaultMemoryBudget;
  bool named = false;               ///< the user said what to open
  std::string without_window = {};  ///< what can be done without a display, for the message that there is none
};

/// Opens the window and returns when it is closed. Errors are one line: no display, OpenGL too old, a file of the
/// program missing.
Result<void> run_window(WindowArguments arguments);

}  // namespace attnscope::ui
