// Pictures on the desktop's clipboard, through the desktop's programs for that.
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "core/base/stop.h"

namespace attnscope {

/// Hands a PNG file to `wl-copy` under Wayland, to `xclip` under X11; that program offers the picture even after this
/// one has ended. False if there is no such program; fails if it does not accept the picture, or when it is stopped.
Result<bool> copy_png_to_clipboard(const std::filesystem::path& png, const StopToken& stop = {});

}  // namespace attnscope
