// The compute worker, from several threads. No test here depends on how fast anything is: where an order matters, the
// worker's thread is held in its `ready` callback until the test has done its part.

#include "app/jobs/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <limits>
#include <list>
#include <memory>
#include <semaphore>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "core/imported/imported_layers.h"
#include "support/background_thread.h"

namespace attnscope {
namespace {

Experiment with_seed(std::uint64_t seed) {
  Experiment e = *default_experiment("worked-example");
  e.seed = seed;
  return e;
}

/// Ends only when it is stopped: it throws more numbers away than anybody can wait for.
Experiment endless_experiment() {
  Experiment e = with_seed(1);
  e.discard = std::numeric_limits<std::uint64_t>::max();
  return e;
}

void wait_until_idle(const ComputeWorker& worker) {
  while (worker.busy()) std::this_thread::yield();
}

/// Until something of it is computed, or all.
void wait_until_under_way(const ComputeWorker& worker) {
  while (worker.busy() && worker.progress() == 0) std::this_thread::yield();
}

constexpr std::chrono::seconds kLongest{100};
constexpr std::chrono::milliseconds kShort{2};

std::uint64_t seed_of(const Result<std::shared_ptr<const Trace>>& result) {
  EXPECT_TRUE(result);
  return result ? (*result)->experiment().seed : 0;
}

/// Counts calls, and holds the caller at each until it is let go.
class Gate {
 public:
  void pass() {
    ++calls_;
    arrived_.release();
    go_.acquire();
  }
  void wait_for_arrival() { arrived_.acquire(); }
  void open(int times = 1) { go_.release(times); }
  [[nodiscard]] int calls() const { return calls_; }

 private:
  std::atomic<int> calls_ = 0;
  std::counting_semaphore<> arrived_{0};
  std::counting_semaphore<> go_{0};
};

/// Queries and keys, all 0, that hold the worker at `gate` when it plans with them or reads them.
class HeldTensors final : public ImportedTensors {
 public:
  enum class At { planning, reading };

  HeldTensors(Gate& gate, At at, Index tokens) : gate_(gate), at_(at) {
    constexpr Index kDim = 64;
    for (const char* name : {"q", "k"}) tensors_.push_back({name, {tokens, kDim}, ""});
  }

  [[nodiscard]] const std::string& file() const override { return file_; }
  [[nodiscard]] std::span<const ImportedTensor> tensors() const override {
    if (at_ == At::planning && std::this_thread::get_id() != test_) gate_.pass();
    return tensors_;
  }
  Result<void> read(std::size_t /*which*/, std::span<const Index> /*begin*/, std::span<const Index> /*end*/,
                    std::span<float> out, const StopToken& /*stop*/) const override {
    if (at_ == At::reading) gate_.pass();
    std::ranges::fill(out, 0.0F);
    return {};
  }
  [[nodiscard]] std::string python_reading(std::span<const std::string> /*names*/) const override { return {}; }

