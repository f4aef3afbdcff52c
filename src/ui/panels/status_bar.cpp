#include <algorithm>

#include "core/base/text.h"
#include "figure/slices/selected.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/panels/panels.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

/// "4 heads · 6 × 6 · 33 tensors · 4,350 numbers"
std::string summary(const Trace& trace) {
  std::string text;
  if (const Step* weights = first_weights(trace); weights != nullptr && weights->axes.size() >= 2) {
    const Index heads = head_count(trace);
    text = std::to_string(heads) + (heads == 1 ? " head" : " heads") + " · " +
           grouped_text(weights->axes[weights->axes.size() - 2].size) + " × " +
           grouped_text(weights->axes.back().size) + " · ";
  }
  return text + grouped_text(static_cast<Index>(trace.steps().size())) + " tensors · " +
         grouped_text(trace.cost().numbers) + " numbers";
}

std::string performance_text(const Performance& p) {
  return "compute " + duration_text(p.compute_seconds) + " · frame " + duration_text(p.frame_seconds) + " · " +
         bytes_text(p.bytes);
}

/// Whether the text that was just shown is pressed, by mouse or keyboard.
bool is_pressed(const char* id) {
  const ImVec2 size = ImGui::GetItemRectSize();
  ImGui::SetCursorScreenPos(ImGui::GetItemRectMin());
  return invisible_button(id, size);
}

}  // namespace

void status_bar(const Style& style, const Trace* trace, const Performance& performance, const UiState& state,
                bool presenting, UiIntents& intents) {
  push_font(style.fonts.small().font, style.fonts.small().line);
  const float width = ImGui::GetWindowWidth();
  const float padding = ImGui::GetStyle().WindowPadding.x;
  ImGui::SetCursorPosY((ImGui::GetWindowHeight() - ImGui::GetTextLineHeight()) / 2);
  std::string right = trace != nullptr && !presenting ? performance_text(performance) : "";
  float room = width - 2 * padding;
  if (performance.busy && performance.progress > 0) {
    right = "computing " + std::to_string(static_cast<int>(performance.progress * 100)) + " %";
  }
  if (!performance.busy && performance.drawn < 1)
    right = "drawing " + std::to_string(static_cast<int>(performance.drawn * 100)) + " %";
  if (!performance.busy && performance.building) {
    right = "building the figure…";
    if (performance.built > 0) right += " " + std::to_string(static_cast<int>(performance.built * 100)) + " %";
  }
  if (!performance.busy && !performance.writing.empty()) right = performance.writing;
  const float right_width = ImGui::CalcTextSize(right.c_str()).x;
  // In a narrow window a message matters more than the timings.
  const bool message = !state.message.text.empty() && ImGui::GetTime() < state.message.until;
  const std::string left = message                      ? state.message.text
                           : trace == nullptr           ? "computing…"
                           : trace->failure()           ? *trace->failure()
                           : !trace->warnings().empty() ? trace->warnings().front()
                           : presenting                 ? ""
                                                        : summary(*trace);
  const float left_width = ImGui::CalcTextSize(left.c_str()).x;
  const bool both = left_width + right_width + style.px(24) <= room || performance.busy || performance.building ||
                    !performance.writing.empty();
  if (both) room -= right_width + style.px(24);
  const bool alarming = (message && state.message.is_error) ||
                        (!message && trace != nullptr && (trace->failures() > 0 || !trace->warnings().empty()));
  clipped_text(left, room, color(alarming ? kAlarmingInk : style.palette.dim));
  if (message && !state.message.copies.empty()) {
    if (is_pressed("message")) ImGui::SetClipboardText(state.message.copies.c_str());
    tooltip("Click to copy the caption: " + state.message.copies);
  }
  if (both) {
    text_right(right, width - padding, color(style.palette.dim));
    if (performance.busy && performance.progress > 0) {
      if (is_pressed("computation")) intents.commands.push_back(Command::cancel);
      tooltip("Click to stop it.");
    }
    if (!performance.busy && !performance.writing.empty()) {
      if (is_pressed("file"))
        intents.commands.push_back(performance.writes_figure ? Command::cancel : Command::animation);
      tooltip(performance.writes_figure ? "Click to stop it." : "Click to see the progress, or to stop it.");
    }
  }
  ImGui::PopFont();
}

}  // namespace attnscope::ui
