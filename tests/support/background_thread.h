// A thread that ends with its owner, for tests that do two things at once.
#pragma once

#include <functional>
#include <thread>
#include <utility>

#include "core/base/stop.h"

namespace attnscope::test {

/// A thread that is asked to stop, and joined, when this object is destroyed. Owners declare it last: the thread uses
/// the members above it, which must exist before it starts and until it has ended.
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

 private:
  StopSource stop_;  ///< before the thread, which starts with its token
  std::thread thread_;
};

}  // namespace attnscope::test
