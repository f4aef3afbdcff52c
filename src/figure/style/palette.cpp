#include "figure/style/palette.h"

namespace attnscope {
namespace {

constexpr Rgb hex(unsigned color) {
  return {static_cast<std::uint8_t>(color >> 16U), static_cast<std::uint8_t>(color >> 8U),
          static_cast<std::uint8_t>(color)};
}

constexpr Palette kDark = {hex(0x14161A), hex(0x1B1E24), hex(0x262B34), hex(0x333A46),
                           hex(0xE7E9ED), hex(0x97A1B1), hex(0x5AA9FF), true};
constexpr Palette kLight = {hex(0xF5F6F8), hex(0xFFFFFF), hex(0xECEFF3), hex(0xD5DAE2),
                            hex(0x1C2026), hex(0x5F6978), hex(0x1769C4)};
constexpr Palette kPaper = {hex(0xFFFFFF), hex(0xFFFFFF), hex(0xFFFFFF), hex(0xB8BEC8),
                            hex(0x000000), hex(0x555B66), hex(0x1769C4)};

}  // namespace

Rgb Palette::ink(Ink role) const {
  switch (role) {
    case Ink::text: return text;
    case Ink::dim: return dim;
    case Ink::accent: return accent;
    case Ink::line: return line;
    case Ink::control: return control;
  }
  return text;
}

Rgb Palette::color(const Shade& shade) const {
  return shade.hue < 0 ? ink(shade.ink) : categorical_color(shade.hue, is_dark);
}

const Palette& palette(Theme theme) { return theme == Theme::dark ? kDark : theme == Theme::light ? kLight : kPaper; }

std::string_view theme_name(Theme theme) {
  return theme == Theme::dark ? "dark" : theme == Theme::light ? "light" : "paper";
}

std::optional<Theme> parse_theme(std::string_view name) {
  for (const Theme theme : {Theme::dark, Theme::light, Theme::paper}) {
    if (theme_name(theme) == name) return theme;
  }
  return std::nullopt;
}

}  // namespace attnscope
