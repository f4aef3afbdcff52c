// The field for a path in dialogs of our own: with completion, a list of the folder, and a way to the desktop's dialog.
#pragma once

#include <span>
#include <string>

#include "ui/panels/panels.h"

namespace attnscope::ui {

/// What was done in the field.
struct PathFieldResult {
  bool edited = false;
  bool entered = false;  ///< Enter was pressed
};

/// A field of that width for `dialog.path`, which gets the keyboard when the dialog appears. Tab completes names that
/// end in one of `endings` (none: all files). Where the desktop has a file dialog, a button after the field opens it.
PathFieldResult path_field(DialogState& dialog, const char* hint, float width, std::span<const std::string> endings);

/// The folders and files in the folder of `dialog.path`, to choose from; true when a file was double-clicked.
bool folder_list(const Style& style, DialogState& dialog, float width, std::span<const std::string> endings);

}  // namespace attnscope::ui
