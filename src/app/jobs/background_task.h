// One piece of work in the background.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "core/base/background_loop.h"
#include "core/base/result.h"
#include "core/base/stop.h"

namespace attnscope {

/// Does one piece of work beside the main loop. The destructor stops it and waits for its end. What the work throws, such
/// as for want of memory, becomes its error.
template <typename Result>
class BackgroundTask {
 public:
  /// `wake` is called from the background loop at the end.
  BackgroundTask(std::function<Result(const StopToken&)> work, std::function<void()> wake)
      : work_(std::move(work)), wake_(std::move(wake)), loop_([this] { return step(); }) {}
  ~BackgroundTask() {
    cancel();
    // The work always begins: it may have to clean up.
    std::unique_lock lock(mutex_);
    while (!loop_.wait(lock, std::chrono::hours(1), [this] { return result_.has_value(); })) continue;
  }
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;

  /// Asks the work to stop.
  void cancel() { stop_.request_stop(); }
  [[nodiscard]] bool cancelled() const { return stop_.stop_requested(); }
  /// Waits for the end, at most that long; whether the work has ended.
  bool wait(StopClock::duration most) {
    std::unique_lock lock(mutex_);
    return loop_.wait(lock, most, [this] { return result_.has_value(); });
  }
  /// The result, once the work has ended.
  [[nodiscard]] std::optional<Result> result() const {
    const std::scoped_lock lock(mutex_);
    return result_;
  }

 private:
  BackgroundLoop::Rest step() {
    if (result()) return std::nullopt;
    Result result = run();
    {
      const std::scoped_lock lock(mutex_);
      result_ = std::move(result);
    }
    loop_.notify_waiting();
    wake_();
    return std::nullopt;
  }

  Result run() const {
    try {
      return work_(stop_.token());
    } catch (const std::bad_alloc&) {
      return fail("there is not enough memory");
    } catch (const std::exception& error) {
      return fail(error.what());
    }
  }

  std::function<Result(const StopToken&)> work_;
  std::function<void()> wake_;
  StopSource stop_;
  mutable std::mutex mutex_;
  std::optional<Result> result_;
  BackgroundLoop loop_;
};

}  // namespace attnscope
