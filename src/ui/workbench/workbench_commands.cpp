// What the user asks the workbench for: shortcuts, commands, answers of dialogs.
#include <utility>

#include "core/script/script.h"
#include "io/base/paths.h"
#include "io/base/printable.h"
#include "io/experiments/labels_file.h"
#include "io/traces/trace_file.h"
#include "ui/parts/cell_commands.h"
#include "ui/workbench/workbench.h"

namespace attnscope::ui {
namespace {

/// Whether a menu or a list is open; Escape closes that.
bool menu_open() { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel); }

}  // namespace

void Workbench::control_shortcut(const platform::KeyPress& press, UiIntents& intents) {
  using platform::KeyPress;
  const bool typing = ImGui::GetIO().WantTextInput;
  const bool open = typing || state_.dialog.open != Dialog::none;
  const auto command = [&](Command which) { intents.commands.push_back(which); };
  switch (press.key) {
    case KeyPress::kPageUp:
    case KeyPress::kPageDown:
      if (!open) change_view(shared_, press.key == KeyPress::kPageDown ? 1 : -1, intents);
      break;
    case KeyPress::kUp:
    case KeyPress::kDown:
      if (!open) move_token(shared_, press.key == KeyPress::kDown ? 1 : -1, intents);
      break;
    case 'Q': command(Command::quit); break;
    case 'O': command(Command::open); break;
    case 'S': command(press.shift ? Command::save_as : Command::save); break;
    case 'E': command(press.shift ? Command::export_trace : Command::export_figure); break;
    case 'C':
      if (press.shift) command(Command::copy_script);
      if (!press.shift && !open) command(Command::copy_figure);
      break;
    case 'Z':
      if (!typing) intents.actions.push_back(press.shift ? Action{Redo{}, 0} : Action{Undo{}, 0});
      break;
    case 'Y':
      if (!typing) intents.actions.push_back({Redo{}, 0});
      break;
    default: break;
  }
}

void Workbench::shortcut(const platform::KeyPress& press, UiIntents& intents) {
  using platform::KeyPress;
  if (press.control) return control_shortcut(press, intents);
  // Letters belong to a text field while it has the keyboard, and to nobody while a dialog is open.
  const bool typing = ImGui::GetIO().WantTextInput;
  const auto command = [&](Command which) { intents.commands.push_back(which); };
  if (press.key == KeyPress::kEscape && state_.dialog.open != Dialog::none)
    state_.dialog.open = Dialog::none;
  else if (press.key == KeyPress::kEscape && !typing && !menu_open())
    state_.pinned.reset();
  if (typing || state_.dialog.open != Dialog::none || lesson_.key(press.key, intents)) return;
  const Index down = press.key == KeyPress::kDown ? 1 : press.key == KeyPress::kUp ? -1 : 0;
  const Index right = press.key == KeyPress::kRight ? 1 : press.key == KeyPress::kLeft ? -1 : 0;
  if (down != 0 || right != 0) move_pinned_cell(shared_, down, right);
  if (press.key == KeyPress::kF5 && files_.can_reload()) command(Command::reload);
  if (press.key == 'F') command(Command::fit_view);
  if (press.key == 'I') command(Command::toggle_inspector);
  if (press.key == 'M') toggle_mask(shared_, intents);
  if (press.key == 'X') switch_head(shared_, intents);
  if (press.key == 'P') command(Command::pin_experiment);
  if (press.key == '?') command(Command::shortcuts);
  if (press.key >= '1' && press.key <= '9') choose_head(shared_, Index{press.key - '0'}, intents);
}

void Workbench::apply(const Action& asked) {
  Action action = asked;
  const bool opens = std::holds_alternative<SetView>(action.edit);
  // Opening a view and selecting the pinned cell's query and key in it is one step for Undo.
  if (opens && action.gesture == 0) action.gesture = ++state_.gesture;
  if (const Result<void> done = workspace_.session().apply(action); !done)
    return state_.say(done.error().message, true);
  lesson_.pin_cell_after(action.edit);
  if (opens) show_pinned_pair(shared_, action.gesture);
}

bool Workbench::asks_before(const Action& action) {
  const bool leaves =
      std::holds_alternative<OpenLesson>(action.edit) || std::holds_alternative<CloseLesson>(action.edit);
  if (!leaves || workspace_.may_leave_lesson()) return false;
  documents_.leave({[this, action] { apply(action); }, true});
  return true;
}

