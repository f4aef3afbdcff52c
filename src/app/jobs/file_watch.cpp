#include "app/jobs/file_watch.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace attnscope {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{500};

}  // namespace

FileWatch::FileWatch(std::function<void()> changed) : changed_(std::move(changed)), loop_([this] { return step(); }) {}

std::optional<FileWatch::Stamp> FileWatch::stamp_of(const std::string& file) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) != 0) return std::nullopt;
  return Stamp{status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

void FileWatch::watch(const std::vector<std::string>& files) {
  const std::lock_guard lock(mutex_);
  std::vector<Watched> watched;
  for (const std::string& file : files) {
    const auto known =
        std::find_if(files_.begin(), files_.end(), [&](const Watched& each) { return each.file == file; });
    if (known != files_.end()) {
      watched.push_back(std::move(*known));
    } else {
      const std::optional<Stamp> now = stamp_of(file);
      watched.push_back({file, now, now, false});
    }
  }
  files_ = std::move(watched);
  loop_.wake();
}

void FileWatch::know(const std::string& file) {
  const std::lock_guard lock(mutex_);
  for (Watched& each : files_) {
    if (each.file != file) continue;
    each.known = each.last = stamp_of(file);
    each.changed = false;
  }
}

std::vector<std::string> FileWatch::take_changed() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> changed;
  for (Watched& each : files_) {
    if (std::exchange(each.changed, false)) changed.push_back(each.file);
  }
  return changed;
}

bool FileWatch::look() {
  std::vector<std::string> names;
  {
    const std::lock_guard lock(mutex_);
    for (const Watched& each : files_) names.push_back(each.file);
  }
  // Without the lock: a network disk may be slow.
  std::vector<std::optional<Stamp>> stamps;
  stamps.reserve(names.size());
  for (const std::string& name : names) stamps.push_back(stamp_of(name));
  bool any = false;
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found =
        std::find_if(files_.begin(), files_.end(), [&](const Watched& each) { return each.file == names[i]; });
    if (found == files_.end()) continue;
    const bool settled = stamps[i] == std::exchange(found->last, stamps[i]);
    if (!stamps[i] || !settled || stamps[i] == found->known) continue;
    found->known = stamps[i];
    found->changed = true;
    any = true;
  }
  return any;
}

BackgroundLoop::Rest FileWatch::step() {
  const StopClock::time_point now = StopClock::now();
  if (next_look_ && now >= *next_look_) {
    next_look_.reset();
    if (look()) changed_();
  }
  {
    const std::lock_guard lock(mutex_);
    if (files_.empty() && !next_look_) return std::nullopt;
  }
  if (!next_look_) next_look_ = StopClock::now() + kBetweenLooks;
  return *next_look_ - StopClock::now();
}

}  // namespace attnscope
