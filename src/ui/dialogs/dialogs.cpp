#include <imgui.h>

#include <algorithm>

#include "ui/dialogs/animation_dialog.h"
#include "ui/dialogs/document_dialogs.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/dialogs/path_dialog.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/panels/panels.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

/// Lets the keyboard scroll a dialog that has nothing to go to.
void scroll_with_keys() {
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const float page = ImGui::GetWindowHeight() - 4 * line;
  float by = 0;
  if (key_pressed(ImGuiKey_DownArrow, true)) by += 2 * line;
  if (key_pressed(ImGuiKey_UpArrow, true)) by -= 2 * line;
  if (key_pressed(ImGuiKey_PageDown, true)) by += page;
  if (key_pressed(ImGuiKey_PageUp, true)) by -= page;
  if (by != 0) ImGui::SetScrollY(std::clamp(ImGui::GetScrollY() + by, 0.0F, ImGui::GetScrollMaxY()));
}

void shortcut_table(const Style& style) {
  const auto rows = shortcut_rows();
  float presses = 0;
  float meanings = 0;
  for (const auto& [keys, meaning] : rows) {
    presses = std::max(presses, ImGui::CalcTextSize(keys.c_str()).x);
    meanings = std::max(meanings, ImGui::CalcTextSize(meaning.c_str()).x);
  }
  // In a narrow window they are broken into lines.
  const float room = ImGui::GetIO().DisplaySize.x - presses - style.px(90);
  if (!ImGui::BeginTable("shortcuts", 2)) return;
  ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, presses + style.px(10));
  ImGui::TableSetupColumn("meaning", ImGuiTableColumnFlags_WidthFixed, std::min(meanings + 1, room));
  for (const auto& [keys, meaning] : rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(keys.c_str());
    ImGui::TableNextColumn();
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled("%s", meaning.c_str());
    ImGui::PopTextWrapPos();
  }
  ImGui::EndTable();
}

void about_text() {
  ImGui::TextUnformatted("attnscope " ATTNSCOPE_VERSION);
  ImGui::TextDisabled(
      "A desktop instrument for attention. Every number is computed, and every number can be explained.");
  ImGui::TextDisabled("MIT licence. Fonts: Inter and DejaVu. Colour maps: viridis, magma, ColorBrewer RdBu.");
}

const char* title_of(Dialog dialog) {
  if (const PathDialog* path = find_path_dialog(dialog)) return path->title;
  if (dialog == Dialog::unsaved) return "Unsaved edits";
  if (dialog == Dialog::left_behind) return "Unsaved work";
  return dialog == Dialog::shortcuts ? "Shortcuts" : "About";
}

/// Begins the popup of that dialog in the middle of the window; true while it is open.
bool begin_dialog(const Style& style, Dialog dialog, bool* open) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos(ImVec2(display.x / 2, display.y / 2), ImGuiCond_Always, ImVec2(0.5F, 0.5F));
  ImGui::SetNextWindowSizeConstraints(ImVec2(0, 0), ImVec2(display.x - style.px(20), display.y - style.px(20)));
  // Only small windows need a scroll bar, and a question never does.
  const double enough = dialog == Dialog::animation ? 700 : dialog == Dialog::unsaved ? 0 : 480;
  const bool fits = dialog != Dialog::shortcuts && display.y >= style.px(enough);
  const ImGuiWindowFlags scroll = fits ? ImGuiWindowFlags_NoScrollbar : ImGuiWindowFlags_None;
  const ImGuiWindowFlags flags =
      ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings | scroll;
  return ImGui::BeginPopupModal(title_of(dialog), open, flags);
}

/// Makes ImGui's popups follow `state.dialog.open`, which anything may change.
void follow(const Style& style, UiState& state) {
  if (state.dialog.open == state.dialog.shown) return;
  if (state.dialog.shown != Dialog::none && begin_dialog(style, state.dialog.shown, nullptr)) {
    ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  state.dialog.shown = state.dialog.open;
  if (state.dialog.open != Dialog::none) ImGui::OpenPopup(title_of(state.dialog.open));
}

}  // namespace

std::optional<DialogResult> dialogs(const Style& style, const ExportShown* exported, const AnimationShown* animated,
                                    UiState& state) {
  follow(style, state);
  std::optional<DialogResult> result;
  bool open = true;
  if (state.dialog.open == Dialog::none) return result;
  if (begin_dialog(style, state.dialog.open, &open)) {
    if (asks_for_path_only(state.dialog.open)) {
      result = path_dialog(style, *find_path_dialog(state.dialog.open), state);
    } else if (state.dialog.open == Dialog::export_figure) {
      if (exported == nullptr) {
        ImGui::TextDisabled("Computing…");
      } else if (export_dialog(style, *exported, state)) {
        result = DialogResult{Dialog::export_figure, state.dialog.path};
        result->replaces = !state.dialog.question.empty();
      }
    } else if (state.dialog.open == Dialog::animation) {
      if (animated == nullptr) {
        ImGui::TextDisabled("Computing…");
      } else if (const AnimationAnswer answer = animation_dialog(style, *animated, state);
                 answer != AnimationAnswer::none) {
        result = DialogResult{Dialog::animation, state.dialog.path, answer == AnimationAnswer::stop};
        result->replaces = !state.dialog.question.empty();
      }
    } else if (state.dialog.open == Dialog::unsaved) {
      result = unsaved_dialog(state);
    } else if (state.dialog.open == Dialog::left_behind) {
      result = left_behind_dialog(style, state);
    } else if (state.dialog.open == Dialog::shortcuts) {
      shortcut_table(style);
      scroll_with_keys();
    } else {
      about_text();
    }
    ImGui::EndPopup();
  }
  // Its own closing button was pressed.
  if (!open) state.dialog.open = Dialog::none;
  return result;
}

}  // namespace attnscope::ui
