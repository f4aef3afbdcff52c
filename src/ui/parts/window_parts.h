// The areas that panels fill in the window. The backdrop, drawn under ImGui, paints each in its colour: panels
// themselves have no background.
#pragma once

#include <span>
#include <vector>

#include "figure/style/geometry.h"
#include "figure/style/palette.h"
#include "platform/gl/image.h"

namespace attnscope::ui {

/// Collects the areas of one frame. The gaps between them show the window's line colour.
class WindowParts {
 public:
  /// Forgets the areas of the last frame. Call it before the first panel of a frame.
  void clear() {
    areas_.clear();
    panels_.clear();
  }
  /// Adds an area; `place` is in ImGui's coordinates.
  void add(Rgb background, const Rect& place);
  /// Adds an area and begins a panel there; `ImGui::End` closes it. `name` outlives this object. `flags` are more ImGuiWindowFlags; `place` and
  /// `padding` are in ImGui's coordinates.
  void begin(const char* name, const Rect& place, int flags, Rgb background, Point padding);
  /// The names of the panels, in the order in which they were begun.
  [[nodiscard]] std::span<const char* const> panels() const { return panels_; }
  /// The areas in the order in which they were added, in pixels of the framebuffer.
  [[nodiscard]] std::span<const platform::ColoredArea> areas() const { return areas_; }

 private:
  std::vector<platform::ColoredArea> areas_;
  std::vector<const char*> panels_;
};

}  // namespace attnscope::ui
