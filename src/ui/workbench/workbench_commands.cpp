// What the user asks the workbench for: shortcuts, commands, answers of dialogs.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/session/text_edits.h"
#include "core/experiment/system.h"
#include "core/script/script.h"
#include "figure/views/view_selection.h"
#include "io/base/paths.h"
#include "io/base/printable.h"
#include "io/experiments/labels_file.h"
#include "ui/panels/arrow_drag.h"
#include "ui/panels/text_panel.h"
#include "ui/panels/widgets.h"
#include "ui/parts/cell_commands.h"
#include "ui/parts/experiment_links.h"
#include "ui/parts/suggested_path.h"
#include "ui/workbench/workbench.h"

namespace attnscope::ui {
namespace {

// Logical pixels that the figure and what is above it need at least: with fewer, it would become smaller as everything
// around it becomes larger.
constexpr double kLeastWidth = 520;
constexpr double kLeastHeight = 460;

/// Labels where a file is named as text, otherwise what the file is.
std::vector<FileRequest> requests_of(const DialogResult& result) {
  std::vector<FileRequest> requests;
  const auto add = [&](const std::string& path) {
    requests.push_back({path, is_text_name(path) ? FileKind::labels : FileKind::source});
  };
  add(result.path);
  for (const std::string& path : result.more) add(path);
  return requests;
}

}  // namespace

void Workbench::shortcut(const platform::KeyPress& press, UiIntents& intents) {
  const KeyContext context = {ImGui::GetIO().WantTextInput, state_.dialog.open != Dialog::none,
                              session().lesson() != nullptr};
  const CommandEntry* entry = command_of_key(press, context);
  if (entry == nullptr) return;
  if (entry->command == Command::choose_head) return choose_head(shared_, Index{press.key - '0'}, intents);
  intents.commands.push_back(entry->command);
}

void Workbench::close_dialog_or_unpin() {
  if (const std::vector<Action> restoring = give_up_tip(state_); !restoring.empty()) {
    for (const Action& action : restoring) apply(action);
    return;
  }
  if (close_menus() || navigation_.had_menus()) return;
  if (state_.dialog.open != Dialog::none) {
    state_.dialog.open = Dialog::none;
  } else if (shown_figure_.token_search().is_open()) {
    shown_figure_.token_search().close();
  } else if (!ImGui::GetIO().WantTextInput && !navigation_.end() && !shown_figure_.playback().end()) {
    state_.pinned.reset();
  }
}

void Workbench::refuse_text(const SetText& set, const std::string& error) {
  if (std::optional<TypedText>& typed = state_.text_boxes.typed[static_cast<std::size_t>(set.which - 1)])
    typed->error = text_refusal(session().experiment(), set.which, error);
}

void Workbench::take_text(const SetText& set) {
  // The box keeps what was typed while it has the keyboard: ids are written in more than one way.
  if (std::optional<TypedText>& typed = state_.text_boxes.typed[static_cast<std::size_t>(set.which - 1)])
    *typed = {typed->text, typed_text(session().experiment(), set.which), {}};
}

void Workbench::apply(const Action& asked) {
  Action action = asked;
  const bool opens = std::holds_alternative<SetView>(action.edit);
  // Opening a view and selecting the pinned cell's query and key in it is one step for Undo.
  if (opens && action.gesture == 0) action.gesture = ++state_.gesture;
  const auto* text = std::get_if<SetText>(&action.edit);
  const LessonRunner::Place place = lesson_.place();
  if (const Result<void> done = workspace_.session().apply(action); !done)
    return text != nullptr ? refuse_text(*text, done.error().message) : state_.say(done.error().message, true);
  if (text != nullptr) take_text(*text);
  lesson_.pin_cell_after(action.edit, place);
  if (opens) show_pinned_pair(shared_, action.gesture);
}

void Workbench::play() {
  const View* view = trace() == nullptr ? nullptr : find_view(trace()->experiment().view.name);
  // A view of one pair has that of the pinned cell already.
  if (view != nullptr && shown_figure_.playback().can_play() && !view->shows_pair && state_.pinned) {
    const Step* step = trace()->find(state_.pinned->tensor);
    const std::size_t axes = step == nullptr ? 0 : step->axes.size();
    for (std::size_t axis = 0; axis < axes; ++axis) {
      if (step->axes[axis].name == "query" && state_.pinned->index.size() == axes)
        apply(Action{SetViewOption{"query", state_.pinned->index[axis] + 1}, 0});
    }
  }
  shown_figure_.playback().toggle();
}

bool Workbench::asks_before(const Action& action) {
  const bool leaves =
      std::holds_alternative<OpenLesson>(action.edit) || std::holds_alternative<CloseLesson>(action.edit);
  if (!leaves || workspace_.may_leave_lesson()) return false;
  documents_.leave({[this, action] { apply(action); }, true});
  return true;
}

void Workbench::apply_actions(const UiIntents& intents) {
  for (const Action& action : intents.actions) {
    if (!asks_before(action)) apply(action);
  }
}

void Workbench::apply(const UiIntents& intents) {
  apply_actions(intents);
  for (const Command command : intents.commands) carry_out(command);
  if (intents.menu != Menu::none) navigation_.open(intents.menu);
  open_files(intents.files);
  if (intents.language) remembered_.set_language(*intents.language);
  if (intents.checkpoint) files_.open(*intents.checkpoint);
}

void Workbench::set_baseline() {
  if (trace() == nullptr) return;
  traces_.set_baseline();
  const std::uint64_t gesture = ++state_.gesture;
  const View& view = baseline_view();
  std::vector<Edit> edits = {SetView{view.name}};
  for (const auto& [name, value] : view.with_baseline) edits.emplace_back(SetViewOption{name, value});
  for (const Edit& edit : edits) {
    if (const Result<void> done = workspace_.session().apply({edit, gesture}); !done)
      state_.say(done.error().message, true);
  }
  state_.say("set as baseline: the view shows the difference from here on", false);
}

void Workbench::set_theme(Theme theme) {
  look_.set_theme(theme);
  remembered_.set_theme(theme);
}

double Workbench::fitting_size(double size) const {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const auto unit = static_cast<double>(look_.desktop_scale());
  const double width = kLeastWidth + (shown_.sides().parameters ? kLeastParametersWidth : 0);
  const double room =
      std::min(static_cast<double>(display.x) / width, static_cast<double>(display.y) / kLeastHeight) / unit;
  auto fitting = std::ranges::find(kWindowSizes, size);
  while (fitting != kWindowSizes.begin() && *fitting > 1 && *fitting > room) --fitting;
  return *fitting;
}

double Workbench::window_size() const {
  const double size = fitting_size(remembered_.state().size);
  if (!shown_.presenting) return size;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const auto unit = static_cast<double>(look_.desktop_scale());
  return std::max(size, presenting_size(static_cast<double>(display.x) / unit, static_cast<double>(display.y) / unit));
}

void Workbench::go_across(Index by) {
  Playback& playback = shown_figure_.playback();
  if (playback.has_started()) return playback.go(by);
  move_pinned_cell(shared_, 0, by);
}

void Workbench::enlarge(int steps) {
  if (shown_.presenting) return state_.say("the size is that of the presentation (Shift+F11 ends it)", false);
  const auto now = std::ranges::find(kWindowSizes, look_.size());
  auto next = std::ranges::find(kWindowSizes, 1.0);
  if (steps > 0) next = std::min(now + steps, kWindowSizes.end() - 1);
  if (steps < 0) next = std::max(now + steps, kWindowSizes.begin());
  if (fitting_size(*next) < *next) return state_.say("no larger: the window is too small for it", false);
  remembered_.set_size(*next);
  state_.say("size " + std::to_string(std::lround(*next * 100)) + " %", false);
}

bool Workbench::carry_out_file(Command command, const std::string& stem) {
  // A free name: pressing Enter must not replace a file.
  const auto suggested = [&](const char* ending) { return free_path(stem + ending).string(); };
  switch (command) {
    case Command::new_experiment: begin_anew(); return true;
    case Command::open: state_.dialog.show(Dialog::open, session().file()); return true;
    case Command::open_picture: state_.dialog.show(Dialog::open_picture, {}); return true;
    case Command::open_model: state_.dialog.show(Dialog::open_model, {}); return true;
    case Command::open_copied_link: open_copied_link(shared_, files_); return true;
    case Command::copy_link: copy_link(shared_); return true;
    case Command::save: documents_.save(suggested(".json")); return true;
    case Command::save_as: state_.dialog.show(Dialog::save, suggested(".json")); return true;
    case Command::reload: files_.reload(); return true;
    case Command::left_behind: documents_.list_left_behind(workspace_.left_behind()); return true;
    case Command::export_figure: exports_.figure.open_dialog(stem); return true;
    case Command::export_trace: state_.dialog.show(Dialog::export_trace, suggested(".safetensors")); return true;
    case Command::animation: exports_.animation.open_dialog(stem); return true;
    case Command::quit: ask_to_quit(); return true;
    default: return false;
  }
}

void Workbench::begin_anew() {
  documents_.leave({[this] {
    workspace_.open(first_experiment(), {}, {});
    start_.open();
  }});
}

bool Workbench::carry_out_copy(Command command) {
  switch (command) {
    case Command::copy_script:
      ImGui::SetClipboardText(pytorch_script(session().experiment()).c_str());
      state_.say("copied the experiment as a PyTorch script", false);
      return true;
    case Command::copy_figure: exports_.figure.copy_figure(); return true;
    case Command::copy_matrix_tsv: copy_matrix(shared_, MatrixFormat::tsv); return true;
    case Command::copy_matrix_markdown: copy_matrix(shared_, MatrixFormat::markdown); return true;
    case Command::copy_matrix_latex: copy_matrix(shared_, MatrixFormat::latex); return true;
    default: return false;
  }
}

bool Workbench::edit_by(Command command, UiIntents& intents) {
  switch (command) {
    case Command::undo:
    case Command::redo:
      // What was said of the step is no longer so.
      if (!state_.message.is_error) state_.message = {};
      intents.actions.push_back({command == Command::undo ? Edit(Undo{}) : Edit(Redo{}), 0});
      return true;
    case Command::toggle_mask: toggle_mask(shared_, intents); return true;
    case Command::switch_head: switch_head(shared_, intents); return true;
    case Command::move_token_up: move_token(shared_, -1, intents); return true;
    case Command::move_token_down: move_token(shared_, 1, intents); return true;
    case Command::previous_view: change_view(shared_, -1, intents); return true;
    case Command::next_view: change_view(shared_, 1, intents); return true;
    case Command::find_heads: show_found_heads(shared_, intents); return true;
    case Command::next_step: lesson_.step(1, intents); return true;
    case Command::previous_step: lesson_.step(-1, intents); return true;
    case Command::close_lesson: intents.actions.push_back({CloseLesson{}, 0}); return true;
    default: return false;
  }
}

/// While a step of a lesson is presented, that is all of its figure or, once that is shown, what the step speaks of.
void Workbench::fit_figure() {
  state_.camera = {};
  if (session().lesson() == nullptr) return;
  const std::size_t step = session().lesson_step();
  const bool whole = shown_.presenting && shown_.whole_figure_of != step;
  shown_.whole_figure_of = whole ? std::optional(step) : std::nullopt;
}

void Workbench::carry_out(Command command) {
  const std::string stem = suggested_stem(workspace_, state_, remembered_.state());
  UiIntents intents;
  if (carry_out_file(command, stem) || carry_out_copy(command)) return;
  if (edit_by(command, intents)) return apply_actions(intents);
  if (const Menu menu = opened_menu(command); menu != Menu::none) return navigation_.open(menu);
  switch (command) {
    case Command::cell_left: return go_across(-1);
    case Command::cell_right: return go_across(1);
    case Command::cell_up: return move_pinned_cell(shared_, -1, 0);
    case Command::cell_down: return move_pinned_cell(shared_, 1, 0);
    case Command::escape: return close_dialog_or_unpin();
    case Command::next_panel: return navigation_.go(1);
    case Command::previous_panel: return navigation_.go(-1);
    case Command::theme_dark: return set_theme(Theme::dark);
    case Command::theme_light: return set_theme(Theme::light);
    case Command::toggle_parameters: shown_.sides().parameters = !shown_.sides().parameters; return;
    case Command::toggle_inspector: shown_.sides().inspector = !shown_.sides().inspector; return;
    case Command::full_screen: shown_.full_screen = !shown_.full_screen; return;
    case Command::present:
      shown_.presenting = !shown_.presenting;
      shown_.presented = {};
      shown_.whole_figure_of.reset();
      return;
    case Command::enlarge: return enlarge(1);
    case Command::reduce: return enlarge(-1);
    case Command::normal_size: return enlarge(0);
    case Command::play: return play();
    case Command::next_moment: return shown_figure_.playback().go(1);
    case Command::previous_moment: return shown_figure_.playback().go(-1);
    case Command::set_baseline: return set_baseline();
    case Command::remove_baseline: return traces_.remove_baseline();
    case Command::edit_text: return edit_text();
    case Command::find_token: return shown_figure_.token_search().open();
    case Command::fit_view: return fit_figure();
    case Command::shortcuts: return state_.dialog.show(Dialog::shortcuts, {});
    case Command::about: return state_.dialog.show(Dialog::about, {});
    case Command::cancel:
      traces_.cancel();
      exports_.tensor.cancel();
      return exports_.figure.cancel();
    default: return;
  }
}

void Workbench::edit_text() {
  state_.text_boxes.focus = text_count(session().experiment()) > 0;
  // While presenting, the text has its box beside the parameters.
  if (state_.text_boxes.focus && shown_.presenting) shown_.presented.parameters = true;
}

void Workbench::carry_out(const DialogResult& result) {
  // That of the question before leaving is the title of the document.
  if (result.dialog != Dialog::unsaved) note_folder(result.path, state_);
  switch (result.dialog) {
    case Dialog::open: return files_.open(requests_of(result));
    case Dialog::open_model: return files_.open(result.path, FileKind::source);
    case Dialog::open_picture: return files_.open(result.path, FileKind::picture);
    case Dialog::save: return documents_.save_to(result);
    case Dialog::unsaved: return documents_.answer_unsaved(result);
    case Dialog::left_behind: return documents_.answer_left_behind(result);
    case Dialog::export_figure: return exports_.figure.carry_out(result);
    case Dialog::animation: return exports_.animation.carry_out(result);
    default: return exports_.tensor.carry_out(result);
  }
}

void Workbench::open_files(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  std::vector<FileRequest> requests;
  requests.reserve(paths.size());
  for (const std::string& path : paths) requests.push_back({path, FileKind::any});
  files_.open(std::move(requests));
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
