// The file dialogs of the programs zenity (GNOME) and kdialog (KDE).
#pragma once

#include "io/desktop/file_dialog.h"

namespace attnscope {

/// See `ask_for_files`. Nothing where the program is not installed.
Result<std::optional<ChosenFiles>> ask_zenity(const FileQuestion& question, const StopToken& stop);
Result<std::optional<ChosenFiles>> ask_kdialog(const FileQuestion& question, const StopToken& stop);

}  // namespace attnscope
