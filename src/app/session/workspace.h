// The user's documents: what is open, where it is saved, and what is unsaved.
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

/// Keeps one rule: unsaved work can be restored until the user saves or discards it, and no file is written that the
/// user did not name. The caller asks the user and passes the answers on.
class Workspace {
 public:
  /// `user_folder` keeps unsaved work; empty: nothing does. `wake` is called from another thread when that fails.
  Workspace(Session session, std::filesystem::path user_folder, double memory_budget, std::function<void()> wake);

  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] const Session& session() const { return session_; }
  /// The name of its file, of the lesson, or of the system.
  [[nodiscard]] std::string title() const;
  /// The document's own file, or that of its imported tensors; empty: none.
  [[nodiscard]] std::string shown_file() const;

  /// Keeps what is unsaved, in another thread. Call it after every change.
  void keep();
  /// Writes unsaved work now; from any thread.
  void save_now() { autosave_.save_now(); }
  /// Why unsaved work cannot be kept; every reason once.
  std::optional<std::string> take_trouble() { return autosave_.take_trouble(); }

  /// Whether everything that is open can be left without losing edits. Closes an unedited lesson on top of an edited
  /// document, which is then the one to ask about.
  bool may_leave();
  /// The same for the open lesson alone; the document under it stays open.
  [[nodiscard]] bool may_leave_lesson() const;
  /// The user discards the edits as they are now. An edited lesson closes; a document stays open until it is left.
  void give_up_edits();
  /// Everything that is open was saved or discarded: nothing needs to be kept.
  void close();

  /// Opens an experiment that was read from `file`; empty: it has no file of its own.
  void open(Experiment experiment, const std::string& file, std::string version);

  /// The question to ask before the document is saved there, on one line; empty: none. Fails where it must not be
  /// saved. `agreed`: existing files that the user already agreed to replace.
  [[nodiscard]] Result<std::string> question_before_saving(const std::string& path,
                                                           std::span<const std::filesystem::path> agreed = {}) const;
  /// Writes the document without asking.
  Result<void> save(const std::string& path);
  /// The question before other files are written.
  [[nodiscard]] Result<std::string> question_before_writing(std::span<const std::filesystem::path> paths,
                                                            std::span<const std::filesystem::path> agreed = {}) const;

  /// Unsaved work of programs that ended, newest first.
  [[nodiscard]] std::vector<UnsavedEntry> left_behind() { return autosave_.folder().left_behind(); }
  /// Only that of a file.
  [[nodiscard]] std::vector<UnsavedEntry> left_behind_of(const std::string& file);
  /// Opens it, to be saved to its file, or as a new document where the file has changed since. Returns a message for
  /// the user. Work that cannot be shown is kept and offered again.
  Result<std::string> restore(UnsavedEntry entry);
  /// Call it when the restored document has been shown.
  void shown() { autosave_.folder().shown(session_.document()); }
  Result<void> discard(const UnsavedEntry& entry) { return autosave_.folder().discard(entry); }

 private:
  /// Edits that the user discarded.
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
  std::optional<std::uint64_t> kept_revision_;  ///< of the session, at the last `keep`
  Autosave autosave_;
};

}  // namespace attnscope
