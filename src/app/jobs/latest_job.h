// Background work where only the newest request counts.
#pragma once

#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <utility>

#include "core/base/background_loop.h"
#include "core/base/stop.h"

namespace attnscope {

/// Works on one request at a time, in the background. A newer request replaces the waiting one; `Work::time_for` decides
/// whether the running one may finish. Stopped work has no result.
template <typename Request, typename Result>
class LatestJob {
 public:
  struct Work {
    /// Called in the background loop. It may return early once it is stopped. Where others wait for the loop, it may
    /// return nothing, and is called again in the next step.
    std::function<std::optional<Result>(const Request&, const StopToken&)> run;
    /// How long `running` may take in all once `newer` waits; nothing: as long as it needs. Null: no time.
    std::function<std::optional<StopClock::duration>(const Request& running, const Request& newer)> time_for;
    /// Called in the background loop after each piece of work; it must not wait for the owner. May be null.
    std::function<void()> ready;
  };

  explicit LatestJob(Work work) : work_(std::move(work)), loop_([this] { return step(); }) {}
  ~LatestJob() { cancel(); }
  LatestJob(const LatestJob&) = delete;
  LatestJob& operator=(const LatestJob&) = delete;

  void request(Request request) {
    {
      const std::scoped_lock lock(mutex_);
      if (running_) hurry(request);
      waiting_ = std::move(request);
    }
    loop_.wake();
  }

  /// Drops the waiting request, the running one, and a result that was not taken.
  void cancel() {
    const std::scoped_lock lock(mutex_);
    forget();
  }

  /// The newest result, once.
  std::optional<Result> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(result_, std::nullopt);
  }

  /// Waits until nothing waits or runs, at most that long; whether nothing does.
  bool wait_until_idle(StopClock::duration most) {
    std::unique_lock lock(mutex_);
    return loop_.wait(lock, most, [this] { return !waiting_ && !running_; });
  }

  [[nodiscard]] bool busy() const {
    const std::scoped_lock lock(mutex_);
    return waiting_.has_value() || running_.has_value();
  }
  [[nodiscard]] bool has_result() const {
    const std::scoped_lock lock(mutex_);
    return result_.has_value();
  }

 private:
  struct Running {
    Request request;
    StopSource stop = {};
    StopClock::time_point since = StopClock::now();
  };

  // To be called with the lock.
  void hurry(const Request& newer) {
    const auto time = work_.time_for ? work_.time_for(running_->request, newer) : StopClock::duration::zero();
    if (time) running_->stop.request_stop_at(running_->since + *time);
  }
  void forget() {
    waiting_.reset();
    result_.reset();
    if (running_) running_->stop.request_stop();
  }

  BackgroundLoop::Rest step() {
    {
      const std::scoped_lock lock(mutex_);
      if (!running_ && !waiting_) return std::nullopt;
      if (!running_) running_.emplace(Running{*std::exchange(waiting_, std::nullopt)});
    }
    const bool ended = work_on(running_->request, running_->stop.token());
    if (ended && work_.ready) work_.ready();
    return StopClock::duration::zero();
  }
  /// Returns whether it has ended.
  bool work_on(const Request& request, const StopToken& stop) {
    std::optional<Result> result;
    try {
      result = work_.run(request, stop);
      if (!result && !stop.stop_requested()) return false;
    } catch (const std::bad_alloc&) {
      // Without a result: the next request may need less.
    }
    std::optional<Running> done;  // destroyed without the lock: it may be large
    {
      const std::scoped_lock lock(mutex_);
      if (!stop.stop_requested()) result_.swap(result);
      done = std::exchange(running_, std::nullopt);
    }
    loop_.notify_waiting();
    return true;
  }

  Work work_;
  mutable std::mutex mutex_;
  std::optional<Request> waiting_;
  std::optional<Running> running_;
  std::optional<Result> result_;
  BackgroundLoop loop_;
};

}  // namespace attnscope
