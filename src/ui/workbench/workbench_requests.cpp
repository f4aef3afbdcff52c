// The workbench's share in what the user asks for: shortcuts, commands, dialogs, files.
#include <algorithm>
#include <utility>

#include "app/session/mask_cell.h"
#include "core/experiment/order.h"
#include "core/plan/region.h"
#include "core/script/script.h"
#include "core/studies/permutation.h"
#include "figure/slices/selected.h"
#include "io/base/paths.h"
#include "io/base/printable.h"
#include "io/experiments/labels_file.h"
#include "io/figures/figure_file.h"
#include "io/traces/trace_file.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/workbench/workbench.h"

namespace attnscope::ui {
namespace {

constexpr double kMessageSeconds = 6;

}  // namespace

void Workbench::shortcuts(UiIntents& requests) {
  for (const platform::KeyPress& press : std::exchange(presses_, {})) shortcut(press, requests);
}

namespace {

/// Whether a menu or a list is open, whose business Escape is.
bool menu_open() { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel); }

}  // namespace

void Workbench::shortcut(const platform::KeyPress& press, UiIntents& requests) {
  // Letters belong to a text field while it has them, and to nobody while a dialog is open.
  const bool typing = ImGui::GetIO().WantTextInput;
  const auto command = [&](Command which) { requests.commands.push_back(which); };
  if (press.control) {
    using platform::KeyPress;
    const bool open = typing || transient_.dialog != Dialog::none;
    switch (press.key) {
      case KeyPress::kPageUp:
      case KeyPress::kPageDown:
        if (!open) change_view(press.key == KeyPress::kPageDown ? 1 : -1, requests);
        break;
      case KeyPress::kUp:
      case KeyPress::kDown:
        if (!open) move_token(press.key == KeyPress::kDown ? 1 : -1, requests);
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
        if (!typing) requests.actions.push_back(press.shift ? Action{Redo{}, 0} : Action{Undo{}, 0});
        break;
      case 'Y':
        if (!typing) requests.actions.push_back({Redo{}, 0});
        break;
      default: break;
    }
    return;
  }
  if (press.key == platform::KeyPress::kEscape && transient_.dialog != Dialog::none)
    transient_.dialog = Dialog::none;
  else if (press.key == platform::KeyPress::kEscape && !typing && !menu_open())
    transient_.pinned.reset();
  if (typing || transient_.dialog != Dialog::none || lesson_key(press.key, requests)) return;
  move_pinned(press.key);
  if (press.key == platform::KeyPress::kF5 && can_reload()) command(Command::reload);
  if (press.key == 'F') command(Command::fit_view);
  if (press.key == 'I') command(Command::toggle_inspector);
  if (press.key == 'M') toggle_mask(requests);
  if (press.key == 'X') switch_head(requests);
  if (press.key == 'P') command(Command::pin_experiment);
  if (press.key == '?') command(Command::shortcuts);
  const ViewChoice& view = session_.experiment().view;
  if (press.key < '1' || press.key > '9' || !trace_) return;
  if (press.key - '0' > option_limit(*trace_, "head", view.options)) return;
  if (find_parameter(find_view(view.name)->options, "head") != nullptr) {
    requests.actions.push_back({SetViewOption{"head", Index{press.key - '0'}}, 0});
  }
}

void Workbench::apply(const Action& asked) {
  Action action = asked;
  const bool opens = std::holds_alternative<SetView>(action.edit);
  // What a view takes over from the kept cell is one step with opening it.
  if (opens && action.gesture == 0) action.gesture = ++transient_.gesture;
  if (const Result<void> done = session_.apply(action)) {
    pin_for(action.edit);
    if (opens) show_pinned_pair(action.gesture);
  } else {
    say(done.error().message, true);
  }
}