 private:
  Gate& gate_;
  At at_;
  std::thread::id test_ = std::this_thread::get_id();
  std::string file_ = "held.npz";
  std::vector<ImportedTensor> tensors_;
};

constexpr int kEveryTime = 100'000;

TEST(ComputeWorker, ComputesWhatIsAskedFor) {
  std::atomic<int> ready = 0;
  ComputeWorker worker([&] { ++ready; });
  EXPECT_FALSE(worker.busy());
  EXPECT_FALSE(worker.take_result());
  worker.request(with_seed(5));
  wait_until_idle(worker);
  const auto result = worker.take_result();
  ASSERT_TRUE(result);
  ASSERT_TRUE(*result);
  const auto expected = run(with_seed(5));
  EXPECT_TRUE(std::ranges::equal((**result)->tensor("out").values(), (*expected)->tensor("out").values()));
  EXPECT_EQ(worker.progress(), 1.0F);
  EXPECT_FALSE(worker.take_result()) << "each result is taken once";
  while (ready == 0) std::this_thread::yield();
}

TEST(ComputeWorker, TheNewestRequestWins) {
  Gate gate;
  ComputeWorker worker([&] { gate.pass(); });
  worker.request(with_seed(1));
  gate.wait_for_arrival();
  // The worker is held: of these only the last is ever computed.
  for (std::uint64_t seed = 2; seed <= 100; ++seed) worker.request(with_seed(seed));
  EXPECT_TRUE(worker.busy());
  EXPECT_EQ(seed_of(*worker.take_result()), 1U);
  gate.open(2);
  gate.wait_for_arrival();
  wait_until_idle(worker);
  EXPECT_EQ(seed_of(*worker.take_result()), 100U);
  EXPECT_EQ(gate.calls(), 2);
}

TEST(ComputeWorker, TheLastResultIsThatOfTheLastRequest) {
  std::vector<std::uint64_t> seeds;
  ComputeWorker worker([] {});
  const auto take = [&] {
    if (const auto result = worker.take_result()) seeds.push_back(seed_of(*result));
  };
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    worker.request(with_seed(seed));
    take();
    if (seed % 7 == 0) std::this_thread::yield();
  }
  wait_until_idle(worker);
  take();
  ASSERT_FALSE(seeds.empty());
  EXPECT_EQ(seeds.back(), 300U);
  EXPECT_TRUE(std::is_sorted(seeds.begin(), seeds.end()));
  EXPECT_EQ(std::adjacent_find(seeds.begin(), seeds.end()), seeds.end()) << "nothing is computed twice";
}

TEST(ComputeWorker, ALongComputationGivesWayToANewerOne) {
  ComputeWorker worker([] {});
  worker.request(endless_experiment());
  wait_until_under_way(worker);
  worker.request(with_seed(9));
  wait_until_idle(worker);
  // Nobody hears of the one that was replaced: it would show as an error.
  EXPECT_EQ(seed_of(*worker.take_result()), 9U);
  EXPECT_FALSE(worker.take_result());
}

TEST(ComputeWorker, CancelForgetsWhatWaits) {
  Gate gate;
  ComputeWorker worker([&] { gate.pass(); });
  worker.request(with_seed(1));
  gate.wait_for_arrival();
  EXPECT_EQ(seed_of(*worker.take_result()), 1U);
  worker.request(with_seed(2));
  worker.cancel();
  EXPECT_FALSE(worker.busy());
  worker.request(with_seed(3));
  gate.open(2);
  gate.wait_for_arrival();
  wait_until_idle(worker);
  EXPECT_EQ(seed_of(*worker.take_result()), 3U);
  EXPECT_EQ(gate.calls(), 2) << "the forgotten one was computed";
}

TEST(ComputeWorker, CancelStopsWhatIsUnderWay) {
  ComputeWorker worker([] {});
  worker.request(endless_experiment());
  wait_until_under_way(worker);
  worker.cancel();
  wait_until_idle(worker);
  const auto stopped = worker.take_result();
  ASSERT_TRUE(stopped);
  ASSERT_FALSE(*stopped);
  EXPECT_NE(stopped->error().message.find("stopped"), std::string::npos) << stopped->error().message;
  EXPECT_LT(worker.progress(), 1.0F);
  worker.request(with_seed(4));
  wait_until_idle(worker);
  EXPECT_EQ(seed_of(*worker.take_result()), 4U) << "a cancelled worker works on";
}

TEST(ComputeWorker, NobodyHearsOfACancelledComputationThatANewerOneReplaces) {
  Gate reading;
  Gate ready;
  ComputeWorker worker([&] { ready.pass(); });
  worker.request(*experiment_on(std::make_shared<HeldTensors>(reading, HeldTensors::At::reading, 2)));
  reading.wait_for_arrival();
  worker.cancel();
  worker.request(with_seed(9));
  reading.open(kEveryTime);
  ready.wait_for_arrival();
  EXPECT_FALSE(worker.take_result());
  ready.open(2);
  ready.wait_for_arrival();
  EXPECT_EQ(seed_of(*worker.take_result()), 9U);
}

TEST(ComputeWorker, AnswersWhileItPlans) {
  Gate planning;
  Gate ready;
  ComputeWorker worker([&] { ready.pass(); });
  // Long enough to give way to the next one.
  worker.request(*experiment_on(std::make_shared<HeldTensors>(planning, HeldTensors::At::planning, 2048)));
  planning.wait_for_arrival();
  auto answer = std::async(std::launch::async, [&] {
    worker.request(with_seed(9));
    return worker.busy() && !worker.take_result();
  });
  const bool answered = answer.wait_for(kLongest) == std::future_status::ready;
  planning.open(kEveryTime);
  EXPECT_TRUE(answered);
  EXPECT_TRUE(answer.get());
  ready.wait_for_arrival();
  EXPECT_FALSE(worker.take_result()) << "it was replaced while it was planned";
  ready.open(2);
  ready.wait_for_arrival();
  EXPECT_EQ(seed_of(*worker.take_result()), 9U);
}

TEST(ComputeWorker, CancelWithNothingToDoIsNothing) {
  ComputeWorker worker([] {});
  worker.cancel();
  EXPECT_FALSE(worker.busy());
  worker.request(with_seed(2));
  wait_until_idle(worker);
  worker.cancel();
  EXPECT_EQ(seed_of(*worker.take_result()), 2U);
}

TEST(ComputeWorker, MayBeDestroyedWhileBusy) {
  for (int i = 0; i < 20; ++i) {
    std::atomic<bool> alive = true;
    std::atomic<int> late = 0;
    {
      ComputeWorker worker([&] { late += alive ? 0 : 1; });
      worker.request(endless_experiment());
      if (i % 2 == 0) wait_until_under_way(worker);
      if (i % 3 == 0) worker.request(with_seed(3));
    }
    alive = false;
    EXPECT_EQ(late, 0);
  }
}

TEST(ComputeWorker, TakesRequestsFromSeveralThreads) {
  ComputeWorker worker([] {});
  std::atomic<int> taken = 0;
  {
    std::list<test::BackgroundThread> threads;
    for (std::uint64_t thread = 1; thread <= 3; ++thread) {
      threads.emplace_back([&, thread](const StopToken&) {
        for (std::uint64_t i = 0; i < 60; ++i) {
          worker.request(with_seed(thread * 1000 + i));
          if (worker.take_result()) ++taken;
          if (i % 20 == 19) worker.cancel();
          (void)worker.progress();
        }
      });
    }
  }
  worker.request(with_seed(1));
  wait_until_idle(worker);
  EXPECT_EQ(seed_of(*worker.take_result()), 1U);
}

// Comparisons.

ComparisonRequest token_order(std::uint64_t seed, std::uint64_t discard = 0) {
  Experiment e = *default_experiment("stacked-multihead");
  e.seed = seed;
  e.discard = discard;
  return {find_equivalence("token-order"), e, kDefaultMemoryBudget};
}

TEST(ComputeWorker, ComparesWhatIsAskedFor) {
  ComputeWorker worker([] {});
  EXPECT_FALSE(worker.take_comparison());
  worker.request(token_order(3));
  wait_until_idle(worker);
  const auto result = worker.take_comparison();
  ASSERT_TRUE(result && *result);
  EXPECT_TRUE((*result)->agrees());
  EXPECT_FALSE(worker.take_comparison()) << "taken once";
  EXPECT_FALSE(worker.take_result());
}

TEST(ComputeWorker, ComparisonsThatCannotBeMadeSayWhy) {
  ComputeWorker worker([] {});
  worker.request(ComparisonRequest{find_equivalence("token-order"), with_seed(1), kDefaultMemoryBudget});
  wait_until_idle(worker);
  const auto result = worker.take_comparison();
  ASSERT_TRUE(result);
  ASSERT_FALSE(*result);
  EXPECT_NE(result->error().message.find("stacked-multihead"), std::string::npos);
}

TEST(ComputeWorker, AnExperimentComesBeforeAComparison) {
  ComputeWorker worker([] {});
  worker.request(token_order(1, kMaxDiscard));
  wait_until_under_way(worker);
  worker.request(with_seed(2));
  std::optional<Result<std::shared_ptr<const Trace>>> result;
  while (!result) result = worker.take_result();
  EXPECT_EQ(seed_of(*result), 2U);
  EXPECT_TRUE(worker.busy()) << "the comparison is begun anew";
  worker.forget_comparison();
  wait_until_idle(worker);
  EXPECT_FALSE(worker.take_comparison());
}

TEST(ComputeWorker, TheNewestComparisonWins) {
  ComputeWorker worker([] {});
  worker.request(token_order(1, kMaxDiscard));
  wait_until_under_way(worker);
  worker.request(token_order(2));
  wait_until_idle(worker);
  const auto result = worker.take_comparison();
  ASSERT_TRUE(result && *result) << result->error().message;
}

TEST(ComputeWorker, CancelStopsAComparison) {
  ComputeWorker worker([] {});
  worker.request(token_order(1, kMaxDiscard));
  wait_until_under_way(worker);
  worker.cancel();
  wait_until_idle(worker);
  const auto result = worker.take_comparison();
  ASSERT_TRUE(result);
  EXPECT_FALSE(*result);
}

TEST(ComputeWorker, WaitsForAResultAndNoLonger) {
  ComputeWorker worker([] {});
  EXPECT_FALSE(worker.wait_for_result(kLongest)) << "nothing is under way";
  worker.request(with_seed(3));
  EXPECT_TRUE(worker.wait_for_result(kLongest));
  EXPECT_TRUE(worker.wait_for_result(kLongest)) << "it has not been taken";
  EXPECT_EQ(seed_of(*worker.take_result()), 3U);
  EXPECT_FALSE(worker.wait_for_result(kLongest));
  worker.request(endless_experiment());
  EXPECT_FALSE(worker.wait_for_result(kShort));
  EXPECT_TRUE(worker.busy());
}

TEST(ComputeWorker, GoesOnInTheNextStepWhereEachIsShort) {
  ComputeWorker worker([] {}, kDefaultMemoryBudget, std::chrono::microseconds(1));
  Experiment large = with_seed(5);
  large.parameters["tokens"] = Index{300};
  worker.request(large);
  ASSERT_TRUE(worker.wait_for_result(kLongest));
  const auto result = worker.take_result();
  ASSERT_TRUE(*result);
  EXPECT_TRUE(std::ranges::equal((**result)->tensor("out").values(), (*run(large))->tensor("out").values()));
  // A newer request ends what is between two steps.
  worker.request(endless_experiment());
  wait_until_under_way(worker);
  worker.request(with_seed(6));
  ASSERT_TRUE(worker.wait_for_result(kLongest));
  EXPECT_EQ(seed_of(*worker.take_result()), 6U);
  worker.request(token_order(1));
  wait_until_idle(worker);
  const auto compared = worker.take_comparison();
  ASSERT_TRUE(compared && *compared);
  EXPECT_TRUE((*compared)->agrees());
}

TEST(ComputeWorker, CancelStopsBetweenTwoSteps) {
  ComputeWorker worker([] {}, kDefaultMemoryBudget, std::chrono::microseconds(1));
  worker.request(endless_experiment());
  wait_until_under_way(worker);
  worker.cancel();
  wait_until_idle(worker);
  const auto result = worker.take_result();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->error().message, "stopped before it was done");
}

}  // namespace
}  // namespace attnscope