void Workbench::apply(const UiIntents& intents) {
  for (const Action& action : intents.actions) {
    if (!asks_before(action)) apply(action);
  }
  for (const Command command : intents.commands) carry_out(command);
  for (const std::string& path : intents.files) open_file(path);
}

void Workbench::set_baseline() {
  if (trace() == nullptr) return;
  traces_.set_baseline();
  const std::uint64_t gesture = ++state_.gesture;
  for (const Edit& edit : {Edit{SetView{"compare"}}, Edit{SetViewOption{"against", std::string("pinned")}}}) {
    if (const Result<void> done = workspace_.session().apply({edit, gesture}); !done)
      state_.say(done.error().message, true);
  }
  state_.say("set as baseline: the view shows the difference from here on", false);
}

void Workbench::set_theme(Theme theme) {
  look_.set_theme(theme);
  remembered_.set_theme(theme);
}

void Workbench::carry_out(Command command) {
  const std::string file = workspace_.shown_file();
  const std::string stem =
      file.empty() ? session().experiment().system : std::filesystem::path(file).replace_extension().string();
  // A free name: pressing Enter must not replace a file.
  const auto suggested = [&](const char* ending) { return free_path(stem + ending).string(); };
  switch (command) {
    case Command::quit: return ask_to_quit();
    case Command::open: return state_.dialog.show(Dialog::open, session().file());
    case Command::open_picture: return state_.dialog.show(Dialog::open_picture, {});
    case Command::save: return documents_.save(suggested(".json"));
    case Command::save_as: return state_.dialog.show(Dialog::save, suggested(".json"));
    case Command::reload: return files_.reload();
    case Command::left_behind: return documents_.list_left_behind(workspace_.left_behind());
    case Command::export_figure: return figure_export_.open_dialog(stem);
    case Command::export_trace: return state_.dialog.show(Dialog::export_trace, suggested(".safetensors"));
    case Command::animation: return animation_export_.open_dialog(stem);
    case Command::copy_script:
      ImGui::SetClipboardText(pytorch_script(session().experiment()).c_str());
      return state_.say("copied the experiment as a PyTorch script", false);
    case Command::copy_figure: return figure_export_.copy_figure();
    case Command::copy_matrix_tsv: return copy_matrix(shared_, MatrixFormat::tsv);
    case Command::copy_matrix_markdown: return copy_matrix(shared_, MatrixFormat::markdown);
    case Command::copy_matrix_latex: return copy_matrix(shared_, MatrixFormat::latex);
    case Command::theme_dark: return set_theme(Theme::dark);
    case Command::theme_light: return set_theme(Theme::light);
    case Command::toggle_inspector: inspector_shown_ = !inspector_shown_; return;
    case Command::pin_experiment: return set_baseline();
    case Command::let_go_of_pinned: return traces_.remove_baseline();
    case Command::fit_view: state_.camera = {}; return;
    case Command::shortcuts: return state_.dialog.show(Dialog::shortcuts, {});
    case Command::about: return state_.dialog.show(Dialog::about, {});
    case Command::cancel: traces_.cancel(); return figure_export_.cancel();
  }
}

void Workbench::carry_out(const DialogResult& result) {
  switch (result.dialog) {
    case Dialog::open: return files_.open(result.path, is_text_name(result.path) ? FileKind::labels : FileKind::source);
    case Dialog::open_picture: return files_.open(result.path, FileKind::picture);
    case Dialog::save: return documents_.save_to(result);
    case Dialog::unsaved: return documents_.answer_unsaved(result);
    case Dialog::left_behind: return documents_.answer_left_behind(result);
    case Dialog::export_figure: return figure_export_.carry_out(result);
    case Dialog::animation: return animation_export_.carry_out(result);
    default: return export_tensors(result);
  }
}

void Workbench::export_tensors(const DialogResult& result) {
  if (trace() == nullptr) return state_.refuse("nothing is computed yet that could be exported");
  const std::vector<std::filesystem::path> paths = {result.path};
  if (state_.asks(workspace_.question_before_writing(paths), result.replaces)) return;
  if (const Result<void> done = write_trace(*trace(), result.path); !done) return state_.refuse(done.error().message);
  state_.say("wrote " + printable(result.path), false);
  state_.dialog.open = Dialog::none;
}

void Workbench::open_file(const std::string& path) {
  files_.open(path, FileKind::any);
  request_computation();
}

void Workbench::compare_with(Experiment baseline) {
  traces_.compare_with(std::move(baseline));
  request_computation();
}

void Workbench::offer_left_behind(bool named) {
  documents_.offer_left_behind(named);
  request_computation();
}

}  // namespace attnscope::ui
