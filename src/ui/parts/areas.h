// The areas of the panels in the window.
#pragma once

#include <imgui.h>

#include <optional>

#include "figure/style/geometry.h"
#include "ui/panels/ui_state.h"

namespace attnscope::ui {

/// Of the parameters in a narrow window, logical pixels.
inline constexpr double kLeastParametersWidth = 208;

/// Whether the window is as narrow and high as the screen of a phone: below the figure are the parameters, or what the
/// inspector says about the pinned cell.
bool is_upright(ImVec2 display, float scale);

/// In ImGui's coordinates.
struct Areas {
  Rect parameters, tabs, row, center, inspector, lesson, status;
  bool has_parameters = false;
  bool has_inspector = false;
  bool has_lesson = false;
  bool has_row = false;  ///< above the figure
  bool has_tabs = true;  ///< of the views, with the options of the open one
};

/// What there is to be shown.
struct WantedParts {
  ShownPanels panels;
  bool lesson = false;
  bool pinned = false;                       ///< a cell
  std::optional<double> lesson_height = {};  ///< that it needs, logical pixels; nothing: unknown
  double row = 0;        ///< height above the figure, logical pixels: what a model reads, or offers of what to open
  int status_lines = 1;  ///< of the status bar below a presented lesson
};

/// The width of a presented lesson's panel, in pixels.
double width_of_presented(ImVec2 display, float scale);

/// The width of a lesson's panel in such a window, in pixels.
double width_of_lesson(ImVec2 display, float scale, const ShownPanels& panels);

/// The areas in a window of that size, with `scale` pixels per logical pixel. Within an ImGui frame, below its menu
/// bar.
Areas window_areas(ImVec2 display, float scale, const WantedParts& wanted);

}  // namespace attnscope::ui
