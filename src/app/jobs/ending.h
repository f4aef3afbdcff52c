// What is done in the last moment when the process is told to end.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace attnscope {

/// Has something done before the process ends by SIGTERM, SIGHUP or SIGINT, or because a library calls `exit`, as Xlib
/// does when the display is gone. A thread waits for the signals, so that they are heard while the others work. To be
/// made before other threads, for those must leave the signals to this one; there is one at a time.
class EndingWatch {
 public:
  EndingWatch();
  ~EndingWatch();
  EndingWatch(const EndingWatch&) = delete;
  EndingWatch& operator=(const EndingWatch&) = delete;

  /// From now on that is done, once, from another thread; it must not wait for this one. Empty: nothing.
  void set_last_act(std::function<void()> act);

 private:
  void wait(const ::sigset_t& heard);
  void act();

  ::sigset_t signals_{};  ///< those that are not ignored
  ::sigset_t before_{};   ///< what was blocked
  std::mutex mutex_;
  std::function<void()> act_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

/// Has it done in the last moment, as long as this is there.
class LastAct {
 public:
  LastAct(EndingWatch& watch, std::function<void()> act) : watch_(watch) { watch_.set_last_act(std::move(act)); }
  ~LastAct() { watch_.set_last_act({}); }
  LastAct(const LastAct&) = delete;
  LastAct& operator=(const LastAct&) = delete;

 private:
  EndingWatch& watch_;
};

}  // namespace attnscope
