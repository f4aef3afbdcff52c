// Where the fonts of the window are.
#pragma once

#include <filesystem>

#include "core/base/result.h"
#include "figure/style/font_metrics.h"

namespace attnscope {

/// The font files of the window. `text` is Inter where it is installed, otherwise the best that the system has;
/// `mathematics` has the characters that Inter lacks.
struct FontFiles {
  std::filesystem::path regular;
  std::filesystem::path semibold;
  std::filesystem::path mathematics;
};

/// Asks fontconfig. The error says which packages hold the fonts, when there is none at all.
Result<FontFiles> find_font_files();

/// Whether there is a font at all, without which a picture would have no text; otherwise the same error.
Result<void> check_fonts();

}  // namespace attnscope
