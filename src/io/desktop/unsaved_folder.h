// Unsaved work, kept in the user's folder in case the program ends before it is saved.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/experiment/experiment.h"

namespace attnscope {

class Descriptor;

/// A document with edits that are in no file of the user.
struct UnsavedWork {
  Experiment experiment;
  std::string file;     ///< the absolute path from which it was opened or to which it was saved; empty: none yet
  std::string version;  ///< `content_version` of that file when it was last read or written here; empty: unknown
  std::string title;    ///< what the window calls it

  friend bool operator==(const UnsavedWork&, const UnsavedWork&) = default;
};

/// Unsaved work of a program that no longer runs, as far as it is known without reading the experiment.
struct UnsavedEntry {
  std::filesystem::path path;  ///< where it is kept
  std::string file;            ///< see UnsavedWork
  std::string version;
  std::string title;
  std::int64_t saved_at = 0;  ///< seconds since 1970, UTC
  bool tried = false;         ///< restoring it was begun and never completed
  std::string trouble;        ///< why it cannot be read; empty: no reason is known
};

/// One program's share of that folder: an entry for each of its documents with unsaved edits. Locks show which programs
/// run, because they end with them; process numbers do not, because they are used again, in containers at every start.
/// Only `remove` and `discard` remove anything. Any thread may ask.
class UnsavedFolder {
 public:
  /// An empty path: nothing is kept.
  explicit UnsavedFolder(std::filesystem::path folder);
  /// Existing entries stay, for the next program to find.
  ~UnsavedFolder();
  UnsavedFolder(const UnsavedFolder&) = delete;
  UnsavedFolder& operator=(const UnsavedFolder&) = delete;

  /// Keeps the work as the entry of that document, and replaces its last version.
  Result<void> keep(std::uint64_t document, const UnsavedWork& work);
  /// The document has nothing unsaved any more, or the user discarded it.
  void remove(std::uint64_t document);

  /// What programs left behind that no longer run, the newest first, and what could not be restored here.
  [[nodiscard]] std::vector<UnsavedEntry> left_behind() const;
  /// Makes the entry this program's, marks it as tried, and reads it. Fails if another program was quicker, if it
  /// cannot be read, or if a file that it needs is gone: then it stays, to be offered again.
  Result<UnsavedWork> take(UnsavedEntry& entry);
  /// The entry that was taken belongs to that document now.
  void restored(const UnsavedEntry& entry, std::uint64_t document);
  /// The document was shown: restoring it is complete.
  void shown(std::uint64_t document);
  /// The user does not want it.
  Result<void> discard(const UnsavedEntry& entry);

 private:
  Result<void> claim_name();
  [[nodiscard]] bool owner_runs(const std::string& owner) const;
  [[nodiscard]] std::filesystem::path entry_path(std::uint64_t number, bool tried) const;

  std::filesystem::path folder_;
  mutable std::mutex mutex_;                                ///< guards what follows
  std::string owner_;                                       ///< this program's name in the folder; empty: none yet
  std::unique_ptr<Descriptor> lock_;                        ///< on the file that shows that this program runs
  std::map<std::uint64_t, std::filesystem::path> entries_;  ///< by document
  std::uint64_t taken_ = 0;                                 ///< the number of entries taken from others
};

}  // namespace attnscope
