// Where the parts of the window are.
#pragma once

#include <imgui.h>

#include "figure/style/geometry.h"

namespace attnscope::ui {

/// In ImGui's coordinates.
struct Areas {
  Rect parameters, tabs, center, inspector, lesson, status;
  bool has_inspector = false;
  bool has_lesson = false;
};

/// Parts that are not always there.
struct WantedParts {
  bool inspector = true;
  bool lesson = false;
};

/// Shares out a window of that size; `scale` is what one logical pixel has. Within an ImGui frame, below its menu bar.
Areas window_areas(ImVec2 display, float scale, const WantedParts& wanted);

}  // namespace attnscope::ui
