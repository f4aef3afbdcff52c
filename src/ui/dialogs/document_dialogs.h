// The dialogs that keep work from being lost: unsaved edits, and unsaved work of programs that ended.
#pragma once

#include <optional>

#include "ui/panels/panels.h"

namespace attnscope::ui {

/// Shows the dialog's error, if any.
void end_with_error(const UiState& state);

/// Shows the question about files to replace, if any; whether there is one. Confirming the dialog answers it.
bool question_row(const UiState& state);

/// Asks whether to save edits before leaving them, not to, or to stay.
std::optional<DialogResult> unsaved_dialog(UiState& state);

/// Lists unsaved work, to restore or discard each entry.
std::optional<DialogResult> left_behind_dialog(const Style& style, UiState& state);

}  // namespace attnscope::ui
