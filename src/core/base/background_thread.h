// A thread that ends with its owner.
#pragma once

#include <functional>
#include <thread>
#include <utility>

#include "core/base/stop.h"

namespace attnscope {

/// Asked to stop, and waited for, when this object goes. Owners declare it last, because it uses what stands above it.
/// Those whose thread waits for something call `request_stop` with the lock of that, and wake it.
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
