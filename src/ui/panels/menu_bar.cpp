#include <algorithm>

#include "core/experiment/system.h"
#include "ui/panels/panels.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

void item(const char* label, const char* shortcut, Command command, UiIntents& intents, bool enabled = true,
          bool checked = false) {
  if (ImGui::MenuItem(label, shortcut, checked, enabled)) intents.commands.push_back(command);
}

/// The last parts of a path; files are told apart by what stands last.
std::string short_path(const std::string& path) {
  constexpr std::size_t kLongest = 48;
  if (path.size() <= kLongest) return path;
  const std::size_t slash = path.find('/', path.size() - kLongest);
  return "…" + (slash == std::string::npos ? path.substr(path.rfind('/') + 1) : path.substr(slash));
}

void recent_menu(const MenuState& state, UiIntents& intents) {
  if (!ImGui::BeginMenu("Open recent", !state.recent.empty())) return;
  for (const std::string& path : state.recent) {
    if (ImGui::MenuItem((short_path(path) + "##" + path).c_str())) intents.files.push_back(path);
    tooltip(path);
  }
  ImGui::EndMenu();
}

/// `pixels`: whether the system attends to those of a picture.
void file_menu(const MenuState& state, UiIntents& intents, bool pixels) {
  if (!ImGui::BeginMenu("File")) return;
  item("Open…", "Ctrl+O", Command::open, intents);
  recent_menu(state, intents);
  item("Open picture…", nullptr, Command::open_picture, intents, pixels);
  item("Save", "Ctrl+S", Command::save, intents);
  item("Save as…", "Ctrl+Shift+S", Command::save_as, intents);
  item("Read again from disk", "F5", Command::reload, intents, state.can_reload);
  item("Unsaved work…", nullptr, Command::left_behind, intents);
  ImGui::Separator();
  item("Export figure…", "Ctrl+E", Command::export_figure, intents);
  item("Animation…", nullptr, Command::animation, intents);
  item("Export tensors…", "Ctrl+Shift+E", Command::export_trace, intents);
  ImGui::Separator();
  item("Quit", "Ctrl+Q", Command::quit, intents);
  ImGui::EndMenu();
}

void edit_menu(const MenuState& state, UiIntents& intents) {
  if (!ImGui::BeginMenu("Edit")) return;
  if (ImGui::MenuItem("Undo", "Ctrl+Z", false, state.can_undo)) intents.actions.push_back({Undo{}, 0});
  if (ImGui::MenuItem("Redo", "Ctrl+Shift+Z", false, state.can_redo)) intents.actions.push_back({Redo{}, 0});
  ImGui::Separator();
  item("Copy figure", "Ctrl+C", Command::copy_figure, intents);
  item("Copy PyTorch script", "Ctrl+Shift+C", Command::copy_script, intents);
  item("Copy kept cell's matrix as TSV", nullptr, Command::copy_matrix_tsv, intents, state.cell);
  item("… as Markdown", nullptr, Command::copy_matrix_markdown, intents, state.cell);
  item("… as LaTeX", nullptr, Command::copy_matrix_latex, intents, state.cell);
  ImGui::EndMenu();
}

void view_menu(const Experiment& experiment, const MenuState& state, UiIntents& intents) {
  if (!ImGui::BeginMenu("View")) return;
  for (const View& view : views()) {
    if (ImGui::MenuItem(view.title.c_str(), nullptr, view.name == experiment.view.name))
      intents.actions.push_back({SetView{view.name}, 0});
  }
  ImGui::Separator();
  item("Fit", "F", Command::fit_view, intents);
  item("Inspector", "I", Command::toggle_inspector, intents, true, state.inspector);
  ImGui::Separator();
  item("Pin experiment to compare", "P", Command::pin_experiment, intents);
  item("Let go of pinned experiment", nullptr, Command::let_go_of_pinned, intents, state.pinned);
  ImGui::Separator();
  item("Dark", nullptr, Command::theme_dark, intents, true, state.dark);
  item("Light", nullptr, Command::theme_light, intents, true, !state.dark);
  ImGui::EndMenu();
}

void lessons_menu(const MenuState& state, UiIntents& intents) {
  if (!ImGui::BeginMenu("Lessons")) return;
  for (const LessonFile& file : state.lessons) {
    if (!file.lesson) {
      ImGui::TextDisabled("%s cannot be read", file.name.c_str());
      tooltip(file.lesson.error().message);
      continue;
    }
    const Lesson& lesson = **file.lesson;
    if (ImGui::MenuItem(lesson.title.c_str(), nullptr, &lesson == state.open_lesson))
      intents.actions.push_back({OpenLesson{*file.lesson}, 0});
    tooltip(lesson.summary + " After " + lesson.source + ".");
  }
  if (state.lessons.empty()) ImGui::TextDisabled("None were found");
  ImGui::Separator();
  if (ImGui::MenuItem("Close the lesson", nullptr, false, state.open_lesson != nullptr))
    intents.actions.push_back({CloseLesson{}, 0});
  ImGui::EndMenu();
}

void help_menu(UiIntents& intents) {
  if (!ImGui::BeginMenu("Help")) return;
  item("Shortcuts", "?", Command::shortcuts, intents);
  item("About attnscope", nullptr, Command::about, intents);
  ImGui::EndMenu();
}

}  // namespace

void menu_bar(const Style& style, const Experiment& experiment, const MenuState& state, UiIntents& intents) {
  file_menu(state, intents, experiment.parameters.contains("picture"));
  edit_menu(state, intents);
  view_menu(experiment, state, intents);
  lessons_menu(state, intents);
  help_menu(intents);
  const std::string title =
      state.title + (state.modified ? " · edited" : "") + " — " + find_system(experiment.system)->title;
  // Painted, not laid out: a menu bar ends its items where its last one does.
  const ImVec2 size = ImGui::CalcTextSize(title.c_str());
  const float left = ImGui::GetWindowWidth() - style.px(16) - size.x;
  if (left < ImGui::GetCursorPosX() + style.px(16)) return;
  const ImVec2 at(ImGui::GetWindowPos().x + left, ImGui::GetWindowPos().y + (ImGui::GetWindowHeight() - size.y) / 2);
  ImGui::GetWindowDrawList()->AddText(at, color(style.palette.dim), title.c_str());
}

}  // namespace attnscope::ui
