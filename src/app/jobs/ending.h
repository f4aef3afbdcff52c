// A last action when the process is told to end.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace attnscope {

/// Runs a last action before the process ends by SIGTERM, SIGHUP or SIGINT, or because a library calls `exit`, as Xlib
/// does when the display is gone. A thread waits for the signals. Construct it before other threads start: they inherit
/// the blocked signals. There is one at a time.
class EndingWatch {
 public:
  EndingWatch();
  ~EndingWatch();
  EndingWatch(const EndingWatch&) = delete;
  EndingWatch& operator=(const EndingWatch&) = delete;

  /// Sets the action. It runs once, in another thread, and must not wait for this one. Empty: none.
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

/// Sets a last action for its own lifetime.
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
