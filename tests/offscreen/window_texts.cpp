#include "offscreen/window_texts.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>

#include "figure/style/font_metrics.h"

namespace attnscope::test {
namespace {

#if IMGUI_VERSION_NUM < 19200

/// Where a glyph is in the font's picture, and how high it is there and on the screen.
struct PlacedGlyph {
  Rect place;
  char32_t letter = 0;
  double em = 0;      ///< of the font, pixels
  double height = 0;  ///< pixels, in that size
};

/// The type size of a font that was loaded with that height of a line: see Fonts.
double em_of_line(double line) {
  double em = std::floor(line / (kFontAscent + kFontDescent));
  while (std::floor(em * (kFontAscent + kFontDescent)) < line) ++em;
  return em;
}

class GlyphsOfFonts {
 public:
  GlyphsOfFonts() {
    for (const ImFont* font : ImGui::GetIO().Fonts->Fonts) {
      const double em = em_of_line(static_cast<double>(font->FontSize));
      for (const ImFontGlyph& glyph : font->Glyphs) {
        if (glyph.Visible == 0) continue;
        const Rect place = {static_cast<double>(glyph.U0), static_cast<double>(glyph.V0),
                            static_cast<double>(glyph.U1 - glyph.U0), static_cast<double>(glyph.V1 - glyph.V0)};
        by_corner_.insert_or_assign(
            std::pair(glyph.U0, glyph.V0),
            PlacedGlyph{place, glyph.Codepoint, em, static_cast<double>(glyph.Y1) - static_cast<double>(glyph.Y0)});
      }
    }
  }

  /// The glyph of a letter that a window shows all or a part of, or null.
  [[nodiscard]] const PlacedGlyph* find(const Rect& part) const {
    const auto exact = by_corner_.find(std::pair(static_cast<float>(part.x), static_cast<float>(part.y)));
    if (exact != by_corner_.end()) return &exact->second;
    for (const auto& [corner, glyph] : by_corner_) {
      if (glyph.place.contains(part.center())) return &glyph;
    }
    return nullptr;
  }

 private:
  std::map<std::pair<float, float>, PlacedGlyph> by_corner_;
};

double distance(const ImVec2& a, const ImVec2& b) {
  return std::hypot(static_cast<double>(a.x) - static_cast<double>(b.x),
                    static_cast<double>(a.y) - static_cast<double>(b.y));
}

/// The letter of four corners as ImGui writes it, or nothing.
void add_letter(const GlyphsOfFonts& glyphs, std::span<const ImDrawVert> corners, const ImDrawCmd& command,
                SeenLetter letter, std::vector<SeenLetter>& letters) {
  const ImVec2 from = corners[0].uv;
  const ImVec2 to = corners[2].uv;
  const Rect part = {static_cast<double>(from.x), static_cast<double>(from.y), static_cast<double>(to.x - from.x),
                     static_cast<double>(to.y - from.y)};
  if (part.width <= 0 || part.height <= 0) return;
  const PlacedGlyph* const glyph = glyphs.find(part);
  if (glyph == nullptr) return;
  letter.letter = glyph->letter;
  const double whole = distance(corners[0].pos, corners[3].pos) * glyph->place.height / part.height;
  letter.size = glyph->em * whole / glyph->height;
  letter.at = {static_cast<double>(corners[0].pos.x + corners[2].pos.x) / 2,
               static_cast<double>(corners[0].pos.y + corners[2].pos.y) / 2};
  const ImVec4& clip = command.ClipRect;
  const Rect seen = {static_cast<double>(clip.x), static_cast<double>(clip.y), static_cast<double>(clip.z - clip.x),
                     static_cast<double>(clip.w - clip.y)};
  if (seen.contains(letter.at)) letters.push_back(std::move(letter));
}

#endif

}  // namespace

std::vector<SeenLetter> seen_letters() {
  std::vector<SeenLetter> letters;
#if IMGUI_VERSION_NUM < 19200
  const ImDrawData& data = *ImGui::GetDrawData();
  const GlyphsOfFonts glyphs;
  const ImTextureID picture = ImGui::GetIO().Fonts->TexID;
  for (int i = 0; i < data.CmdListsCount; ++i) {
    const ImDrawList& list = *data.CmdLists[i];
    SeenLetter in_window;
    in_window.window = list._OwnerName == nullptr ? "" : list._OwnerName;
    for (const ImDrawCmd& command : list.CmdBuffer) {
      if (command.UserCallback != nullptr || command.GetTexID() != picture) continue;
      // A letter is two triangles, 0 1 2 and 0 2 3.
      for (unsigned int at = 0; at + 6 <= command.ElemCount;) {
        const ImDrawIdx* const corners = list.IdxBuffer.Data + command.IdxOffset + at;
        const ImDrawVert* const first = list.VtxBuffer.Data + command.VtxOffset + corners[0];
        const bool is_quad = corners[1] == corners[0] + 1 && corners[2] == corners[0] + 2 && corners[3] == corners[0] &&
                             corners[4] == corners[2] && corners[5] == corners[0] + 3;
        if (is_quad) add_letter(glyphs, {first, 4}, command, in_window, letters);
        at += is_quad ? 6 : 3;
      }
    }
  }
#endif
  return letters;
}

}  // namespace attnscope::test
