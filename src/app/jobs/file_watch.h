// Notices when other programs write files that are open here.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/background_thread.h"

namespace attnscope {

/// Looks at a few files twice a second, beside everything else. A file has changed when another one stands in its place
/// or its size or time is another, and that has not gone on for one look more: not before it is written to the end. One
/// that is gone counts only once it is back.
class FileWatch {
 public:
  /// `changed` is called from another thread when there is something to take.
  explicit FileWatch(std::function<void()> changed);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Watches these from now on and no others. Of one that was watched already what it was then counts.
  void watch(const std::vector<std::string>& files);
  /// What stands in the file now is known: it was written from here.
  void know(const std::string& file);
  /// The files that have changed since they were last taken.
  std::vector<std::string> take_changed();

 private:
  /// What tells one state of a file from another.
  struct Stamp {
    std::uint64_t device = 0;
    std::uint64_t number = 0;
    std::int64_t size = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  struct Watched {
    std::string file;
    std::optional<Stamp> known;  ///< nothing where there was no file
    std::optional<Stamp> last;   ///< when it was last looked at
    bool changed = false;
  };

  static std::optional<Stamp> stamp_of(const std::string& file);
  void run(const StopToken& stop);
  /// Whether anything has changed that had not before.
  bool look();

  std::function<void()> changed_;
  std::mutex mutex_;  ///< of what follows
  std::condition_variable awake_;
  std::vector<Watched> files_;
  BackgroundThread thread_;
};

}  // namespace attnscope
