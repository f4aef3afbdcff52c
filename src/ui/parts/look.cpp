#include "ui/parts/look.h"

#include "ui/imgui/wanted_characters.h"

namespace attnscope::ui {

Result<void> Look::load() {
  apply_style(colors(), scale());
  const Result<Fonts> fonts = Fonts::load(files_, scale(), wanted_characters().take());
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
  stale_ = stale_ || scale != desktop_;
  desktop_ = scale;
}

void Look::set_size(double size) {
  stale_ = stale_ || size != size_;
  size_ = size;
}

void Look::set_theme(Theme theme) {
  theme_ = theme;
  apply_style(colors(), scale());
}

}  // namespace attnscope::ui
