#include "ui/parts/file_dialogs.h"

#include <utility>

#include "io/base/paths.h"
#include "ui/dialogs/path_dialog.h"

namespace attnscope::ui {
namespace {

/// The path for a file to save, with the dialog's ending where it has none.
std::string with_ending(std::filesystem::path path, const PathDialog& dialog) {
  if (dialog.saves && !path.has_extension()) path += dialog.ending;
  return path.string();
}

FileQuestion question_of(const DialogState& state, const PathDialog& dialog, const std::string& parent_window) {
  FileQuestion question;
  question.saves = dialog.saves;
  question.several = dialog.dialog == Dialog::open;
  question.folder = dialog.folder;
  question.title = dialog.title;
  question.confirm = dialog.confirm;
  if (!state.path.empty()) question.start = absolute_path(state.path);
  if (!dialog.folder) question.filters = dialog.filters;
  question.parent_window = parent_window;
  return question;
}

}  // namespace

FileDialogs::FileDialogs(Shared& shared, FileDialogKind kind, std::string parent_window)
    : shared_(shared), kind_(kind), parent_window_(std::move(parent_window)), usable_(kind != FileDialogKind::own) {}

std::optional<DialogResult> FileDialogs::update() {
  DialogState& dialog = shared_.state.dialog;
  std::erase_if(ending_, [](const Asking& each) { return each.task->result().has_value(); });
  if (asking_ && dialog.open != asking_->dialog) cancel();
  std::optional<DialogResult> result;
  if (const std::optional<Answer> answer = asking_ ? asking_->task->result() : std::nullopt) {
    const Asking asked = *std::exchange(asking_, std::nullopt);
    result = take(asked, *answer);
    dialog.focus = true;
  }
  // An error or a question is shown in our own dialog.
  const bool opened = std::exchange(dialog.fresh, false) && asks_for_path_only(dialog.open) && dialog.error.empty() &&
                      dialog.question.empty();
  const bool browses = std::exchange(dialog.browse, false);
  if ((opened || browses) && usable_ && !asking_) ask(browses);
  dialog.on_desktop = asking_ && !asking_->browses;
  dialog.can_browse = usable_;
  return result;
}

void FileDialogs::ask(bool browses) {
  const DialogState& dialog = shared_.state.dialog;
  const PathDialog* text = find_path_dialog(dialog.open);
  if (text == nullptr) return;
  const auto work = [kind = kind_, question = question_of(dialog, *text, parent_window_)](const StopToken& stop) {
    return ask_for_files(kind, question, stop);
  };
  asking_ = Asking{dialog.open, browses, std::make_unique<BackgroundTask<Answer>>(work, shared_.wake)};
}

void FileDialogs::cancel() {
  asking_->task->cancel();
  ending_.push_back(std::move(*asking_));
  asking_.reset();
}

std::optional<DialogResult> FileDialogs::take(const Asking& asking, const Answer& answer) {
  DialogState& dialog = shared_.state.dialog;
  if (!answer) {
    shared_.state.refuse(answer.error().message);
    return std::nullopt;
  }
  if (!*answer) {
    usable_ = false;
    return std::nullopt;
  }
  const ChosenFiles& files = **answer;
  if (files.empty()) {
    if (!asking.browses) dialog.open = Dialog::none;
    return std::nullopt;
  }
  const PathDialog& text = *find_path_dialog(asking.dialog);
  dialog.path = with_ending(files.front(), text);
  dialog.error.clear();
  dialog.question.clear();
  // The desktop asked about the file that it returned, and about no other.
  if (text.saves) dialog.agreed = {files.front()};
  if (asking.browses && !asks_for_path_only(asking.dialog)) {
    dialog.browsed = true;
    return std::nullopt;
  }
  DialogResult result = {asking.dialog, dialog.path};
  for (const std::filesystem::path& file : files) {
    if (file != files.front()) result.more.push_back(file.string());
  }
  return result;
}

}  // namespace attnscope::ui