void Workbench::apply(const UiIntents& requests) {
  for (const Action& action : requests.actions) {
    if (!asks_before(action)) apply(action);
  }
  for (const Command command : requests.commands) carry_out(command);
  for (const std::string& path : requests.files) open_file(path);
  request_computation();
}

void Workbench::request_computation() {
  const Experiment& wanted = to_pin_ ? *to_pin_ : session_.experiment();
  if (!requested_ || !same_computation(*requested_, wanted)) {
    requested_ = wanted;
    worker_.request(*requested_);
    requested_now_ = true;
  }
  request_comparison();
}

void Workbench::open_dialog(Dialog dialog, const std::string& suggestion) {
  transient_.dialog = dialog;
  transient_.dialog_path = suggestion;
  transient_.dialog_error.clear();
  transient_.dialog_question.clear();
}

void Workbench::move_pinned(int key) {
  using platform::KeyPress;
  const Index down = key == KeyPress::kDown ? 1 : key == KeyPress::kUp ? -1 : 0;
  const Index right = key == KeyPress::kRight ? 1 : key == KeyPress::kLeft ? -1 : 0;
  if (!trace_ || (down == 0 && right == 0)) return;
  transient_.by_keyboard = true;
  if (!transient_.pinned) {
    const ParameterValues& options = session_.experiment().view.options;
    const Step* weights = selected_attention(*trace_, options).weights;
    if (weights == nullptr) return;
    const Slice slice = selected_slice(*trace_, options);
    transient_.pinned = NamedCell{weights->name, leading_index(weights->axes, 0, slice.head, slice.item)};
    return;
  }
  const Step* step = trace_->find(transient_.pinned->tensor);
  std::vector<Index>& index = transient_.pinned->index;
  if (step == nullptr || index.size() != step->axes.size()) return;
  const auto move = [&](std::size_t from_last, Index by) {
    if (index.size() < from_last) return;
    const std::size_t axis = index.size() - from_last;
    index[axis] = std::clamp<Index>(index[axis] + by, 0, step->axes[axis].size - 1);
  };
  move(1, right);
  move(2, down);
}

void Workbench::show_pinned_pair(std::uint64_t gesture) {
  const View& view = *find_view(session_.experiment().view.name);
  const Step* step = trace_ && transient_.pinned ? trace_->find(transient_.pinned->tensor) : nullptr;
  if (step == nullptr || step->axes.size() < 2 || find_parameter(view.options, "key") == nullptr) return;
  const Axes& axes = step->axes;
  const std::string& rows = axes[axes.size() - 2].name;
  if (axes.back().name != "key" || (rows != "query" && rows != "cross_query")) return;
  const std::vector<Index>& index = transient_.pinned->index;
  const auto choose = [&](const char* option, ParameterValue value) {
    const ParameterValues now = view_options(session_.experiment().view)->values;
    // What is as it is anyway is not said again: other views would take it for a choice.
    if (const auto found = now.find(option); found == now.end() || found->second == value) return;
    if (const Result<void> done = session_.apply({SetViewOption{option, std::move(value)}, gesture}); !done)
      say(done.error().message, true);
  };
  choose("query", index[index.size() - 2] + 1);
  choose("key", index.back() + 1);
  for (std::size_t i = 0; i + 2 < axes.size(); ++i) choose(axes[i].name == "batch" ? "item" : "head", index[i] + 1);
  choose("attention", std::string(rows == "query" ? "self" : "cross"));
}

void Workbench::change_view(Index by, UiIntents& requests) {
  const std::span<const View> all = views();
  const auto at = find_view(session_.experiment().view.name) - all.data();
  const auto count = std::ssize(all);
  requests.actions.push_back({SetView{all[static_cast<std::size_t>((at + by + count) % count)].name}, 0});
}

