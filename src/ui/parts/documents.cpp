#include "ui/parts/documents.h"

#include <filesystem>
#include <utility>

#include "io/base/paths.h"
#include "io/base/printable.h"
#include "ui/parts/suggested_path.h"

namespace attnscope::ui {

void Documents::finish_frame(bool is_shown) {
  // Closing the dialog means staying, and so does opening another one in its place.
  const Dialog open = shared_.state.dialog.open;
  if (leaving_ && open != Dialog::unsaved && open != Dialog::save) leaving_.reset();
  shared_.workspace.keep();
  if (const std::optional<std::string> trouble = shared_.workspace.take_trouble()) shared_.say(*trouble, true);
  if (restoring_ && is_shown) shared_.workspace.shown();
  restoring_ = restoring_ && !is_shown;
}

void Documents::leave(Leaving leaving) {
  const bool may = leaving.lesson_only ? shared_.workspace.may_leave_lesson() : shared_.workspace.may_leave();
  if (may) return leaving.then();
  shared_.state.dialog.show(Dialog::unsaved, shared_.workspace.title());
  leaving_ = std::move(leaving);
}

void Documents::answer_unsaved(const DialogResult& result) {
  if (result.saves) {
    const std::string stem = suggested_stem(shared_.workspace, shared_.state, remembered_.state());
    return save(free_path(stem + ".json").string());
  }
  shared_.workspace.give_up_edits();
  shared_.state.dialog.open = Dialog::none;
  if (std::optional<Leaving> leaving = std::exchange(leaving_, std::nullopt)) leave(std::move(*leaving));
}

void Documents::ask_to_quit() {
  leave({[this] {
    shared_.workspace.close();
    quit_ = true;
  }});
}

void Documents::save(const std::string& suggestion) {
  const std::string& file = shared_.session().file();
  if (file.empty()) return shared_.state.dialog.show(Dialog::save, suggestion);
  save_to({Dialog::save, file});
}

void Documents::save_to(const DialogResult& result) {
  UiState& state = shared_.state;
  // The dialog asks the question; open it where there is none yet.
  if (state.dialog.open != Dialog::save) state.dialog.show(Dialog::save, result.path);
  if (state.asks(shared_.workspace.question_before_saving(result.path, state.dialog.agreed), result.replaces)) return;
  if (const Result<void> done = shared_.workspace.save(result.path); !done) return state.refuse(done.error().message);
  watch_.know(shared_.session().file());
  state.dialog.open = Dialog::none;
  remembered_.add_recent(result.path);
  state.say("wrote " + printable(result.path), false);
  if (std::optional<Leaving> leaving = std::exchange(leaving_, std::nullopt)) leave(std::move(*leaving));
}

void Documents::offer_left_behind_of(const std::string& file) {
  if (std::vector<UnsavedEntry> entries = shared_.workspace.left_behind_of(file); !entries.empty())
    list_left_behind(std::move(entries));
}

void Documents::offer_left_behind(bool named) {
  if (named) return offer_left_behind_of(shared_.workspace.shown_file());
  std::vector<UnsavedEntry> entries = shared_.workspace.left_behind();
  if (entries.empty()) return;
  const UnsavedEntry newest = entries.front();
  if (newest.tried || !newest.trouble.empty()) return list_left_behind(std::move(entries));
  restore(newest);
  const StatusMessage& message = shared_.state.message;
  if (entries.size() > 1)
    shared_.say(message.text + " · " + std::to_string(entries.size() - 1) + " more: File > Unsaved work…",
                message.is_error);
}

void Documents::list_left_behind(std::vector<UnsavedEntry> entries) {
  shared_.state.dialog.left_behind = std::move(entries);
  shared_.state.dialog.show(Dialog::left_behind, {});
}

void Documents::answer_left_behind(const DialogResult& result) {
  const UnsavedEntry entry = *result.entry;
  DialogState& dialog = shared_.state.dialog;
  if (!result.discards) {
    dialog.open = Dialog::none;
    return leave({[this, entry] { restore(entry); }});
  }
  if (const Result<void> done = shared_.workspace.discard(entry); !done) return shared_.say(done.error().message, true);
  std::erase_if(dialog.left_behind, [&](const UnsavedEntry& each) { return each.path == entry.path; });
  if (dialog.left_behind.empty()) dialog.open = Dialog::none;
}

void Documents::restore(const UnsavedEntry& entry) {
  const Result<std::string> done = shared_.workspace.restore(entry);
  restoring_ = done.has_value();
  if (done) return shared_.say(*done, false);
  shared_.say(done.error().message + " · still available under File > Unsaved work…", true);
}

}  // namespace attnscope::ui
