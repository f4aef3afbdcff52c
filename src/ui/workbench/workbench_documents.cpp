// The workbench's share in documents: leaving, saving and restoring them. What is lost otherwise is asked about first.
#include <algorithm>
#include <utility>

#include "io/base/paths.h"
#include "io/base/printable.h"
#include "ui/workbench/workbench.h"

namespace attnscope::ui {

void Workbench::keep_unsaved() {
  // A question that was closed has been answered: nothing is left.
  if (leaving_ && transient_.dialog == Dialog::none) leaving_.reset();
  workspace_.keep();
  if (const std::optional<std::string> trouble = workspace_.take_trouble()) say(*trouble, true);
  const bool is_shown = trace_ && built_for_ && built_for_->trace == trace_ &&
                        same_computation(trace_->experiment(), session_.experiment());
  if (restoring_ && is_shown) workspace_.shown();
  restoring_ = restoring_ && !is_shown;
}

void Workbench::leave(Leaving leaving) {
  const bool may = leaving.lesson_only ? workspace_.may_leave_lesson() : workspace_.may_leave();
  if (may) {
    leaving.then();
    request_computation();
    return;
  }
  open_dialog(Dialog::unsaved, workspace_.title());
  leaving_ = std::move(leaving);
}

bool Workbench::asks_before(const Action& action) {
  const bool leaves =
      std::holds_alternative<OpenLesson>(action.edit) || std::holds_alternative<CloseLesson>(action.edit);
  if (!leaves || workspace_.may_leave_lesson()) return false;
  leave({[this, action] { apply(action); }, true});
  return true;
}

void Workbench::answer_unsaved(const DialogResult& result) {
  if (result.saves) {
    if (!session_.file().empty()) return save_to({Dialog::save, session_.file()});
    const std::filesystem::path suggestion = workspace_.title() + ".json";
    return open_dialog(Dialog::save, free_path(suggestion).string());
  }
  workspace_.give_up_edits();
  transient_.dialog = Dialog::none;
  if (std::optional<Leaving> leaving = std::exchange(leaving_, std::nullopt)) leave(std::move(*leaving));
}

void Workbench::ask_to_quit() {
  leave({[this] {
    workspace_.close();
    quit_ = true;
  }});
}

bool Workbench::asks(const Result<std::string>& asked, bool confirmed) {
  if (!asked) {
    transient_.dialog_error = asked.error().message;
    say(asked.error().message, true);
    return true;
  }
  // Only the question that was seen is answered.
  const bool answered = confirmed && *asked == transient_.dialog_question;
  transient_.dialog_question = answered ? std::string() : *asked;
  transient_.dialog_error.clear();
  return !transient_.dialog_question.empty();
}

void Workbench::save_to(const DialogResult& result) {
  // What is asked is asked in the dialog, and where there is none yet it is opened for that.
  if (transient_.dialog != Dialog::save) open_dialog(Dialog::save, result.path);
  if (asks(workspace_.question_before_saving(result.path), result.replaces)) return;
  if (const Result<void> done = workspace_.save(result.path); !done) {
    transient_.dialog_error = done.error().message;
    return say(done.error().message, true);
  }
  watch_.know(session_.file());
  transient_.dialog = Dialog::none;
  remember_file(result.path);
  say("wrote " + printable(result.path), false);
  if (std::optional<Leaving> leaving = std::exchange(leaving_, std::nullopt)) leave(std::move(*leaving));
}

void Workbench::offer_left_behind_of(const std::string& file) {
  if (std::vector<UnsavedEntry> entries = workspace_.left_behind_of(file); !entries.empty())
    list_left_behind(std::move(entries));
}

void Workbench::offer_left_behind(bool named) {
  if (named) return offer_left_behind_of(workspace_.shown_file());
  std::vector<UnsavedEntry> entries = workspace_.left_behind();
  if (entries.empty()) return;
  const UnsavedEntry newest = entries.front();
  if (newest.tried || !newest.trouble.empty()) return list_left_behind(std::move(entries));
  restore(newest);
  if (entries.size() > 1)
    say(transient_.message + " · " + std::to_string(entries.size() - 1) + " more: File > Unsaved work…",
        transient_.message_is_error);
}

void Workbench::list_left_behind(std::vector<UnsavedEntry> entries) {
  transient_.left_behind = std::move(entries);
  open_dialog(Dialog::left_behind, {});
}

void Workbench::answer_left_behind(const DialogResult& result) {
  const UnsavedEntry entry = *result.entry;
  if (!result.discards) {
    transient_.dialog = Dialog::none;
    return leave({[this, entry] { restore(entry); }});
  }
  if (const Result<void> done = workspace_.discard(entry); !done) return say(done.error().message, true);
  std::erase_if(transient_.left_behind, [&](const UnsavedEntry& each) { return each.path == entry.path; });
  if (transient_.left_behind.empty()) transient_.dialog = Dialog::none;
}

void Workbench::restore(const UnsavedEntry& entry) {
  const Result<std::string> done = workspace_.restore(entry);
  restoring_ = done.has_value();
  if (done) return say(*done, false);
  say(done.error().message + " · it is kept: File > Unsaved work…", true);
}

}  // namespace attnscope::ui
