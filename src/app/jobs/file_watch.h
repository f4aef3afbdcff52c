// Notices when other programs change open files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/background_loop.h"
#include "core/base/stop.h"

namespace attnscope {

/// Checks a few files twice a second, in the background. A file has changed when it was replaced or has another size or time,
/// and the same at the next check: then it is written completely. A missing file counts only once it is back.
class FileWatch {
 public:
  /// `changed` is called from the background loop when there is something to take.
  explicit FileWatch(std::function<void()> changed);

  /// Watches these files and no others. A file already watched keeps its earlier baseline.
  void watch(const std::vector<std::string>& files);
  /// The file as it is now is known: we wrote it.
  void know(const std::string& file);
  /// The files that have changed since the last call.
  std::vector<std::string> take_changed();

 private:
  /// Tells one state of a file from another.
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
    std::optional<Stamp> known;  ///< nothing: there was no file
    std::optional<Stamp> last;   ///< at the last check
    bool changed = false;
  };

  static std::optional<Stamp> stamp_of(const std::string& file);
  BackgroundLoop::Rest step();
  /// Checks the files; whether another one has changed.
  bool look();

  std::function<void()> changed_;
  std::mutex mutex_;  ///< of the fields below
  std::vector<Watched> files_;
  std::optional<StopClock::time_point> next_look_;  ///< the loop's alone; nothing: there were no files
  BackgroundLoop loop_;
};

}  // namespace attnscope
