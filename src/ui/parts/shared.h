// What the parts of the window work on together.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "app/session/workspace.h"
#include "platform/heatmap/heatmap.h"
#include "ui/imgui/imgui_canvas.h"
#include "ui/panels/ui_state.h"
#include "ui/parts/traces.h"

namespace attnscope::ui {

/// The workbench owns all of it and outlives its parts.
struct Shared {
  UiState& state;
  Workspace& workspace;
  Traces& traces;
  platform::HeatmapRenderer& heatmaps;
  const ColorLuts& luts;
  std::function<void()> wake;          ///< called from another thread when a frame is due; never empty
  std::chrono::milliseconds patience;  ///< how long a frame waits for a figure or a file
  double memory_budget = kDefaultMemoryBudget;
  std::uint64_t previews = 0;  ///< figures shown in dialogs so far
  /// The open lesson in the language that the menu chose, or null; see LessonRunner.
  std::shared_ptr<const Lesson> lesson = nullptr;

  [[nodiscard]] Session& session() const { return workspace.session(); }
  void say(const std::string& message, bool is_error) const { state.say(message, is_error); }
  /// A number for the renderer that no trace and no other preview has: traces count in the lower half.
  std::uint64_t next_preview() { return ++previews << 32U; }
};

}  // namespace attnscope::ui
