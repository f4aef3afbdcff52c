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
  /// The opacity of a line that stands for this share of 1. On dark it is that of two such lines on each other: one of a
  /// tenth could hardly be seen.
  [[nodiscard]] double opacity(double share) const { return is_dark ? share * (2 - share) : share; }
};

const Palette& palette(Theme theme);
std::string_view theme_name(Theme theme);
std::optional<Theme> parse_theme(std::string_view name);

}  // namespace attnscope
