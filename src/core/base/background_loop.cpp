#include "core/base/background_loop.h"

#include <condition_variable>
#include <thread>
#include <utility>

namespace attnscope {

struct BackgroundLoop::State {
  std::function<Rest()> step;
  std::mutex mutex;  ///< of the next two
  bool woken = false;
  bool ending = false;
  std::condition_variable wake;
  std::condition_variable waiting;  ///< with the owner's mutex
  std::thread thread;

  void run() {
    while (true) {
      const Rest rest = step();
      std::unique_lock lock(mutex);
      const auto due = [this] { return woken || ending; };
      if (rest) {
        wake.wait_for(lock, *rest, due);
      } else {
        wake.wait(lock, due);
      }
      if (ending) return;
      woken = false;
    }
  }
};

BackgroundLoop::BackgroundLoop(std::function<Rest()> step) : state_(std::make_unique<State>()) {
  state_->step = std::move(step);
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

BackgroundLoop::~BackgroundLoop() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->ending = true;
  }
  state_->wake.notify_one();
  state_->thread.join();
}

void BackgroundLoop::wake() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->woken = true;
  }
  state_->wake.notify_one();
}

bool BackgroundLoop::wait(std::unique_lock<std::mutex>& lock, StopClock::duration most,
                          const std::function<bool()>& done) {
  return state_->waiting.wait_for(lock, most, done);
}

void BackgroundLoop::notify_waiting() { state_->waiting.notify_all(); }

bool BackgroundLoop::run_slices(StopClock::duration /*most*/) { return false; }

std::optional<StopClock::duration> BackgroundLoop::longest_step() { return std::nullopt; }

}  // namespace attnscope
