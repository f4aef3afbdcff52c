#include "app/jobs/latest_job.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <new>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <thread>

#include "app/jobs/background_task.h"

namespace attnscope {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kLong{60};

/// Squares numbers; those below zero take until they are stopped, and the result is 0 then.
class Squares {
 public:
  explicit Squares(std::optional<StopClock::duration> time)
      : job({[this](int number, const StopToken& stop) {
               began.release();
               while (number < 0 && !stop.stop_requested()) std::this_thread::yield();
               return stop.stop_requested() ? 0 : number * number;
             },
             [time](int, int) { return time; }, nullptr}) {}

  std::counting_semaphore<1000> began{0};
  LatestJob<int, int> job;  // last: it uses the fields above
};

TEST(BackgroundTask, WhatItsWorkThrowsIsItsError) {
  using Task = BackgroundTask<Result<int>>;
  const auto error_of = [](const Task& task) { return task.result()->error().message; };
  Task without_memory([](const StopToken&) -> Result<int> { throw std::bad_alloc(); }, [] {});
  ASSERT_TRUE(without_memory.wait(kLong));
  EXPECT_EQ(error_of(without_memory), "there is not enough memory");
  Task broken([](const StopToken&) -> Result<int> { throw std::runtime_error("broken"); }, [] {});
  ASSERT_TRUE(broken.wait(kLong));
  EXPECT_EQ(error_of(broken), "broken");
}

TEST(LatestJob, GivesEachResultOnce) {
  Squares squares(std::nullopt);
  EXPECT_FALSE(squares.job.take());
  squares.job.request(7);
  ASSERT_TRUE(squares.job.wait_until_idle(kLong));
  EXPECT_TRUE(squares.job.has_result());
  EXPECT_EQ(squares.job.take(), 49);
  EXPECT_FALSE(squares.job.take());
  EXPECT_FALSE(squares.job.busy());
}

TEST(LatestJob, ANewerRequestStopsTheOneUnderWay) {
  Squares squares(milliseconds(0));
  squares.job.request(-1);
  squares.began.acquire();
  squares.job.request(3);
  ASSERT_TRUE(squares.job.wait_until_idle(kLong));
  EXPECT_EQ(squares.job.take(), 9);
}

TEST(LatestJob, TheOneUnderWayHasItsTimeFromItsStart) {
  Squares squares(milliseconds(100));
  const auto start = StopClock::now();
  squares.job.request(-1);
  squares.began.acquire();
  EXPECT_FALSE(squares.job.wait_until_idle(milliseconds(150))) << "nothing newer waits";
  squares.job.request(-2);
  squares.began.acquire();
  EXPECT_GE(StopClock::now() - start, milliseconds(150));
  const auto second = StopClock::now();
  squares.job.request(-3);
  squares.job.request(4);
  ASSERT_TRUE(squares.job.wait_until_idle(kLong));
  EXPECT_GE(StopClock::now() - second, milliseconds(90));
  EXPECT_EQ(squares.job.take(), 16);
}

TEST(LatestJob, WhatIsCancelledHasNoResult) {
  Squares squares(std::nullopt);
  squares.job.request(-1);
  squares.began.acquire();
  squares.job.request(5);
  squares.job.cancel();
  ASSERT_TRUE(squares.job.wait_until_idle(kLong));
  EXPECT_FALSE(squares.job.take());
}

TEST(LatestJob, EndsWithOneUnderWayAndOneWaiting) {
  for (int i = 0; i < 100; ++i) {
    Squares squares(kLong);
    squares.job.request(-1);
    squares.began.acquire();
    squares.job.request(-2);
  }
}

TEST(LatestJob, EndsAtAnyMoment) {
  for (int i = 0; i < 200; ++i) {
    Squares squares(i % 2 == 0 ? std::optional<StopClock::duration>(kLong) : std::nullopt);
    for (int j = 0; j <= i % 5; ++j) squares.job.request(-1 - j);
  }
}

TEST(LatestJob, WhatHasNoResultYetIsCalledAgain) {
  int steps = 0;
  const auto step = [&](int number, const StopToken&) -> std::optional<int> {
    if (++steps < number) return std::nullopt;
    return steps;
  };
  LatestJob<int, int> job({step, nullptr, nullptr});
  job.request(5);
  ASSERT_TRUE(job.wait_until_idle(kLong));
  EXPECT_EQ(job.take(), 5);
  // It never comes to a result: a newer request, and the end, take its place.
  job.request(1'000'000'000);
  job.request(6);
  ASSERT_TRUE(job.wait_until_idle(kLong));
  EXPECT_GE(job.take(), 6);
  job.request(1'000'000'000);
}

}  // namespace
}  // namespace attnscope
