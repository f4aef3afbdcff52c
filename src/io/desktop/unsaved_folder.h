// Work that is not saved, kept in the user's folder for the case that the program ends before it is.
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

/// A document with edits that are in no file of the user's.
struct UnsavedWork {
  Experiment experiment;
  std::string file;     ///< where it was opened from or saved to, an absolute path; empty: nowhere yet
  std::string version;  ///< `content_version` of that file when it was last read or written here; empty: unknown
  std::string title;    ///< what the window calls it

  friend bool operator==(const UnsavedWork&, const UnsavedWork&) = default;
};

/// Unsaved work of a program that runs no longer, as far as it is known without reading the experiment.
struct UnsavedEntry {
  std::filesystem::path path;  ///< where it is kept
  std::string file;            ///< see UnsavedWork
  std::string version;
  std::string title;
  std::int64_t saved_at = 0;  ///< seconds since 1970, UTC
  bool tried = false;         ///< restoring it did not come to an end
  std::string trouble;        ///< why it cannot be read; empty: nothing is known against it
};

/// One program's share in that folder: an entry for each of its documents that has unsaved edits. Which programs run is
/// known from locks that end with them: numbers of processes come again, in containers with every start. Nothing is
/// ever removed but by `remove` and `discard`. Any thread may ask.
class UnsavedFolder {
 public:
  /// An empty path: nothing is kept.
  explicit UnsavedFolder(std::filesystem::path folder);
  /// Entries that are there stay, to be found by the next program.
  ~UnsavedFolder();
  UnsavedFolder(const UnsavedFolder&) = delete;
  UnsavedFolder& operator=(const UnsavedFolder&) = delete;

  /// Keeps the work as the entry of that document, in the place of what was kept of it before.
  Result<void> keep(std::uint64_t document, const UnsavedWork& work);
  /// The document has nothing unsaved any more, or its user said no to it.
  void remove(std::uint64_t document);

  /// What programs left that run no longer, the newest first; and what could not be restored here.
  [[nodiscard]] std::vector<UnsavedEntry> left_behind() const;
  /// Makes the entry this program's own, marked as tried, and reads it. Fails where another program was quicker, and
  /// where it cannot be read or what it needs is gone: then it stays, to be offered again.
  Result<UnsavedWork> take(UnsavedEntry& entry);
  /// What was taken is that document now.
  void restored(const UnsavedEntry& entry, std::uint64_t document);
  /// The document was shown: restoring it did come to an end.
  void shown(std::uint64_t document);
  /// The user wants none of it.
  Result<void> discard(const UnsavedEntry& entry);

 private:
  Result<void> claim_name();
  [[nodiscard]] bool owner_runs(const std::string& owner) const;
  [[nodiscard]] std::filesystem::path entry_path(std::uint64_t number, bool tried) const;

  std::filesystem::path folder_;
  mutable std::mutex mutex_;                                ///< of what follows
  std::string owner_;                                       ///< this program's name in the folder; empty: none yet
  std::unique_ptr<Descriptor> lock_;                        ///< on the file that says that this program runs
  std::map<std::uint64_t, std::filesystem::path> entries_;  ///< by document
  std::uint64_t taken_ = 0;                                 ///< how many entries of others were
};

}  // namespace attnscope
