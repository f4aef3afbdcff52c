#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "core/base/background_loop.h"

namespace attnscope {

struct BackgroundLoop::State {
  std::function<Rest()> step;
  std::optional<StopClock::time_point> due = StopClock::now();  ///< nothing: once it is woken
  bool running = false;

  [[nodiscard]] bool is_due() const { return !running && due && StopClock::now() >= *due; }

  void run() {
    running = true;
    due.reset();
    if (const Rest rest = step()) {
      const StopClock::time_point next = StopClock::now() + *rest;
      // It may have been woken meanwhile.
      due = due ? std::min(*due, next) : next;
    }
    running = false;
  }

  /// All loops there are, in the order of their construction.
  static std::vector<State*>& all() {
    static std::vector<State*> states;
    return states;
  }
};

BackgroundLoop::BackgroundLoop(std::function<Rest()> step) : state_(std::make_unique<State>()) {
  state_->step = std::move(step);
  State::all().push_back(state_.get());
}

BackgroundLoop::~BackgroundLoop() { std::erase(State::all(), state_.get()); }

void BackgroundLoop::wake() { state_->due = StopClock::now(); }

bool BackgroundLoop::wait(std::unique_lock<std::mutex>& lock, StopClock::duration most,
                          const std::function<bool()>& done) {
  const StopClock::time_point end = StopClock::now() + most;
  while (!done() && state_->is_due() && StopClock::now() < end) {
    lock.unlock();
    state_->run();
    lock.lock();
  }
  return done();
}

void BackgroundLoop::notify_waiting() {}

bool BackgroundLoop::run_slices(StopClock::duration most) {
  const StopClock::time_point end = StopClock::now() + most;
  bool any = true;
  while (any && StopClock::now() < end) {
    any = false;
    // Each gets a turn, or a busy one would starve those behind it. A step may make or destroy other loops.
    const std::vector<State*> now = State::all();
    for (State* each : now) {
      const bool is_there = std::find(State::all().begin(), State::all().end(), each) != State::all().end();
      if (!is_there || !each->is_due()) continue;
      each->run();
      any = true;
    }
  }
  return std::any_of(State::all().begin(), State::all().end(), [](const State* each) { return each->is_due(); });
}

// Two frames: shorter ones would read and compute little beside what stopping costs.
std::optional<StopClock::duration> BackgroundLoop::longest_step() { return std::chrono::milliseconds(30); }

}  // namespace attnscope
