// Every command of the window, in one table: the menus, the keys and the list of shortcuts are made from it.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "platform/gl/window.h"

namespace attnscope::ui {

enum class Command {
  // File
  new_experiment,
  open,
  open_picture,
  open_model,
  open_copied_link,
  save,
  save_as,
  reload,
  left_behind,
  export_figure,
  animation,
  export_trace,
  copy_link,
  quit,
  // Edit
  undo,
  redo,
  copy_figure,
  copy_script,
  copy_matrix_tsv,
  copy_matrix_markdown,
  copy_matrix_latex,
  toggle_mask,
  switch_head,
  edit_text,
  move_token_up,
  move_token_down,
  // View
  find_token,
  fit_view,
  toggle_parameters,
  toggle_inspector,
  full_screen,
  present,
  enlarge,
  reduce,
  normal_size,
  find_heads,
  play,
  next_moment,
  previous_moment,
  set_baseline,
  remove_baseline,
  theme_dark,
  theme_light,
  previous_view,
  next_view,
  choose_head,
  cell_left,
  cell_right,
  cell_up,
  cell_down,
  escape,
  // Lessons
  next_step,
  previous_step,
  close_lesson,
  // Help
  shortcuts,
  about,
  // The keyboard's way to menus and panels
  open_file_menu,
  open_edit_menu,
  open_view_menu,
  open_lessons_menu,
  open_help_menu,
  next_panel,
  previous_panel,
  // Status bar
  cancel
};

enum class Menu { none, file, edit, view, lessons, help };

/// Where the keys of a command count.
enum class KeyScope {
  everywhere,
  outside_text,     ///< no text field has the keyboard
  outside_dialog,   ///< no dialog is open; text fields do not matter
  outside_dialogs,  ///< nor is a dialog open
  lesson            ///< the same, and a lesson is open; goes before the other scopes
};

/// A key with its modifiers. Shift matters with Control and for function keys.
struct KeyCombination {
  int key = 0;  ///< see platform::KeyPress
  bool control = false;
  bool shift = false;
  int last = 0;  ///< of a range of keys; 0: `key` alone
  bool alt = false;
};

struct CommandEntry {
  Command command;
  Menu menu = Menu::none;
  const char* label = nullptr;  ///< in the menu; null: not in a menu
  bool starts_group = false;    ///< a line goes above it in the menu
  std::vector<KeyCombination> keys = {};
  KeyScope scope = KeyScope::outside_dialogs;
  const char* help = nullptr;  ///< in the list of shortcuts; commands with the same text share a row
};

/// In the order of the menus and of the list of shortcuts.
std::span<const CommandEntry> commands();

/// Every command has one.
const CommandEntry& command_entry(Command command);

/// The menu that a command opens; none for the others.
Menu opened_menu(Command command);

/// What the user is doing when a key goes down.
struct KeyContext {
  bool typing = false;  ///< a text field has the keyboard
  bool dialog = false;  ///< a dialog is open
  bool lesson = false;  ///< a lesson is open
};
/// The command of a key, or null.
const CommandEntry* command_of_key(const platform::KeyPress& press, const KeyContext& context);

/// "Ctrl+Shift+Z", "1 – 9".
std::string key_text(const KeyCombination& keys);

/// The list of shortcuts: keys or a gesture of the mouse, and what they do.
std::vector<std::pair<std::string, std::string>> shortcut_rows();

}  // namespace attnscope::ui