void Workbench::move_token(Index by, UiIntents& requests) {
  if (!trace_) return;
  const Index count = permutable_tokens(*trace_);
  const Step* step = transient_.pinned ? trace_->find(transient_.pinned->tensor) : nullptr;
  if (count == 0 || step == nullptr || step->axes.size() < 2 || step->axes[step->axes.size() - 2].size != count)
    return say("Ctrl+↑ and Ctrl+↓ move a token of X to another place: keep a cell in its row first", true);
  const Index token = transient_.pinned->index[step->axes.size() - 2];
  const ViewChoice& view = session_.experiment().view;
  const bool shown = view.name == "permutation";
  std::vector<Index> order = full_order(shown ? view_options(view)->choice("order") : "", count);
  const auto from = std::find(order.begin(), order.end(), token) - order.begin();
  if (from + by < 0 || from + by >= count) return;
  std::swap(order[static_cast<std::size_t>(from)], order[static_cast<std::size_t>(from + by)]);
  const std::uint64_t gesture = shown ? 0 : ++transient_.gesture;
  if (!shown) requests.actions.push_back({SetView{"permutation"}, gesture});
  requests.actions.push_back({SetViewOption{"order", order_text(order)}, gesture});
}

void Workbench::toggle_mask(UiIntents& requests) {
  const std::optional<NamedCell>& cell = transient_.inspected();
  if (!trace_ || !cell) return;
  const std::optional<MaskCell> pair = mask_cell(*trace_, cell->tensor, cell->index);
  if (!pair) return say("M hides or shows a pair of query and key: point at scores or weights", true);
  requests.actions.push_back({PaintMask{*pair, !is_kept(session_.experiment(), *pair)}, 0});
}

void Workbench::switch_head(UiIntents& requests) {
  if (!trace_) return;
  const Experiment& experiment = session_.experiment();
  const Result<ViewOptions> options = view_options(experiment.view);
  if (!options || find_parameter(find_view(experiment.view.name)->options, "head") == nullptr)
    return say("X switches a head off: choose one in a view of single heads", true);
  const Index head = selected_slice(*trace_, options->values).head;
  const std::vector<Index>& off = experiment.heads_off;
  requests.actions.push_back({SwitchHead{head, std::binary_search(off.begin(), off.end(), head)}, 0});
}

void Workbench::pin_experiment() {
  if (!trace_) return;
  pinned_ = trace_;
  to_pin_.reset();
  const std::uint64_t gesture = ++transient_.gesture;
  for (const Edit& edit : {Edit{SetView{"compare"}}, Edit{SetViewOption{"against", std::string("pinned")}}}) {
    if (const Result<void> done = session_.apply({edit, gesture}); !done) say(done.error().message, true);
  }
  say("pinned: what changes from here on is the difference", false);
}

