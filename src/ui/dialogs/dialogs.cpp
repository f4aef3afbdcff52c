#include <imgui.h>
#include <imgui_stdlib.h>

#include <array>

#include "ui/dialogs/animation_dialog.h"
#include "ui/dialogs/document_dialogs.h"
#include "ui/dialogs/export_dialog.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/panels/panels.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

struct DialogText {
  Dialog dialog;
  const char* title;
  const char* hint;
  const char* confirm;
};

constexpr const char* kExportTitle = "Export the view as a figure";
constexpr const char* kAnimationTitle = "Write an animation";

constexpr std::array<DialogText, 4> kPathDialogs = {{
    {Dialog::open, "Open an experiment",
     "an experiment (.json), a figure, tensors (.npy, .npz, .safetensors), labels (.txt)", "Open"},
    {Dialog::open_picture, "Open a picture for the pixels", "path of a picture (.png)", "Open"},
    {Dialog::save, "Save the experiment", "path, ending in .json", "Save"},
    {Dialog::export_trace, "Export the tensors", "path, ending in .safetensors, .npz or .json", "Export"},
}};

std::optional<DialogResult> path_dialog(const Style& style, const DialogText& text, UiState& state) {
  std::optional<DialogResult> result;
  ImGui::SetNextItemWidth(std::min(style.px(440), ImGui::GetIO().DisplaySize.x - style.px(80)));
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  const bool entered =
      ImGui::InputTextWithHint("##path", text.hint, &state.dialog.path, ImGuiInputTextFlags_EnterReturnsTrue);
  if (ImGui::IsItemEdited()) state.dialog.question.clear();
  end_with_error(state);
  const bool replaces = question_row(state);
  // Only a new press confirms: the Enter that asked the question may still be held down.
  const bool answered = replaces && !entered && ImGui::IsWindowFocused() && enter_pressed();
  if (ImGui::Button(replaces ? "Replace" : text.confirm) || entered || answered) {
    result = DialogResult{text.dialog, state.dialog.path};
    result->replaces = replaces;
  }
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) state.dialog.open = Dialog::none;
  return result;
}

void shortcut_table(const Style& style) {
  if (!ImGui::BeginTable("shortcuts", 2)) return;
  ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, style.px(190));
  ImGui::TableSetupColumn("meaning", ImGuiTableColumnFlags_WidthFixed, style.px(340));
  for (const auto& [keys, meaning] : shortcut_rows()) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(keys.c_str());
    ImGui::TableNextColumn();
    ImGui::TextDisabled("%s", meaning.c_str());
  }
  ImGui::EndTable();
}

void about_text() {
  ImGui::TextUnformatted("attnscope " ATTNSCOPE_VERSION);
  ImGui::TextDisabled("A desktop instrument for attention. Every number is computed, and can explain itself.");
  ImGui::TextDisabled("MIT licence. Type: Inter and DejaVu. Colour maps: viridis, magma, ColorBrewer RdBu.");
}

const DialogText* path_dialog_text(Dialog dialog) {
  for (const DialogText& each : kPathDialogs) {
    if (each.dialog == dialog) return &each;
  }
  return nullptr;
}

const char* title_of(Dialog dialog) {
  const DialogText* path = path_dialog_text(dialog);
  if (path != nullptr) return path->title;
  if (dialog == Dialog::export_figure) return kExportTitle;
  if (dialog == Dialog::animation) return kAnimationTitle;
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
  const double enough = dialog == Dialog::animation   ? 700
                        : dialog == Dialog::shortcuts ? 620
                        : dialog == Dialog::unsaved   ? 0
                                                      : 480;
  const ImGuiWindowFlags scroll = display.y >= style.px(enough) ? ImGuiWindowFlags_NoScrollbar : ImGuiWindowFlags_None;
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
    if (const DialogText* path = path_dialog_text(state.dialog.open)) {
      result = path_dialog(style, *path, state);
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
