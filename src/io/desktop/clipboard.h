// Pictures on the desktop's clipboard, through the programs that desktops have for that.
#pragma once

#include <filesystem>

#include "core/base/result.h"

namespace attnscope {

/// Hands a PNG file to `wl-copy` under Wayland, to `xclip` under X11; whichever it is goes on offering the picture
/// after this program has ended. False where there is no such program; fails where it does not take the picture.
Result<bool> copy_png_to_clipboard(const std::filesystem::path& png);

}  // namespace attnscope
