// The letters that the last frame of the interface put on the screen, read from what ImGui draws.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "figure/style/geometry.h"

namespace attnscope::test {

struct SeenLetter {
  std::string window;   ///< ImGui's name of the window that it is in
  char32_t letter = 0;  ///< 0: of a place in the font's picture that has several
  double size = 0;      ///< em, pixels
  Point at;             ///< its middle
};

/// All letters inside their windows after ImGui::Render. Those that are shown as pictures, because no loaded font has
/// them, are not among them. Empty since ImGui 1.92, which keeps its glyphs elsewhere.
std::vector<SeenLetter> seen_letters();

}  // namespace attnscope::test
