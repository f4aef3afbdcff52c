// Where files are suggested to be saved.
#pragma once

#include <string>

#include "app/session/workspace.h"
#include "io/desktop/user_state.h"
#include "ui/panels/ui_state.h"

namespace attnscope::ui {

/// The path of a new file for the open document, without an extension: next to the document's own file, tensors or
/// model. What came with the program is nobody's folder to save in: for that, the folder that a dialog used last, that
/// of a file that was opened before, the current one, or the home folder.
std::string suggested_stem(const Workspace& workspace, const UiState& state, const UserState& remembered);

/// Remembers the folder of a file that was chosen in a dialog; an empty path is none.
void note_folder(const std::string& path, UiState& state);

}  // namespace attnscope::ui
