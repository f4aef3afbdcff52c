#include "ui/dialogs/path_dialog.h"

#include <imgui.h>

#include <algorithm>

#include "ui/dialogs/document_dialogs.h"
#include "ui/dialogs/path_field.h"
#include "ui/imgui/imgui_compat.h"

namespace attnscope::ui {
namespace {

const std::vector<PathDialog>& path_dialogs() {
  static const FileFilter all = {"All files", {"*"}};
  static const std::vector<PathDialog> table = {
      {Dialog::open,
       "Open an experiment",
       "an experiment (.json), a figure, tensors (.npy, .npz, .safetensors), labels (.txt)",
       "Open",
       false,
       "",
       {{"Experiments, figures, tensors, labels",
         {"*.json", "*.png", "*.svg", "*.pdf", "*.npy", "*.npz", "*.safetensors", "*.txt"}},
        all}},
      {Dialog::open_picture,
       "Open a picture for the pixels",
       "path of a picture (.png)",
       "Open",
       false,
       "",
       {{"PNG pictures", {"*.png"}}, all}},
      {Dialog::save,
       "Save the experiment",
       "path, ending in .json",
       "Save",
       true,
       ".json",
       {{"Experiments", {"*.json"}}}},
      {Dialog::export_trace,
       "Export the tensors",
       "path, ending in .safetensors, .npz or .json",
       "Export",
       true,
       ".safetensors",
       {{"Tensors", {"*.safetensors", "*.npz", "*.json"}}}},
      {Dialog::export_figure,
       "Export the view as a figure",
       "path; the boxes below choose the formats",
       "Export",
       true,
       "",
       {{"Figures", {"*.pdf", "*.svg", "*.png"}}}},
      {Dialog::animation,
       "Write an animation",
       "path; for PNG files with %04d in place of the frame's number",
       "Write",
       true,
       "",
       {{"Animations", {"*.gif", "*.mp4", "*.png"}}}},
  };
  return table;
}

}  // namespace

const PathDialog* find_path_dialog(Dialog dialog) {
  const auto found = std::ranges::find(path_dialogs(), dialog, &PathDialog::dialog);
  return found == path_dialogs().end() ? nullptr : &*found;
}

bool asks_for_path_only(Dialog dialog) {
  return find_path_dialog(dialog) != nullptr && dialog != Dialog::export_figure && dialog != Dialog::animation;
}

std::vector<std::string> endings_of(const PathDialog& dialog) {
  std::vector<std::string> endings;
  for (const std::string& pattern : dialog.filters.front().patterns) endings.push_back(pattern.substr(1));
  return endings;
}

std::optional<DialogResult> path_dialog(const Style& style, const PathDialog& text, UiState& state) {
  DialogState& dialog = state.dialog;
  std::optional<DialogResult> result;
  if (dialog.on_desktop) {
    ImGui::TextDisabled("Choose the file in the desktop's file dialog.");
    if (ImGui::Button("Cancel")) dialog.open = Dialog::none;
    return result;
  }
  const float width = std::min(style.px(560), ImGui::GetIO().DisplaySize.x - style.px(80));
  const std::vector<std::string> endings = endings_of(text);
  const PathFieldResult field = path_field(dialog, text.hint, width, endings);
  const bool chosen = folder_list(style, dialog, width, endings);
  end_with_error(state);
  const bool replaces = question_row(state);
  // The Enter that led to the question may still be held down: only a new press answers it.
  const bool answered = replaces && !field.entered && ImGui::IsWindowFocused() && enter_pressed();
  if (ImGui::Button(replaces ? "Replace" : text.confirm) || field.entered || answered || chosen) {
    result = DialogResult{text.dialog, dialog.path};
    result->replaces = replaces;
  }
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) dialog.open = Dialog::none;
  return result;
}

}  // namespace attnscope::ui
