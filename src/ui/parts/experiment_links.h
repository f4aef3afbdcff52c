// Links that are experiments, on the clipboard.
#pragma once

#include "ui/parts/open_files.h"
#include "ui/parts/shared.h"

namespace attnscope::ui {

/// Copies a link to the open experiment, or says why there is none.
void copy_link(Shared& shared);
/// Opens the link on the clipboard, or says that there is none.
void open_copied_link(Shared& shared, OpenFiles& files);

}  // namespace attnscope::ui
