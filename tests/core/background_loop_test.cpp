#include "core/base/background_loop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>

namespace attnscope::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kVeryLong{60};

/// Counts its steps, and rests after each as it is told.
class Counting {
 public:
  explicit Counting(BackgroundLoop::Rest rest) : rest_(rest), loop_([this] { return step(); }) {}

  /// Waits until there were that many steps in all.
  bool wait_for(int steps, StopClock::duration most) {
    std::unique_lock lock(mutex_);
    return loop_.wait(lock, most, [&] { return steps_ >= steps; });
  }
  void wake() { loop_.wake(); }

 private:
  BackgroundLoop::Rest step() {
    {
      const std::scoped_lock lock(mutex_);
      ++steps_;
    }
    loop_.notify_waiting();
    return rest_;
  }

  BackgroundLoop::Rest rest_;
  std::mutex mutex_;
  int steps_ = 0;
  BackgroundLoop loop_;
};

TEST(BackgroundLoop, WorksBeforeItRests) {
  Counting counting(std::nullopt);
  EXPECT_TRUE(counting.wait_for(1, kVeryLong));
  EXPECT_FALSE(counting.wait_for(2, milliseconds(20))) << "nobody woke it";
}

TEST(BackgroundLoop, EveryWakeIsFollowedByAStep) {
  Counting counting(std::nullopt);
  for (int steps = 1; steps <= 1000; ++steps) {
    ASSERT_TRUE(counting.wait_for(steps, kVeryLong));
    counting.wake();
  }
}

TEST(BackgroundLoop, GoesOnByItselfAfterItsRest) {
  Counting counting(StopClock::duration::zero());
  EXPECT_TRUE(counting.wait_for(50, kVeryLong));
}

TEST(BackgroundLoop, ALongRestEndsWhenItIsWoken) {
  Counting counting(kVeryLong);
  ASSERT_TRUE(counting.wait_for(1, kVeryLong));
  EXPECT_FALSE(counting.wait_for(2, milliseconds(20)));
  counting.wake();
  EXPECT_TRUE(counting.wait_for(2, kVeryLong));
}

TEST(BackgroundLoop, WaitsNoLongerThanItIsTold) {
  Counting counting(std::nullopt);
  const auto start = StopClock::now();
  EXPECT_FALSE(counting.wait_for(1'000'000, milliseconds(30)));
  EXPECT_LT(StopClock::now() - start, seconds(30));
}

TEST(BackgroundLoop, EndsAtAnyMoment) {
  for (int i = 0; i < 200; ++i) {
    Counting counting(i % 3 == 0 ? BackgroundLoop::Rest(kVeryLong) : BackgroundLoop::Rest());
    for (int j = 0; j < i % 4; ++j) counting.wake();
  }
}

TEST(BackgroundLoop, NoStepComesAfterItsEnd) {
  std::atomic<int> steps = 0;
  std::optional<BackgroundLoop> loop;
  loop.emplace([&]() -> BackgroundLoop::Rest {
    ++steps;
    return StopClock::duration::zero();
  });
  loop.reset();
  const int at_the_end = steps;
  (void)BackgroundLoop::run_slices(milliseconds(1));
  EXPECT_EQ(steps, at_the_end);
}

}  // namespace
}  // namespace attnscope::test
