// The areas of the window that panels fill, for the backdrop that is drawn under them.
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
  /// At the start of a frame.
  void clear() { areas_.clear(); }
  /// Adds an area, in ImGui's coordinates.
  void add(Rgb background, const Rect& place);
  /// Begins a panel on that background; `ImGui::End` closes it.
  void begin(const char* name, const Rect& place, int flags, Rgb background, Point padding);
  /// In pixels of the framebuffer.
  [[nodiscard]] std::span<const platform::ColoredArea> areas() const { return areas_; }

 private:
  std::vector<platform::ColoredArea> areas_;
};

}  // namespace attnscope::ui
