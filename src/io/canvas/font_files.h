// The font files of the window.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

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

/// One face of a font file.
struct FontFile {
  std::filesystem::path path;
  int index = 0;  ///< of the face, where a file has several
};

/// Asks fontconfig. If there is no font at all, the error says which packages have fonts.
Result<FontFiles> find_font_files();

/// Fonts that together have those of the characters that any installed scalable font has, the best match first; each has
/// a character that none before it has.
std::vector<FontFile> fonts_with(std::span<const char32_t> characters);

/// Whether the font of a figure is installed; otherwise an error that names its package. Inter has others in its place.
Result<void> check_font(FigureFont font);

/// Whether there is any font, without which a picture has no text; otherwise the same error.
Result<void> check_fonts();

}  // namespace attnscope
