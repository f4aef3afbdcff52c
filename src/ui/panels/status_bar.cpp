#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "figure/slices/selected.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/imgui/outside_line.h"
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

/// What the left end says.
struct Notice {
  std::string text;
  bool is_alarming = false;
};

bool has_message(const UiState& state) { return !state.message.text.empty() && ImGui::GetTime() < state.message.until; }

/// Empty where there is nothing to say.
Notice notice_of(const Trace* trace, const UiState& state) {
  if (has_message(state)) return {state.message.text, state.message.is_error};
  if (trace == nullptr) return {"computing…", false};
  if (trace->failure()) return {*trace->failure(), true};
  if (!trace->warnings().empty()) return {trace->warnings().front(), true};
  return {"", trace->failures() > 0};
}

/// Not where lines are pictures.
bool can_wrap(const std::string& text) { return !text.empty() && !needs_picture(text); }

// A longer text is cut.
constexpr int kMostLines = 3;

/// The lines that the text takes in that width.
int lines_of(const std::string& text, float width) {
  const float line = ImGui::GetTextLineHeight();
  return std::max(1, static_cast<int>(std::lround(ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y / line)));
}

/// Whether the text that was just shown is pressed, by mouse or keyboard.
bool is_pressed(const char* id) {
  const ImVec2 size = ImGui::GetItemRectSize();
  ImGui::SetCursorScreenPos(ImGui::GetItemRectMin());
  return invisible_button(id, size);
}

}  // namespace

int status_lines(const Style& style, const Trace* trace, const UiState& state, float width, float padding) {
  const Notice notice = notice_of(trace, state);
  if (!notice.is_alarming || !can_wrap(notice.text)) return 1;
  push_font(style.fonts.small().font, style.fonts.small().line);
  const int lines = lines_of(notice.text, width - 2 * padding);
  ImGui::PopFont();
  return lines <= kMostLines ? lines : 1;
}

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
  const Notice notice = notice_of(trace, state);
  const std::string left = notice.text.empty() && !presenting && trace != nullptr ? summary(*trace) : notice.text;
  const float left_width = ImGui::CalcTextSize(left.c_str()).x;
  const bool both = left_width + right_width + style.px(24) <= room || performance.busy || performance.building ||
                    !performance.writing.empty();
  if (both) room -= right_width + style.px(24);
  const ImU32 ink = color(notice.is_alarming ? kAlarmingInk : style.palette.dim);
  const int lines = lines_of(left, room);
  const float needed = static_cast<float>(lines) * ImGui::GetTextLineHeight() + style.px(4);
  if (notice.is_alarming && can_wrap(left) && lines > 1 && needed <= ImGui::GetWindowHeight()) {
    ImGui::SetCursorPosY((ImGui::GetWindowHeight() - needed) / 2 + style.px(2));
    ImGui::PushStyleColor(ImGuiCol_Text, ink);
    ImGui::PushTextWrapPos(padding + room);
    show_lines(left);
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
  } else {
    clipped_text(left, room, ink);
  }
  if (has_message(state) && !state.message.copies.empty()) {
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
        intents.commands.push_back(performance.stops_at_once ? Command::cancel : Command::animation);
      tooltip(performance.stops_at_once ? "Click to stop it." : "Click to see the progress, or to stop it.");
    }
  }
  ImGui::PopFont();
}

}  // namespace attnscope::ui
