// A thread that ends with its owner.
#pragma once

#include <functional>
#include <thread>
#include <utility>

#include "core/base/stop.h"

namespace attnscope {

/// A thread that is asked to stop, and joined, when this object is destroyed. Owners declare it last: the thread uses
/// the members above it, which must exist before it starts and until it has ended.
///
/// An owner whose thread waits on a condition variable calls `request_stop` in its own destructor with the mutex of the
/// condition locked, and then notifies. Without the lock the thread could miss the request between its check and its
/// wait, and would never be joined.
class BackgroundThread {
 public:
  /// Runs `work` once, in a new thread. `work` polls the token and returns soon after a stop is requested.
  explicit BackgroundThread(std::function<void(const StopToken&)> work)
      : thread_([work = std::move(work), stop = stop_.token()] { work(stop); }) {}
  ~BackgroundThread() {
    request_stop();
    thread_.join();
  }
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;

  void request_stop() const { stop_.request_stop(); }
  [[nodiscard]] bool stop_requested() const { return stop_.stop_requested(); }

 private:
  StopSource stop_;  ///< before the thread, which starts with its token
  std::thread thread_;
};

}  // namespace attnscope
