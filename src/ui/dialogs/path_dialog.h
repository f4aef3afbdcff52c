// The dialogs that ask for a path and nothing else: open, open a picture, save, export tensors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/desktop/file_dialog.h"
#include "ui/panels/panels.h"

namespace attnscope::ui {

/// What such a dialog says, and which files it is about.
struct PathDialog {
  Dialog dialog;
  const char* title;
  std::string hint;
  const char* confirm;
  bool saves = false;
  const char* ending = "";               ///< of a name to save that has none
  std::vector<FileFilter> filters = {};  ///< the first one is active
  bool folder = false;                   ///< the desktop's dialog asks for a folder
};

/// The texts of a dialog that asks for a path, also of those that ask for more; null for another one.
const PathDialog* find_path_dialog(Dialog dialog);
/// Whether the dialog asks for a path and nothing else.
bool asks_for_path_only(Dialog dialog);
/// ".json" of "*.json", for all patterns of the first filter.
std::vector<std::string> endings_of(const PathDialog& dialog);

/// The inside of a dialog that asks for a path only; returns its result when it is confirmed.
std::optional<DialogResult> path_dialog(const Style& style, const PathDialog& text, UiState& state);

}  // namespace attnscope::ui
