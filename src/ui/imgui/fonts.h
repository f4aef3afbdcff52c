// The fonts of the window, at its scale.
#pragma once

#include <imgui.h>

#include <array>
#include <span>

#include "core/base/result.h"
#include "figure/model/figure.h"
#include "io/canvas/font_files.h"

namespace attnscope::ui {

/// One weight at one size.
struct Font {
  ImFont* font = nullptr;
  float size = 0;  ///< em, pixels
  float line = 0;  ///< ImGui's font size: ascent and descent, pixels
};

/// Whether fonts have this character without being asked for it: letters of Latin and Greek, mathematics, arrows.
bool is_always_loaded(char32_t character);

/// Inter with tabular figures, DejaVu Sans for other glyphs, and whatever is installed for what neither has, in the sizes
/// of the window and of figures.
class Fonts {
 public:
  /// Loads into the current ImGui context, for a scale of the whole window; replaces what was loaded before, unless the
  /// files cannot be read. Of the `wanted` characters, in order, those are loaded that some installed font has.
  static Result<Fonts> load(const FontFiles& files, float scale, std::span<const char32_t> wanted = {});

  /// The font in which text of `size` pixels is sharpest: the smallest at least as large.
  [[nodiscard]] const Font& nearest(FontWeight weight, float size) const;

  [[nodiscard]] const Font& small() const { return regular_[0]; }
  [[nodiscard]] const Font& body() const { return regular_[1]; }
  [[nodiscard]] const Font& heading() const { return semibold_[2]; }
  [[nodiscard]] const Font& strong() const { return semibold_[1]; }

 private:
  static constexpr std::array<float, 4> kSizes = {11, 13, 14, 18};

  std::array<Font, kSizes.size()> regular_;
  std::array<Font, kSizes.size()> semibold_;
};

}  // namespace attnscope::ui
