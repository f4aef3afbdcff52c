#include "ui/dialogs/path_field.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "io/base/printable.h"
#include "ui/imgui/text_field.h"
#include "ui/imgui/wanted_characters.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

// Seconds after which a folder is read again, and rows that are shown of it.
constexpr double kListedFor = 2;
constexpr int kRows = 9;

struct Completion {
  std::span<const std::string> endings;
  bool nothing = false;  ///< Tab was pressed, and there was nothing to complete
};

int complete(ImGuiInputTextCallbackData* data) {
  auto& completion = *static_cast<Completion*>(data->UserData);
  const std::string typed = from_field({data->Buf, static_cast<std::size_t>(data->BufTextLen)});
  const std::string completed = completed_path(typed, completion.endings);
  completion.nothing = completed == typed;
  if (completion.nothing) return 0;
  data->DeleteChars(0, data->BufTextLen);
  data->InsertChars(0, to_field(completed).c_str());
  return 0;
}

/// All of a path up to its last slash.
std::string folder_part(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

const std::vector<FolderEntry>& entries_of(DialogState& dialog, std::span<const std::string> endings) {
  const std::string folder = folder_part(dialog.path);
  const double now = ImGui::GetTime();
  if (!dialog.listed || dialog.listed->folder != folder || now > dialog.listed->read_at + kListedFor)
    dialog.listed = ListedFolder{folder, list_folder(folder.empty() ? "." : folder, endings), now};
  return dialog.listed->entries;
}

}  // namespace

PathFieldResult path_field(DialogState& dialog, const char* hint, float width, std::span<const std::string> endings) {
  const ImGuiStyle& look = ImGui::GetStyle();
  if (dialog.can_browse) width -= ImGui::CalcTextSize("Browse…").x + 2 * look.FramePadding.x + look.ItemSpacing.x;
  ImGui::SetNextItemWidth(width);
  if (std::exchange(dialog.focus, false) || ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  const ImGuiInputTextFlags flags = ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackCompletion;
  PathFieldResult result;
  Completion completion = {endings};
  result.entered = text_field("##path", hint, dialog.path, flags, complete, &completion);
  // Then it goes to the next control, as everywhere.
  if (completion.nothing) ImGui::SetKeyboardFocusHere();
  result.edited = ImGui::IsItemEdited();
  if (result.edited) dialog.question.clear();
  if (!dialog.can_browse) return result;
  ImGui::SameLine();
  if (ImGui::Button("Browse…")) dialog.browse = true;
  tooltip("Chooses the file in the desktop's file dialog.");
  return result;
}

bool folder_list(const Style& style, DialogState& dialog, float width, std::span<const std::string> endings) {
  const std::vector<FolderEntry>& entries = entries_of(dialog, endings);
  const std::string folder = dialog.listed->folder;
  const float room = ImGui::GetIO().DisplaySize.y - 9 * ImGui::GetFrameHeightWithSpacing();
  const float height = std::min(static_cast<float>(kRows) * ImGui::GetTextLineHeightWithSpacing(), room);
  bool opened = false;
  bool go_up = false;
  if (height < 2 * ImGui::GetTextLineHeightWithSpacing()) return opened;
  ImGui::BeginChild("files", ImVec2(width, height), true);
  const std::string name = dialog.path.substr(folder.size());
  if (const std::string above = folder_above(folder); !above.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, color(style.palette.accent));
    // Not while the folder is listed: its entries belong to it.
    if (ImGui::Selectable("../")) go_up = true;
    ImGui::PopStyleColor();
    tooltip("The folder around this one.");
  }
  for (const FolderEntry& entry : entries) {
    wanted_characters().add(entry.name);
    const std::string shown = printable(entry.name) + (entry.is_folder ? "/" : "") + "##" + entry.name;
    ImGui::PushStyleColor(ImGuiCol_Text, color(entry.is_folder ? style.palette.accent : style.palette.text));
    if (ImGui::Selectable(shown.c_str(), entry.name == name, ImGuiSelectableFlags_AllowDoubleClick)) {
      dialog.path = folder + entry.name + (entry.is_folder ? "/" : "");
      dialog.question.clear();
      dialog.error.clear();
      // With the keyboard, Enter opens what it has chosen before.
      const bool again = entry.name == name && !ImGui::IsMouseReleased(ImGuiMouseButton_Left);
      opened = !entry.is_folder && (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) || again);
    }
    ImGui::PopStyleColor();
  }
  if (entries.empty()) ImGui::TextDisabled("No matching files in this folder");
  ImGui::EndChild();
  if (go_up) {
    dialog.path = folder_above(folder);
    dialog.question.clear();
    dialog.error.clear();
  }
  return opened;
}

}  // namespace attnscope::ui
