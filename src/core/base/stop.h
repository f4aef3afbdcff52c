// Asking long work to stop. A small stand-in for std::stop_token, which not every standard library has yet; this one
// also knows deadlines.
#pragma once

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>

namespace attnscope {

using StopClock = std::chrono::steady_clock;

/// Polled by long work. A default-constructed token never stops. Copies share one state; any thread may ask.
class StopToken {
 public:
  StopToken() = default;

  [[nodiscard]] bool stop_requested() const {
    if (deadline_ == nullptr) return false;
    const StopClock::rep deadline = deadline_->load(std::memory_order_acquire);
    return deadline != kNever && StopClock::now().time_since_epoch().count() >= deadline;
  }
  /// Whether a stop can be requested.
  [[nodiscard]] bool stop_possible() const { return deadline_ != nullptr; }

 private:
  friend class StopSource;
  static constexpr StopClock::rep kNever = std::numeric_limits<StopClock::rep>::max();

  std::shared_ptr<const std::atomic<StopClock::rep>> deadline_;
};

/// Requests a stop from all holders of its token. Any thread may do that; a request is final.
class StopSource {
 public:
  void request_stop() const { deadline_->store(std::numeric_limits<StopClock::rep>::min(), std::memory_order_release); }
  /// Stops at that time, unless an earlier one is set.
  void request_stop_at(StopClock::time_point time) const {
    const StopClock::rep later = time.time_since_epoch().count();
    StopClock::rep set = deadline_->load();
    while (later < set && !deadline_->compare_exchange_weak(set, later)) continue;
  }

  [[nodiscard]] bool stop_requested() const { return token().stop_requested(); }
  [[nodiscard]] StopToken token() const {
    StopToken token;
    token.deadline_ = deadline_;
    return token;
  }

 private:
  std::shared_ptr<std::atomic<StopClock::rep>> deadline_ =
      std::make_shared<std::atomic<StopClock::rep>>(StopToken::kNever);
};

}  // namespace attnscope
