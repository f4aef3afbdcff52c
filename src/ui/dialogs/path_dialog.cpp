#include "ui/dialogs/path_dialog.h"

#include <imgui.h>

#include <algorithm>
#include <ranges>

#include "io/base/file_formats.h"
#include "io/figures/animation_file.h"
#include "io/figures/figure_format.h"
#include "io/tensors/tensor_format.h"
#include "io/traces/trace_formats.h"
#include "ui/dialogs/document_dialogs.h"
#include "ui/dialogs/path_field.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

/// "*.npy" for each format of the table.
template <std::ranges::range Formats>
std::vector<std::string> patterns_of(const Formats& formats) {
  std::vector<std::string> patterns;
  patterns.reserve(std::ranges::size(formats));
  for (const auto& format : formats) patterns.push_back("*" + std::string(format.extension));
  return patterns;
}

std::vector<std::string> opened_patterns() {
  std::vector<std::string> patterns = {"*.json", "*.txt"};
  for (const std::vector<std::string>& more : {patterns_of(kFigureFormats), patterns_of(tensor_formats())})
    patterns.insert(patterns.end(), more.begin(), more.end());
  return patterns;
}

const std::vector<PathDialog>& path_dialogs() {
  static const FileFilter all = {"All files", {"*"}};
  static const std::vector<PathDialog> table = {
      {Dialog::open,
       "Open an experiment",
       "an experiment (.json), a figure, tensors (" + extension_list(tensor_formats(), ", ") +
           "), labels (.txt), a link",
       "Open",
       false,
       "",
       {{"Experiments, figures, tensors, labels", opened_patterns()}, all}},
      {Dialog::open_picture,
       "Open a picture",
       "path of a picture (.png)",
       "Open",
       false,
       "",
       {{"PNG pictures", {"*.png"}}, all}},
      {Dialog::open_model,
       "Open a trained model",
       "the model's folder, or its config.json",
       "Open",
       false,
       "",
       {{"Models", {"*.json", "*.safetensors"}}},
       true},
      {Dialog::save,
       "Save the experiment",
       "path, ending in .json",
       "Save",
       true,
       ".json",
       {{"Experiments", {"*.json"}}}},
      {Dialog::export_trace,
       "Export the tensors",
       "path, ending in " + extension_list(kTraceFormats, " or "),
       "Export",
       true,
       ".safetensors",
       {{"Tensors", patterns_of(kTraceFormats)}}},
      {Dialog::export_figure,
       "Export the view as a figure",
       "path; the boxes below choose the formats",
       "Export",
       true,
       "",
       {{"Figures", patterns_of(kFigureFormats)}}},
      {Dialog::animation,
       "Write an animation",
       "path; for PNG files with %04d in place of the frame's number",
       "Write",
       true,
       "",
       {{"Animations", patterns_of(kAnimationFormats)}}},
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
  const PathFieldResult field = path_field(dialog, text.hint.c_str(), width, endings);
  const bool chosen = folder_list(style, dialog, width, endings);
  end_with_error(state);
  const bool replaces = question_row(state);
  // The Enter that led to the question may still be held down: only a new press answers it.
  const bool answered = replaces && !field.entered && enter_confirms();
  if (ImGui::Button(replaces ? "Replace" : text.confirm) || field.entered || answered || chosen) {
    result = DialogResult{text.dialog, dialog.path};
    result->replaces = replaces;
  }
  ImGui::SameLine();
  if (ImGui::Button("Cancel")) dialog.open = Dialog::none;
  return result;
}

}  // namespace attnscope::ui
