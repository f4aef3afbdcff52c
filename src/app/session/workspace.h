// The user's documents: what is open, where it is saved, and what of it is in no file yet.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/jobs/autosave.h"
#include "app/session/session.h"
#include "core/base/result.h"

namespace attnscope {

/// Keeps one rule: what is unsaved can be restored until it was saved or its user said no; and writes no file that they
/// did not name. It asks nothing itself: whoever shows it does, and says here what the answer was.
class Workspace {
 public:
  /// `user_folder`: where unsaved work is kept; empty: nowhere. `wake` is called from another thread when there is
  /// trouble with that.
  Workspace(Session session, std::filesystem::path user_folder, double memory_budget, std::function<void()> wake);

  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] const Session& session() const { return session_; }
  /// What the open document is called: its file's name, a lesson's title, or a system.
  [[nodiscard]] std::string title() const;
  /// The file that the open document is about: its own, or that of the tensors that it shows; empty: none.
  [[nodiscard]] std::string shown_file() const;

  /// Notes what is unsaved by now; to be called after every change. Another thread writes it.
  void keep();
  /// Has it written now; from any thread.
  void save_now() { autosave_.save_now(); }
  /// Why unsaved work cannot be kept, once for every reason.
  std::optional<std::string> take_trouble() { return autosave_.take_trouble(); }

  /// Whether nothing would be lost by leaving everything that is open. Closes a lesson without edits that lies over a
  /// document with some: that is what has to be asked about then.
  bool may_leave();
  /// The same of the open lesson alone; what lies under it stays open.
  [[nodiscard]] bool may_leave_lesson() const;
  /// The user does not want the edits that this stopped at, as they are now. Those of a lesson go with it; a document
  /// stays open until it is left.
  void give_up_edits();
  /// Everything that is open was saved or given up: nothing of it is kept.
  void close();

  /// Makes what was read from `file` the document; empty: it is in no file of its own.
  void open(Experiment experiment, const std::string& file, std::string version);

  /// What has to be asked before the document is saved there: a line for the user; empty: nothing. Fails where it
  /// cannot be saved in any case.
  [[nodiscard]] Result<std::string> question_before_saving(const std::string& path) const;
  /// Writes the document. What has to be asked was.
  Result<void> save(const std::string& path);
  /// The same for other files that are to be written.
  [[nodiscard]] Result<std::string> question_before_writing(std::span<const std::filesystem::path> paths) const;

  /// Unsaved work of programs that run no longer, the newest first.
  [[nodiscard]] std::vector<UnsavedEntry> left_behind() { return autosave_.folder().left_behind(); }
  /// Of that file only.
  [[nodiscard]] std::vector<UnsavedEntry> left_behind_of(const std::string& file);
  /// Makes it the document, to be saved where it came from, or nowhere yet where its file has changed since: that is
  /// newer. Returns what there is to say. What cannot be shown stays to be offered again.
  Result<std::string> restore(UnsavedEntry entry);
  /// The document that was restored has been shown.
  void shown() { autosave_.folder().shown(session_.document()); }
  Result<void> discard(const UnsavedEntry& entry) { return autosave_.folder().discard(entry); }

 private:
  /// What the user did not want to keep.
  struct GivenUp {
    std::uint64_t document;
    Experiment experiment;
  };

  [[nodiscard]] bool is_given_up() const;
  void close_lesson();
  /// Fails where `path` has the tensors that are open here.
  [[nodiscard]] Result<void> check_not_open(const std::filesystem::path& path) const;

  Session session_;
  double memory_budget_;
  std::optional<GivenUp> given_up_;
  std::optional<std::uint64_t> kept_revision_;  ///< of the session, when what is unsaved was noted last
  Autosave autosave_;
};

}  // namespace attnscope
