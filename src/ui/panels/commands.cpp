#include "ui/panels/commands.h"

#include <algorithm>
#include <array>

namespace attnscope::ui {
namespace {

using platform::KeyPress;

/// An entry of a group, which knows its menu.
struct Row {
  Command command;
  const char* label = nullptr;
  std::vector<KeyCombination> keys = {};
  const char* help = nullptr;
  KeyScope scope = KeyScope::outside_dialogs;
};

/// The entries of a menu between two of its lines.
struct Group {
  Menu menu = Menu::none;
  std::vector<Row> rows;
};

constexpr KeyCombination plain(int key) { return {key}; }
constexpr KeyCombination control(int key) { return {key, true}; }
constexpr KeyCombination shifted(int key) { return {key, true, true}; }
constexpr KeyCombination alternate(int key) { return {key, false, false, 0, true}; }

const char* const kFiles = "open, save an experiment";
const char* const kUndo = "undo, redo";
const char* const kCell = "move the pinned cell; in lessons ↑ ↓ only";
const char* const kView = "previous, next view";
const char* const kMoment = "previous, next moment of what is played; once it plays, also ← and →";
const char* const kToken = "move the token of the pinned cell's row";
const char* const kStep = "next, previous step of a lesson";
const char* const kOpenMenu = "open a menu";
const char* const kPanel = "go to the next, the previous panel";
const char* const kBaseline = "set the experiment as baseline, and show the difference";

std::vector<Group> document_groups() {
  using enum KeyScope;
  return {
      {Menu::file,
       {{Command::new_experiment, "New", {control('N')}, "start a new experiment", everywhere},
        {Command::open, "Open…", {control('O')}, kFiles, everywhere},
        {Command::open_picture, "Open picture…"},
        {Command::open_model, "Open model…"},
        {Command::open_copied_link, "Open copied link", {control('V')}, "open the link that was copied"},
        {Command::save, "Save", {control('S')}, kFiles, everywhere},
        {Command::save_as, "Save as…", {shifted('S')}, "save as", everywhere},
        {Command::reload, "Reload", {plain(KeyPress::kF5)}, "reload the open file"},
        {Command::left_behind, "Unsaved work…"}}},
      {Menu::file,
       {{Command::export_figure, "Export figure…", {control('E')}, "export the view as PDF, SVG or PNG", everywhere},
        {Command::animation, "Export animation…"},
        {Command::export_trace, "Export tensors…", {shifted('E')}, "export the tensors", everywhere},
        {Command::copy_link, "Copy link", {shifted('L')}, "copy a link that is the experiment", everywhere}}},
      {Menu::file, {{Command::quit, "Quit", {control('Q')}, "quit", everywhere}}},
      {Menu::edit,
       {{Command::undo, "Undo", {control('Z')}, kUndo, outside_text},
        {Command::redo, "Redo", {shifted('Z'), control('Y')}, kUndo, outside_text}}},
      {Menu::edit,
       {{Command::toggle_mask, "Mask or unmask cell", {plain('M')}, "mask the cell's query and key, or unmask them"},
        {Command::switch_head, "Switch head off or on", {plain('X')}, "switch the selected head off or on"},
        {Command::edit_text, "Edit text", {control('T')}, "type the text that a model reads"},
        {Command::move_token_up, "Move token up", {control(KeyPress::kUp)}, kToken},
        {Command::move_token_down, "Move token down", {control(KeyPress::kDown)}, kToken}}},
      {Menu::edit,
       {{Command::copy_figure, "Copy figure", {control('C')}, "copy the figure"},
        {Command::copy_script, "Copy PyTorch script", {shifted('C')}, "copy the PyTorch script", everywhere},
        {Command::copy_matrix_tsv, "Copy pinned cell's matrix as TSV"},
        {Command::copy_matrix_markdown, "… as Markdown"},
        {Command::copy_matrix_latex, "… as LaTeX"}}},
  };
}

Group lesson_group() {
  // Pages are what a presenter's remote control turns.
  const std::vector<KeyCombination> next = {plain(' '), plain(KeyPress::kRight), plain(KeyPress::kPageDown)};
  const std::vector<KeyCombination> previous = {plain(KeyPress::kLeft), plain(KeyPress::kPageUp)};
  return {Menu::lessons,
          {{Command::next_step, "Next step", next, kStep, KeyScope::lesson},
           {Command::previous_step, "Previous step", previous, kStep, KeyScope::lesson},
           {Command::close_lesson, "Close lesson"}}};
}

std::vector<Group> window_groups() {
  using enum KeyScope;
  return {
      {Menu::view,
       {{Command::previous_view, "Previous view", {control(KeyPress::kPageUp)}, kView},
        {Command::next_view, "Next view", {control(KeyPress::kPageDown)}, kView}}},
      {Menu::view,
       {{Command::play, "Play or pause", {plain(' ')}, "play the computation in Flow and Dot product, or pause it"}}},
      {Menu::view,
       {{Command::find_token, "Find token…", {control('F')}, "find a token in the figure", everywhere},
        {Command::find_heads, "Find heads"},
        {Command::fit_view, "Fit", {plain('F')}, "fit the figure to the window"},
        {Command::toggle_parameters, "Parameters", {control('[')}, "show or hide the parameters"},
        {Command::toggle_inspector, "Inspector", {plain('I'), control(']')}, "show or hide the inspector"}}},
      {Menu::view,
       {{Command::full_screen, "Full screen", {plain(KeyPress::kF11)}, "fill the screen, or stop it", everywhere},
        {Command::present,
         "Present",
         {{KeyPress::kF11, false, true}},
         "show figure and lesson in large letters, or stop it",
         everywhere},
        {Command::enlarge, "Enlarge", {control('+'), control('=')}, "make everything larger", everywhere},
        {Command::reduce, "Reduce", {control('-')}, "make everything smaller", everywhere},
        {Command::normal_size, "Normal size", {control('0')}, "make everything as large as usual", everywhere}}},
      {Menu::view,
       {{Command::set_baseline, "Set as baseline", {plain('P')}, kBaseline},
        {Command::remove_baseline, "Remove baseline"}}},
      {Menu::view, {{Command::theme_dark, "Dark"}, {Command::theme_light, "Light"}}},
      {Menu::none,
       {{Command::choose_head, nullptr, {{'1', false, false, '9'}}, "select a head"},
        {Command::previous_moment, nullptr, {plain(',')}, kMoment},
        {Command::next_moment, nullptr, {plain('.')}, kMoment},
        {Command::cell_left, nullptr, {plain(KeyPress::kLeft)}, kCell},
        {Command::cell_right, nullptr, {plain(KeyPress::kRight)}, kCell},
        {Command::cell_up, nullptr, {plain(KeyPress::kUp)}, kCell},
        {Command::cell_down, nullptr, {plain(KeyPress::kDown)}, kCell},
        {Command::escape,
         nullptr,
         {plain(KeyPress::kEscape)},
         "close menu, dialog or search, give the arrows back to the figure, end what is played, or unpin the cell",
         everywhere}}},
      lesson_group(),
      {Menu::help,
       {{Command::shortcuts, "Shortcuts", {plain('?')}, "show these shortcuts"}, {Command::about, "About attnscope"}}},
      {Menu::none,
       {{Command::open_file_menu, nullptr, {alternate('F'), plain(KeyPress::kF10)}, kOpenMenu, outside_dialog},
        {Command::open_edit_menu, nullptr, {alternate('E')}, kOpenMenu, outside_dialog},
        {Command::open_view_menu, nullptr, {alternate('V')}, kOpenMenu, outside_dialog},
        {Command::open_lessons_menu, nullptr, {alternate('L')}, kOpenMenu, outside_dialog},
        {Command::open_help_menu, nullptr, {alternate('H')}, kOpenMenu, outside_dialog},
        {Command::next_panel, nullptr, {plain(KeyPress::kF6)}, kPanel, outside_dialog},
        {Command::previous_panel, nullptr, {{KeyPress::kF6, false, true}}, kPanel, outside_dialog}}},
      {Menu::none, {{Command::cancel}}},
  };
}

/// What ImGui does with keys, and gestures of the mouse.
constexpr std::array<std::pair<const char*, const char*>, 10> kGestures = {{
    {"Tab, Shift+Tab", "go to the controls of a panel, and through those that one can type into"},
    {"arrows, then Enter", "go through all controls, and press a button, open a list or type a value"},
    {"Space on a slider", "hold it, for the arrows to change its value"},
    {"drag a slider", "change a value; the figure follows"},
    {"Ctrl+click a slider", "type a value"},
    {"click a cell", "pin it in the inspector; click again to unpin it"},
    {"wheel", "zoom at the cursor"},
    {"drag the figure", "move it"},
    {"double-click the figure", "fit it to the window"},
    {"drop a file", "open an experiment, figure, model, tensors, labels or picture"},
}};

bool matches(const KeyCombination& keys, const KeyPress& press) {
  const bool in_range = press.key >= keys.key && press.key <= std::max(keys.key, keys.last);
  const bool shift_matters = keys.control || keys.key >= KeyPress::kF1;
  return in_range && keys.control == press.control && keys.alt == press.alt &&
         (!shift_matters || keys.shift == press.shift);
}

bool counts(KeyScope scope, const KeyContext& context) {
  if (scope == KeyScope::everywhere) return true;
  if (scope == KeyScope::outside_dialog) return !context.dialog;
  if (context.typing) return false;
  if (scope == KeyScope::outside_text) return true;
  return !context.dialog && (scope != KeyScope::lesson || context.lesson);
}

std::string name_of(int key) {
  switch (key) {
    case KeyPress::kEscape: return "Escape";
    case KeyPress::kLeft: return "←";
    case KeyPress::kRight: return "→";
    case KeyPress::kUp: return "↑";
    case KeyPress::kDown: return "↓";
    case KeyPress::kPageUp: return "Page Up";
    case KeyPress::kPageDown: return "Page Down";
    case KeyPress::kF5: return "F5";
    case KeyPress::kF6: return "F6";
    case KeyPress::kF10: return "F10";
    case KeyPress::kF11: return "F11";
    case ' ': return "Space";
    case ',': return "comma";
    case '.': return "full stop";
    default: return {static_cast<char>(key)};
  }
}

void append(std::vector<CommandEntry>& table, const Group& group) {
  for (const Row& row : group.rows) {
    const bool starts = &row == &group.rows.front();
    table.push_back({row.command, group.menu, row.label, starts, row.keys, row.scope, row.help});
  }
}

}  // namespace

std::span<const CommandEntry> commands() {
  static const std::vector<CommandEntry> table = [] {
    std::vector<CommandEntry> all;
    for (const Group& group : document_groups()) append(all, group);
    for (const Group& group : window_groups()) append(all, group);
    return all;
  }();
  return table;
}

const CommandEntry& command_entry(Command command) {
  return *std::ranges::find(commands(), command, &CommandEntry::command);
}

Menu opened_menu(Command command) {
  switch (command) {
    case Command::open_file_menu: return Menu::file;
    case Command::open_edit_menu: return Menu::edit;
    case Command::open_view_menu: return Menu::view;
    case Command::open_lessons_menu: return Menu::lessons;
    case Command::open_help_menu: return Menu::help;
    default: return Menu::none;
  }
}

const CommandEntry* command_of_key(const platform::KeyPress& press, const KeyContext& context) {
  const CommandEntry* found = nullptr;
  for (const CommandEntry& entry : commands()) {
    if (!counts(entry.scope, context)) continue;
    if (std::ranges::none_of(entry.keys, [&](const KeyCombination& keys) { return matches(keys, press); })) continue;
    if (found == nullptr || entry.scope == KeyScope::lesson) found = &entry;
  }
  return found;
}

std::string key_text(const KeyCombination& keys) {
  std::string text = name_of(keys.key);
  if (keys.last != 0) text += " – " + name_of(keys.last);
  if (keys.shift) text = "Shift+" + text;
  if (keys.alt) text = "Alt+" + text;
  return keys.control ? "Ctrl+" + text : text;
}

std::vector<std::pair<std::string, std::string>> shortcut_rows() {
  std::vector<std::pair<std::string, std::string>> rows(kGestures.begin(), kGestures.end());
  for (const CommandEntry& entry : commands()) {
    for (const KeyCombination& keys : entry.keys) {
      const auto row = std::ranges::find(rows, entry.help, &std::pair<std::string, std::string>::second);
      if (row == rows.end()) {
        rows.emplace_back(key_text(keys), entry.help);
      } else {
        row->first += ", " + key_text(keys);
      }
    }
  }
  return rows;
}

}  // namespace attnscope::ui
