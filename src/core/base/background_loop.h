// Work beside the main loop: a thread of its own, or, where there are no threads, a slice of each frame.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "core/base/stop.h"

namespace attnscope {

/// Calls one function again and again, until this object is destroyed. Natively a thread does that
/// (background_loop.cpp). A program in a web page has no threads: there the main loop calls `run_slices` between two
/// frames (background_loop_web.cpp). The function therefore works first and then says how long the loop may rest; it
/// never waits itself.
///
/// Owners declare their loop last: the function uses the members above it, which must exist before the loop starts and
/// until it has ended.
class BackgroundLoop {
 public:
  /// How long the loop rests unless it is woken; nothing: until it is woken.
  using Rest = std::optional<StopClock::duration>;

  /// `step` does what is due. Its first call comes at once.
  explicit BackgroundLoop(std::function<Rest()> step);
  /// Waits for the end of a step that is running; no other one follows.
  ~BackgroundLoop();
  BackgroundLoop(const BackgroundLoop&) = delete;
  BackgroundLoop& operator=(const BackgroundLoop&) = delete;

  /// Another step follows, after the one that may be running; from any thread, with or without the owner's locks.
  void wake();

  /// Waits until `done`, at most that long; whether it is. `lock` is held at each call of `done` and released
  /// meanwhile. Where there are no threads, the loop's steps run here instead. Not to be called from a step.
  bool wait(std::unique_lock<std::mutex>& lock, StopClock::duration most, const std::function<bool()>& done);
  /// What `wait` waits for may have changed.
  void notify_waiting();

  /// Where there are no threads: steps of all loops in turn, while any is due and until that much time has passed;
  /// whether one is still due. With threads there is nothing to do.
  static bool run_slices(StopClock::duration most);

  /// After how long a step should stop, and go on in the next one, because the window waits for it; nothing: with threads,
  /// which keep nobody waiting.
  static std::optional<StopClock::duration> longest_step();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attnscope
