// A thread that ends with its owner.
#pragma once

#include <functional>
#include <thread>
#include <utility>

#include "core/base/stop.h"

namespace attnscope {

/// Asked to stop, and joined, when this object is destroyed. Owners declare it last, because the thread uses the
/// members above it. An owner whose thread waits for a condition calls `request_stop` under the lock of that condition,
/// and then wakes the thread.
class BackgroundThread {
 public:
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
  StopSource stop_;
  std::thread thread_;
};

}  // namespace attnscope
