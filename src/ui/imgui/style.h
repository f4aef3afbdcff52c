// What panels need to paint themselves: fonts, colours, scale.
#pragma once

#include <imgui.h>

#include "figure/style/palette.h"
#include "platform/gl/image.h"
#include "ui/imgui/fonts.h"

namespace attnscope::ui {

/// Passed to every panel.
struct Style {
  const Fonts& fonts;
  const Palette& palette;
  float scale = 1;  ///< pixels per logical pixel

  [[nodiscard]] float px(double logical) const { return static_cast<float>(logical) * scale; }
};

ImU32 color(Rgb rgb, float alpha = 1);
/// The colour for the platform.
platform::Rgba rgba(Rgb rgb);

/// Sets ImGui's colours and sizes for the theme at this scale.
void apply_style(const Palette& palette, float scale);

}  // namespace attnscope::ui
