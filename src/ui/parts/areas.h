// The areas of the panels in the window.
#pragma once

#include <imgui.h>

#include "figure/style/geometry.h"

namespace attnscope::ui {

/// In ImGui's coordinates.
struct Areas {
  Rect parameters, tabs, text, center, inspector, lesson, status;
  bool has_inspector = false;
  bool has_lesson = false;
  bool has_text = false;
};

/// The panels that can be hidden.
struct WantedParts {
  bool inspector = true;
  bool lesson = false;
  bool text = false;  ///< of a model
};

/// The areas in a window of that size, with `scale` pixels per logical pixel. Within an ImGui frame, below its menu
/// bar.
Areas window_areas(ImVec2 display, float scale, const WantedParts& wanted);

}  // namespace attnscope::ui
