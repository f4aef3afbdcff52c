// Theme, scale and fonts of the window.
#pragma once

#include <optional>

#include "io/canvas/font_files.h"
#include "ui/imgui/fonts.h"
#include "ui/imgui/imgui_host.h"
#include "ui/imgui/style.h"

namespace attnscope::ui {

class Look {
 public:
  Look(Theme theme, float scale, FontFiles files) : theme_(theme), desktop_(scale), files_(std::move(files)) {}

  /// Loads fonts and colours before the first frame; fails where a font cannot be read.
  Result<void> load();
  /// Loads them again after the scale changed, or where texts have new characters; between frames.
  void refresh(ImGuiHost& host);
  /// Whether what was drawn has characters that the fonts have not been loaded with.
  [[nodiscard]] bool lacks_characters() const;

  /// Pixels per logical pixel at normal size.
  void set_scale(float scale);
  /// How large everything is, as a share of the normal size.
  void set_size(double size);
  [[nodiscard]] double size() const { return size_; }
  void set_theme(Theme theme);
  [[nodiscard]] Theme theme() const { return theme_; }
  /// Pixels per logical pixel of normal size.
  [[nodiscard]] float desktop_scale() const { return desktop_; }
  [[nodiscard]] float scale() const { return desktop_ * static_cast<float>(size_); }
  [[nodiscard]] const Palette& colors() const { return palette(theme_); }
  /// For panels, once loaded.
  [[nodiscard]] Style style() const { return {*fonts_, colors(), scale()}; }

 private:
  Theme theme_;
  float desktop_;
  double size_ = 1;
  FontFiles files_;
  std::optional<Fonts> fonts_;
  bool stale_ = true;
};

}  // namespace attnscope::ui
