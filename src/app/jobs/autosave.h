// Keeps what is not saved while the user works, without making anybody wait for the disk.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "core/base/background_thread.h"
#include "io/desktop/unsaved_folder.h"

namespace attnscope {

/// A document with unsaved edits, as it is now.
struct UnsavedDocument {
  std::uint64_t document = 0;  ///< see Session::document
  const Experiment& experiment;
  const std::string& file;
  const std::string& version;
  std::string title;
};

/// A thread that writes the newest state of every document with unsaved edits into the user's folder: the first edit at
/// once, those that follow some tenths of a second later.
class Autosave {
 public:
  /// `wake` is called from the thread when there is trouble to take; it must not wait for the owner.
  Autosave(std::filesystem::path folder, std::function<void()> wake);
  /// What the thread has not written by now stays unwritten; `save_now` comes first where the program ends in order.
  ~Autosave();
  Autosave(const Autosave&) = delete;
  Autosave& operator=(const Autosave&) = delete;

  /// All documents with unsaved edits. What was kept of others is removed: they were saved, or their user said no.
  void keep(std::span<const UnsavedDocument> unsaved);
  /// The document was restored from that entry of the folder.
  void restored(const UnsavedEntry& entry, std::uint64_t document);
  /// Writes and removes what is due, and returns when that is done. From any thread.
  void save_now();
  /// Why nothing can be kept, once for every reason.
  std::optional<std::string> take_trouble();

  /// Where entries of earlier programs are offered from.
  [[nodiscard]] UnsavedFolder& folder() { return folder_; }

 private:
  using Works = std::map<std::uint64_t, std::shared_ptr<const UnsavedWork>>;

  void work(const StopToken& ending);

  UnsavedFolder folder_;
  std::function<void()> wake_;

  std::mutex writing_;  ///< while files are written; taken before `mutex_`
  Works written_;       ///< what is in the folder

  std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  bool due_ = false;
  Works wanted_;
  std::string trouble_;  ///< the last there was
  bool trouble_said_ = true;
  BackgroundThread thread_;
};

}  // namespace attnscope
