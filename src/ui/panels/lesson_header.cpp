#include "ui/panels/lesson_header.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "ui/imgui/imgui_compat.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

/// A dot for each step; clicking it opens the step.
void step_dots(const Style& style, const LessonShown& shown, UiIntents& intents) {
  const float pitch = style.px(14);
  const float height = ImGui::GetFrameHeight();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (std::size_t i = 0; i < shown.lesson.steps.size(); ++i) {
    if (i > 0) ImGui::SameLine(0, 0);
    ImGui::PushID(static_cast<int>(i));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (invisible_button("step", ImVec2(pitch, height)) && i != shown.step) intents.actions.push_back({GoToStep{i}, 0});
    const bool hovered = ImGui::IsItemHovered();
    tooltip(shown.lesson.steps[i].title);
    ImGui::PopID();
    const Rgb ink = i <= shown.step ? style.palette.accent : hovered ? style.palette.dim : style.palette.line;
    const float radius = style.px(i == shown.step ? 4.5 : hovered ? 3.5 : 2.5);
    list.AddCircleFilled(ImVec2(at.x + pitch / 2, at.y + height / 2), radius, color(ink), 24);
  }
}

void back_button(const Style& style, const char* label, UiIntents& intents) {
  push_accent_button(style);
  if (ImGui::Button(label)) intents.actions.push_back({BackToLesson{}, 0});
  pop_accent_button();
  tooltip("Restores this step's experiment and view.");
}

/// A button that can be disabled.
bool button(const Style& style, const char* label, bool enabled, const std::string& help) {
  if (!enabled) {
    ImGui::PushStyleColor(ImGuiCol_Text, color(style.palette.dim, 0.5F));
    for (const ImGuiCol_ which : {ImGuiCol_ButtonHovered, ImGuiCol_ButtonActive})
      ImGui::PushStyleColor(which, ImGui::GetStyleColorVec4(ImGuiCol_Button));
  }
  const bool pressed = ImGui::Button(label);
  if (!enabled) ImGui::PopStyleColor(3);
  if (enabled) tooltip(help);
  return pressed && enabled;
}

// In a narrow panel, signs stand for words.
const char* previous_label(bool wide) { return wide ? "Previous##previous" : "‹##previous"; }
const char* next_label(bool wide) { return wide ? "Next##next" : "›##next"; }

float button_width(const char* label) {
  return ImGui::CalcTextSize(label, nullptr, true).x + 2 * ImGui::GetStyle().FramePadding.x;
}

/// The step's number, and the buttons for the other steps.
void step_controls(const Style& style, const LessonShown& shown, const std::string& place, bool wide,
                   UiIntents& intents) {
  if (wide) {
    step_dots(style, shown, intents);
    ImGui::SameLine();
  }
  ImGui::AlignTextToFramePadding();
  ImGui::TextDisabled("%s", place.c_str());
  ImGui::SameLine();
  if (button(style, previous_label(wide), shown.step > 0, "Previous step (←)"))
    intents.actions.push_back({GoToStep{shown.step - 1}, 0});
  ImGui::SameLine();
  if (button(style, next_label(wide), shown.step + 1 < shown.lesson.steps.size(), "Next step (Space or →)"))
    intents.actions.push_back({GoToStep{shown.step + 1}, 0});
  ImGui::SameLine();
  if (button(style, "×##close", true, "Close the lesson and return to your experiment."))
    intents.actions.push_back({CloseLesson{}, 0});
}

}  // namespace

void lesson_header(const Style& style, const LessonShown& shown, bool wide, UiIntents& intents) {
  const std::size_t count = shown.lesson.steps.size();
  const std::string place = place_text(shown.lesson.words, shown.step, count);
  const char* const back = wide ? "Back to the lesson" : "Back";
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float back_room = button_width(back) + gap;
  float room = ImGui::CalcTextSize(place.c_str()).x + button_width(previous_label(wide)) +
               button_width(next_label(wide)) + button_width("×") + 3 * gap;
  if (wide) room += style.px(14) * static_cast<float>(count) + gap;
  if (!wide || shown.away) room += back_room;
  const float width = ImGui::GetContentRegionAvail().x;
  const float left = ImGui::GetCursorPosX();

  const std::string& title = shown.lesson.steps[shown.step].title;
  const float title_room = width - room - style.px(24);
  push_font(style.fonts.heading().font, style.fonts.heading().line);
  const bool above = ImGui::CalcTextSize(title.c_str()).x > title_room;
  if (!above) ImGui::AlignTextToFramePadding();
  clipped_text(title, above ? width : title_room, color(style.palette.text));
  ImGui::PopFont();
  if (above) {
    ImGui::SetCursorPosX(left);
  } else {
    ImGui::SameLine(left + width - room + (wide || shown.away ? 0 : back_room));
  }
  const bool back_is_last = above && !wide;
  if (shown.away && !back_is_last) {
    back_button(style, back, intents);
    ImGui::SameLine();
  }
  step_controls(style, shown, place, wide, intents);
  if (!shown.away || !back_is_last) return;
  if (room <= width) ImGui::SameLine();
  back_button(style, back, intents);
}

}  // namespace attnscope::ui
