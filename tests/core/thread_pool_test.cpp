// Every block is computed exactly once.

#include "core/base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace attnscope::test {
namespace {

TEST(ThreadPool, ComputesEveryBlockOnce) {
  for (const unsigned threads : {0U, 1U, 3U, 8U}) {
    ThreadPool pool(threads);
    for (const Index count : {0, 1, 2, 5, 1000}) {
      for (int round = 0; round < 20; ++round) {
        std::vector<std::atomic<int>> times(static_cast<std::size_t>(count));
        pool.run(count, [&](Index block) { ++times[static_cast<std::size_t>(block)]; });
        for (const std::atomic<int>& each : times) ASSERT_EQ(each, 1) << threads << " threads, " << count << " blocks";
      }
    }
  }
}

TEST(ThreadPool, HelpsWithLongWork) {
  ThreadPool pool(2);
  std::atomic<int> together = 0;
  std::atomic<int> most = 0;
  pool.run(3, [&](Index) {
    const int now = ++together;
    int before = most;
    while (before < now && !most.compare_exchange_weak(before, now)) {
    }
    // Waits until another block has started, which happens unless a single thread runs them all.
    for (int i = 0; i < 2000 && most < 2; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --together;
  });
  EXPECT_GE(most, 2);
}

// Blocks take memory, which may not be there.
TEST(ThreadPool, GivesTheCallerWhatABlockThrows) {
  for (const unsigned threads : {0U, 1U, 3U}) {
    ThreadPool pool(threads);
    const std::thread::id caller = std::this_thread::get_id();
    for (const bool here : {true, false}) {
      if (threads == 0 && !here) continue;
      std::atomic<int> working = 0;
      std::atomic<bool> has_thrown = false;
      const auto block = [&](Index /*number*/) {
        const bool throws = (std::this_thread::get_id() == caller) == here;
        ++working;
        // The other threads wait, so that the one that throws has a block.
        for (int i = 0; i < 2000 && !throws && !has_thrown; ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --working;
        has_thrown = has_thrown || throws;
        if (throws) throw std::bad_alloc();
      };
      EXPECT_THROW(pool.run(100, block), std::bad_alloc);
      EXPECT_TRUE(has_thrown);
      EXPECT_EQ(working, 0);
    }
    std::atomic<int> done = 0;
    pool.run(100, [&](Index) { ++done; });
    EXPECT_EQ(done, 100);
  }
}

TEST(RunBlocks, DoesSmallWorkHere) {
  ThreadPool pool(3);
  const std::thread::id here = std::this_thread::get_id();
  run_blocks(&pool, 1000, 10, [&](Index) { EXPECT_EQ(std::this_thread::get_id(), here); });
  run_blocks(nullptr, 1e12, 10, [&](Index) { EXPECT_EQ(std::this_thread::get_id(), here); });
}

}  // namespace
}  // namespace attnscope::test
