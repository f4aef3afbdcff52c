// The dialogs that keep work from being lost: what becomes of edits that are left, and of what another program left.
#pragma once

#include <optional>

#include "ui/panels/panels.h"

namespace attnscope::ui {

/// What is wrong, if anything, below the fields of a dialog.
void end_with_error(const UiState& state);

/// The question whether files are to be replaced; whether it is asked. Confirming the dialog answers it.
bool question_row(const UiState& state);

/// What becomes of edits before they are left: they are saved or not, or nothing is left.
std::optional<DialogResult> unsaved_dialog(UiState& state);

/// The list of unsaved work: each entry can be restored or discarded, or kept for later.
std::optional<DialogResult> left_behind_dialog(const Style& style, UiState& state);

}  // namespace attnscope::ui
