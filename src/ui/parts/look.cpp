#include "ui/parts/look.h"

#include "ui/imgui/wanted_characters.h"

namespace attnscope::ui {

Result<void> Look::load() {
  apply_style(colors(), scale_);
  const Result<Fonts> fonts = Fonts::load(files_, scale_, wanted_characters().take());
  if (!fonts) return tl::unexpected(fonts.error());
  fonts_ = *fonts;
  stale_ = false;
  return {};
}

void Look::refresh(ImGuiHost& host) {
  if (!stale_ && !lacks_characters()) return;
  // The fonts were there at the start; should they be gone, the old ones stay.
  static_cast<void>(load());
  host.refresh_fonts();
  stale_ = false;
}

bool Look::lacks_characters() const { return wanted_characters().has_new(); }

void Look::set_scale(float scale) {
  stale_ = stale_ || scale != scale_;
  scale_ = scale;
}

void Look::set_theme(Theme theme) {
  theme_ = theme;
  apply_style(colors(), scale_);
}

}  // namespace attnscope::ui
