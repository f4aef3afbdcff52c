#include <algorithm>
#include <filesystem>

#include "core/systems/systems.h"
#include "ui/panels.h"
#include "ui/widgets.h"

namespace attnscope::ui {
namespace {

void item(const char* label, const char* shortcut, Command command, Requests& requests, bool enabled = true,
          bool checked = false) {
  if (ImGui::MenuItem(label, shortcut, checked, enabled)) requests.commands.push_back(command);
}

void file_menu(Requests& requests) {
  if (!ImGui::BeginMenu("File")) return;
  item("Open…", "Ctrl+O", Command::open, requests);
  item("Save", "Ctrl+S", Command::save, requests);
  item("Save as…", "Ctrl+Shift+S", Command::save_as, requests);
  ImGui::Separator();
  item("Export figure…", "Ctrl+E", Command::export_figure, requests);
  item("Export tensors…", "Ctrl+Shift+E", Command::export_trace, requests);
  ImGui::Separator();
  item("Quit", "Ctrl+Q", Command::quit, requests);
  ImGui::EndMenu();
}

void edit_menu(bool can_undo, bool can_redo, Requests& requests) {
  if (!ImGui::BeginMenu("Edit")) return;
  if (ImGui::MenuItem("Undo", "Ctrl+Z", false, can_undo)) requests.actions.push_back({Undo{}, 0});
  if (ImGui::MenuItem("Redo", "Ctrl+Shift+Z", false, can_redo)) requests.actions.push_back({Redo{}, 0});
  ImGui::Separator();
  item("Copy PyTorch script", "Ctrl+Shift+C", Command::copy_script, requests);
  ImGui::EndMenu();
}

void view_menu(const Experiment& experiment, bool dark, bool inspector, Requests& requests) {
  if (!ImGui::BeginMenu("View")) return;
  for (const View& view : views()) {
    if (ImGui::MenuItem(view.title.c_str(), nullptr, view.name == experiment.view.name))
      requests.actions.push_back({SetView{view.name}, 0});
  }
  ImGui::Separator();
  item("Fit", "F", Command::fit_view, requests);
  item("Inspector", "I", Command::toggle_inspector, requests, true, inspector);
  ImGui::Separator();
  item("Dark", nullptr, Command::theme_dark, requests, true, dark);
  item("Light", nullptr, Command::theme_light, requests, true, !dark);
  ImGui::EndMenu();
}

void help_menu(Requests& requests) {
  if (!ImGui::BeginMenu("Help")) return;
  item("Shortcuts", "?", Command::shortcuts, requests);
  item("About attnscope", nullptr, Command::about, requests);
  ImGui::EndMenu();
}

}  // namespace

void menu_bar(const Style& style, const Experiment& experiment, const std::string& file, bool modified, bool can_undo,
              bool can_redo, bool dark, bool inspector, Requests& requests) {
  file_menu(requests);
  edit_menu(can_undo, can_redo, requests);
  view_menu(experiment, dark, inspector, requests);
  help_menu(requests);
  const std::string document = file.empty() ? "untitled" : std::filesystem::path(file).filename().string();
  const std::string title = document + (modified ? " · edited" : "") + " — " + find_system(experiment.system)->title;
  // Painted, not laid out: a menu bar ends its items where its last one does.
  const ImVec2 size = ImGui::CalcTextSize(title.c_str());
  const float left = ImGui::GetWindowWidth() - style.px(16) - size.x;
  if (left < ImGui::GetCursorPosX() + style.px(16)) return;
  const ImVec2 at(ImGui::GetWindowPos().x + left, ImGui::GetWindowPos().y + (ImGui::GetWindowHeight() - size.y) / 2);
  ImGui::GetWindowDrawList()->AddText(at, color(style.palette.dim), title.c_str());
}

}  // namespace attnscope::ui
