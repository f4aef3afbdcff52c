// Colours of the window and of figures.
#pragma once

#include <optional>
#include <string_view>

#include "figure/style/colormap.h"
#include "figure/style/ink.h"

namespace attnscope {

enum class Theme { dark, light, paper };

struct Palette {
  Rgb background;  ///< behind figures
  Rgb panel;
  Rgb control;
  Rgb line;
  Rgb text;
  Rgb dim;
  Rgb accent;
  bool is_dark = false;  ///< the background

  [[nodiscard]] Rgb ink(Ink role) const;
  /// The colour of data without a colour map. Hues are the same in every theme, but for the blue on dark.
  [[nodiscard]] Rgb color(const Shade& shade) const;
};

const Palette& palette(Theme theme);
std::string_view theme_name(Theme theme);
std::optional<Theme> parse_theme(std::string_view name);

}  // namespace attnscope