void Workbench::carry_out(Command command) {
  const std::string file = workspace_.shown_file();
  const std::string stem =
      file.empty() ? session_.experiment().system : std::filesystem::path(file).replace_extension().string();
  // A name that is free: what is there is not to be replaced by pressing Enter.
  const auto suggested = [&](const std::string& ending) { return free_path(stem + ending).string(); };
  switch (command) {
    case Command::quit: ask_to_quit(); break;
    case Command::open: open_dialog(Dialog::open, session_.file()); break;
    case Command::open_picture: open_dialog(Dialog::open_picture, {}); break;
    case Command::save:
      if (session_.file().empty()) {
        open_dialog(Dialog::save, suggested(".json"));
      } else {
        save_to({Dialog::save, session_.file()});
      }
      break;
    case Command::left_behind: list_left_behind(workspace_.left_behind()); break;
    case Command::reload: reload(workspace_.shown_file(), Opening::Why::reload); break;
    case Command::save_as: open_dialog(Dialog::save, suggested(".json")); break;
    case Command::export_figure:
      open_dialog(Dialog::export_figure,
                  free_export_path(stem + "-" + session_.experiment().view.name, transient_.export_settings));
      break;
    case Command::animation: open_animation(stem); break;
    case Command::export_trace: open_dialog(Dialog::export_trace, suggested(".safetensors")); break;
    case Command::copy_script:
      ImGui::SetClipboardText(pytorch_script(session_.experiment()).c_str());
      say("copied the experiment as a PyTorch script", false);
      break;
    case Command::copy_figure: copy_figure(); break;
    case Command::copy_matrix_tsv: copy_matrix(MatrixFormat::tsv); break;
    case Command::copy_matrix_markdown: copy_matrix(MatrixFormat::markdown); break;
    case Command::copy_matrix_latex: copy_matrix(MatrixFormat::latex); break;
    case Command::theme_dark:
    case Command::theme_light:
      theme_ = command == Command::theme_dark ? Theme::dark : Theme::light;
      remember_theme();
      apply_style(colors(), scale_);
      break;
    case Command::toggle_inspector: inspector_shown_ = !inspector_shown_; break;
    case Command::pin_experiment: pin_experiment(); break;
    case Command::let_go_of_pinned:
      pinned_.reset();
      to_pin_.reset();
      break;
    case Command::fit_view: transient_.camera = {}; break;
    case Command::shortcuts: open_dialog(Dialog::shortcuts, {}); break;
    case Command::about: open_dialog(Dialog::about, {}); break;
    case Command::cancel:
      to_pin_.reset();
      worker_.cancel();
      if (figure_writing_) figure_writing_->job.cancel();
      break;
  }
}

void Workbench::compare_with(Experiment pinned) {
  to_pin_ = std::move(pinned);
  requested_.reset();
  request_computation();
}

void Workbench::carry_out(const DialogResult& result) {
  switch (result.dialog) {
    case Dialog::animation: return carry_out_animation(result);
    case Dialog::unsaved: return answer_unsaved(result);
    case Dialog::left_behind: return answer_left_behind(result);
    case Dialog::save: return save_to(result);
    case Dialog::open:
      return read({result.path, is_text_name(result.path) ? FileKind::labels : FileKind::source}, Opening::Why::open);
    case Dialog::open_picture: return read({result.path, FileKind::picture}, Opening::Why::open);
    default: return write_out(result);
  }
}

Result<std::vector<std::filesystem::path>> Workbench::written_by(const DialogResult& result) const {
  if (result.dialog == Dialog::export_figure) return export_paths(result.path, transient_.export_settings);
  return std::vector<std::filesystem::path>{result.path};
}

void Workbench::write_out(const DialogResult& result) {
  const Result<std::vector<std::filesystem::path>> paths = written_by(result);
  Result<void> done;
  if (!trace_) {
    done = fail("nothing is computed yet that could be exported");
  } else if (!paths) {
    done = tl::unexpected(paths.error());
  } else if (asks(workspace_.question_before_writing(*paths), result.replaces)) {
    return;
  } else if (result.dialog == Dialog::export_figure) {
    done = export_figure(*paths);
  } else {
    done = write_trace(*trace_, result.path);
    if (done) say("wrote " + printable(result.path), false);
  }
  if (!done) {
    transient_.dialog_error = done.error().message;
    say(done.error().message, true);
    return;
  }
  transient_.dialog = Dialog::none;
}

void Workbench::remember_file(const std::string& path) {
  const UserState before = user_state_;
  user_state_.add_recent(path);
  if (user_state_ != before) static_cast<void>(write_user_state(user_folder_, user_state_));
}

void Workbench::remember_theme() {
  if (std::exchange(user_state_.theme, theme_) != theme_)
    static_cast<void>(write_user_state(user_folder_, user_state_));
}

void Workbench::open_file(const std::string& path) { read({path, FileKind::any}, Opening::Why::open); }

void Workbench::say(const std::string& message, bool is_error) {
  transient_.message = message;
  transient_.message_is_error = is_error;
  transient_.message_copies.clear();
  transient_.message_until = ImGui::GetTime() + kMessageSeconds;
}

}  // namespace attnscope::ui
