// The font files of the window.
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "figure/style/font_metrics.h"

namespace attnscope {

/// The font files of the window. `text` is Inter if it is installed, otherwise the best that the system has;
/// `mathematics` has the characters that Inter lacks.
struct FontFiles {
  std::filesystem::path regular;
  std::filesystem::path semibold;
  std::filesystem::path mathematics;
};

/// Asks fontconfig. If there is no font at all, the error says which packages have fonts.
Result<FontFiles> find_font_files();

/// Whether there is any font, without which a picture has no text; otherwise the same error.
Result<void> check_fonts();

}  // namespace attnscope
