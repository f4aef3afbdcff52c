// The fonts that come with the page.
#include "io/base/data_files.h"
#include "io/canvas/font_files.h"

namespace attnscope {

Result<FontFiles> find_font_files() {
  const Result<std::filesystem::path> folder = data_file("fonts");
  if (!folder) return tl::unexpected(folder.error());
  return FontFiles{*folder / "Inter-Regular.otf", *folder / "Inter-SemiBold.otf", *folder / "DejaVuSans.ttf"};
}

std::vector<FontFile> fonts_with(std::span<const char32_t> /*characters*/) { return {}; }

// Fonts are not embedded into what is written here: whoever shows it has them, or others.
Result<void> check_font(FigureFont /*font*/) { return {}; }

Result<void> check_fonts() { return {}; }

}  // namespace attnscope
