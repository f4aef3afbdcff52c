// One piece of work in the background.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "core/base/background_thread.h"

namespace attnscope {

/// A thread for one piece of work. The destructor stops it and waits for its end.
template <typename Result>
class BackgroundTask {
 public:
  /// `wake` is called from the thread at the end.
  BackgroundTask(std::function<Result(const StopToken&)> work, std::function<void()> wake)
      : thread_([this, work = std::move(work), wake = std::move(wake)](const StopToken& stop) {
          Result result = work(stop);
          {
            const std::scoped_lock lock(mutex_);
            result_ = std::move(result);
          }
          ended_.notify_all();
          wake();
        }) {}

  /// Asks the work to stop.
  void cancel() { thread_.request_stop(); }
  [[nodiscard]] bool cancelled() const { return thread_.stop_requested(); }
  /// Waits for the end, at most that long; whether the work has ended.
  bool wait(StopClock::duration most) const {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, most, [this] { return result_.has_value(); });
  }
  /// The result, once the work has ended.
  [[nodiscard]] std::optional<Result> result() const {
    const std::scoped_lock lock(mutex_);
    return result_;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  std::optional<Result> result_;
  BackgroundThread thread_;
};

}  // namespace attnscope
