// Keeps unsaved work in the background, so the user never waits for the disk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "core/base/background_loop.h"
#include "core/base/stop.h"
#include "io/desktop/unsaved_folder.h"

namespace attnscope {

/// A document with unsaved edits.
struct UnsavedDocument {
  std::uint64_t document = 0;  ///< see Session::document
  const Experiment& experiment;
  const std::string& file;
  const std::string& version;
  std::string title;
};

/// Writes every document with unsaved edits into the user's folder, in the background: the first edit at once, later ones
/// within some tenths of a second. Its end does not write what is due: call `save_now` first where the program ends
/// normally.
class Autosave {
 public:
  /// `wake` is called from the background loop after a failure; it must not wait for the owner.
  Autosave(std::filesystem::path folder, std::function<void()> wake);
  /// Sets all documents with unsaved edits. Others were saved or discarded, and their files are removed.
  void keep(std::span<const UnsavedDocument> unsaved);
  /// Notes that the document was restored from that entry.
  void restored(const UnsavedEntry& entry, std::uint64_t document);
  /// Writes and removes what is due before it returns; from any thread.
  void save_now();
  /// Why nothing can be kept; every reason once.
  std::optional<std::string> take_trouble();

  /// The folder with the entries of earlier programs.
  [[nodiscard]] UnsavedFolder& folder() { return folder_; }

 private:
  using Works = std::map<std::uint64_t, std::shared_ptr<const UnsavedWork>>;

  BackgroundLoop::Rest step();

  UnsavedFolder folder_;
  std::function<void()> wake_;

  std::mutex writing_;  ///< while files are written; taken before `mutex_`
  Works written_;       ///< what is in the folder

  std::mutex mutex_;  ///< of the fields below
  bool due_ = false;
  Works wanted_;
  std::string trouble_;  ///< the last reason
  bool trouble_said_ = true;
  StopClock::time_point next_write_;  ///< the loop's alone
  BackgroundLoop loop_;
};

}  // namespace attnscope
