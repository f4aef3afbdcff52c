// The desktop's file dialog by org.freedesktop.portal.FileChooser over D-Bus.
#pragma once

#include "io/desktop/file_dialog.h"

namespace attnscope {

/// See `ask_for_files`. Nothing where there is no session bus, or no portal with a file dialog on it.
Result<std::optional<ChosenFiles>> ask_portal(const FileQuestion& question, const StopToken& stop);

}  // namespace attnscope
