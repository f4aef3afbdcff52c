#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/experiment/system.h"
#include "core/models/models.h"
#include "ui/imgui/outside_line.h"
#include "ui/panels/document_lists.h"
#include "ui/panels/text_panel.h"
#include "ui/panels/widgets.h"

namespace attnscope::ui {
namespace {

/// Whether a parameter has another value than the system's own.
bool is_other_setting(const Experiment& experiment, const Parameter& parameter) {
  const auto found = experiment.parameters.find(parameter.name);
  return found != experiment.parameters.end() && found->second != parameter.default_value;
}

bool has_other_settings(const Experiment& experiment) {
  return std::ranges::any_of(find_system(experiment.system)->parameters,
                             [&](const Parameter& each) { return is_other_setting(experiment, each); });
}

/// Lists those settings as the command line takes them, one on each line.
std::string other_settings(const Experiment& experiment) {
  std::string text = "Settings that differ from " + experiment.system + ":";
  for (const Parameter& each : find_system(experiment.system)->parameters) {
    if (is_other_setting(experiment, each))
      text += "\n" + each.name + "=" + value_text(experiment.parameters.at(each.name));
  }
  return text;
}

/// Whether the command can be given now.
bool is_enabled(Command command, const Experiment& experiment, const MenuState& state) {
  switch (command) {
    case Command::open_picture: return takes_picture(experiment);
    case Command::edit_text: return text_count(experiment) > 0;
    case Command::reload: return state.can_reload;
    case Command::undo: return state.can_undo;
    case Command::redo: return state.can_redo;
    case Command::copy_matrix_tsv:
    case Command::copy_matrix_markdown:
    case Command::copy_matrix_latex: return state.cell;
    case Command::remove_baseline: return state.baseline;
    case Command::find_heads: return state.can_find_heads;
    case Command::play: return state.can_play;
    case Command::next_step:
    case Command::previous_step:
    case Command::close_lesson: return state.open_lesson != nullptr;
    default: return true;
  }
}

bool is_checked(Command command, const MenuState& state) {
  switch (command) {
    case Command::toggle_parameters: return state.shown.sides().parameters;
    case Command::toggle_inspector: return state.shown.sides().inspector;
    case Command::full_screen: return state.shown.full_screen;
    case Command::present: return state.shown.presenting;
    case Command::theme_dark: return state.dark;
    case Command::theme_light: return !state.dark;
    default: return false;
  }
}

void recent_menu(const MenuState& state, UiIntents& intents) {
  if (!ImGui::BeginMenu("Open recent", !state.recent.empty())) return;
  recent_entries(state, intents);
  ImGui::EndMenu();
}

void models_menu(const MenuState& state, UiIntents& intents) {
  if (!ImGui::BeginMenu("Bundled models", !state.models.empty())) return;
  model_entries(state, intents);
  ImGui::EndMenu();
}

/// Below the lessons.
void language_menu(const MenuState& state, UiIntents& intents) {
  ImGui::Separator();
  if (!ImGui::BeginMenu("Language", !state.lessons.empty() || state.open_lesson != nullptr)) return;
  language_entries(state, intents);
  ImGui::EndMenu();
}

constexpr std::array kMenus = std::to_array<std::pair<Menu, const char*>>({{Menu::file, "File"},
                                                                           {Menu::edit, "Edit"},
                                                                           {Menu::view, "View"},
                                                                           {Menu::lessons, "Lessons"},
                                                                           {Menu::help, "Help"}});

/// The menu beside an open one that arrows to the side lead to; none: they lead to nothing, or to something in the menu.
Menu menu_beside(std::size_t open) {
  const int side = sideways_in_menu();
  if (side == 0) return Menu::none;
  const auto count = std::ssize(kMenus);
  return kMenus[static_cast<std::size_t>((static_cast<std::ptrdiff_t>(open) + side + count) % count)].first;
}

/// The letter of the menu's key, below the label that comes next.
void underline_letter(const Style& style, const char* label) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float left = at.x + std::floor(ImGui::GetStyle().ItemSpacing.x / 2);
  const float low = at.y + (ImGui::GetWindowHeight() + ImGui::GetTextLineHeight()) / 2;
  const float width = ImGui::CalcTextSize(label, label + 1).x;
  ImGui::GetWindowDrawList()->AddLine(ImVec2(left, low), ImVec2(left + width, low), color(style.palette.text),
                                      style.px(1));
}

/// Below the commands, because it may be longer than the window; the tabs have the same views.
void views_list(const Experiment& experiment, UiIntents& intents) {
  ImGui::Separator();
  for (const View& view : views()) {
    if (ImGui::MenuItem(view.title.c_str(), nullptr, view.name == experiment.view.name))
      intents.actions.push_back({SetView{view.name}, 0});
  }
}

/// The commands of a menu, which stand below the lessons where it has them.
void command_items(Menu menu, const Experiment& experiment, const MenuState& state, UiIntents& intents) {
  bool is_first = menu != Menu::lessons;
  for (const CommandEntry& entry : commands()) {
    if (entry.menu != menu) continue;
    if (entry.starts_group && !std::exchange(is_first, false)) ImGui::Separator();
    const std::string keys = entry.keys.empty() ? "" : key_text(entry.keys.front());
    if (ImGui::MenuItem(entry.label, keys.c_str(), is_checked(entry.command, state),
                        is_enabled(entry.command, experiment, state)))
      intents.commands.push_back(entry.command);
    if (entry.command == Command::open) recent_menu(state, intents);
    if (entry.command == Command::open_model) models_menu(state, intents);
  }
}

}  // namespace

void menu_bar(const Style& style, const Experiment& experiment, const MenuState& state, Menu opening,
              UiIntents& intents) {
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < kMenus.size(); ++i) {
    const auto& [menu, label] = kMenus[i];
    if (menu == opening) ImGui::OpenPopup(label);
    if (ImGui::GetIO().KeyAlt) underline_letter(style, label);
    if (!ImGui::BeginMenu(label)) continue;
    open = i;
    if (menu == Menu::lessons) {
      lesson_entries(state, intents);
      language_menu(state, intents);
    }
    command_items(menu, experiment, state, intents);
    if (menu == Menu::view) views_list(experiment, intents);
    ImGui::EndMenu();
  }
  if (open) intents.menu = menu_beside(*open);
  // The first window, and whatever a slider moved, is not what the system's name stands for on the command line.
  const bool is_other = state.title == experiment.system && has_other_settings(experiment);
  const std::string title = state.title + (is_other ? ", other settings" : "") + (state.modified ? " · edited" : "") +
                            " — " + find_system(experiment.system)->title;
  // Painted, not laid out: a menu bar ends its items where its last one does.
  const ImVec2 size(line_width(title), ImGui::GetTextLineHeight());
  const float left = ImGui::GetWindowWidth() - style.px(16) - size.x;
  if (left < ImGui::GetCursorPosX() + style.px(16)) return;
  const ImVec2 at(ImGui::GetWindowPos().x + left, ImGui::GetWindowPos().y + (ImGui::GetWindowHeight() - size.y) / 2);
  add_line(*ImGui::GetWindowDrawList(), at, color(style.palette.dim), title);
  if (is_other && ImGui::IsMouseHoveringRect(at, {at.x + size.x, at.y + size.y}))
    show_tooltip(other_settings(experiment));
}

}  // namespace attnscope::ui
