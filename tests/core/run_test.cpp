// From plans to traces: reuse between runs, stopping, progress.
#include "core/trace/run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>

#include "core/base/small_tensors.h"
#include "core/compute/rearranged_copy.h"
#include "core/experiment/system.h"
#include "core/imported/imported_layers.h"
#include "core/operations/contract.h"
#include "core/operations/rearrange.h"
#include "core/plan/plan.h"
#include "core/plan/validate.h"
#include "made_tensors.h"
#include "support/floats.h"
#include "support/imported_tensors.h"
#include "support/sanitized.h"
#include "system_variations.h"

namespace attnscope::test {
namespace {

/// Compares every tensor bit for bit, except for the sign of zeros.
void expect_same_numbers(const Trace& one, const Trace& other) {
  ASSERT_EQ(one.steps().size(), other.steps().size());
  for (std::size_t i = 0; i < one.steps().size(); ++i) {
    const Step& step = one.steps()[i];
    ASSERT_EQ(step.name, other.steps()[i].name);
    ASSERT_EQ(step.axes, other.steps()[i].axes);
    EXPECT_TRUE(std::ranges::equal(step.tensor->values(), other.steps()[i].tensor->values())) << step.name;
  }
  EXPECT_TRUE(std::ranges::equal(one.warnings(), other.warnings()));
}

TEST(Plan, HasTheStepsWithoutNumbers) {
  for (const System& system : systems()) {
    const Experiment experiment = *default_experiment(system.name);
    EXPECT_EQ(plan(experiment).steps.size(), static_cast<std::size_t>(cost_of(experiment).tensors));
    Experiment other_seed = experiment;
    other_seed.seed = 7;
    EXPECT_EQ(plan(experiment).steps, plan(other_seed).steps) << system.name;
  }
}

TEST(Executor, TakesOverWhatDoesNotChange) {
  Executor runner;
  Experiment experiment = *default_experiment("worked-example");
  const auto first = *runner.run(experiment);
  EXPECT_EQ(runner.steps_reused(), 0);
  const auto again = *runner.run(experiment);
  EXPECT_EQ(runner.steps_reused(), std::ssize(first->steps()));
  EXPECT_EQ(again->find("out")->tensor, first->find("out")->tensor);

  experiment.parameters["temperature"] = 2.0;
  const auto warmer = *runner.run(experiment);
  for (const char* name : {"x", "w_q", "q", "scores", "single.scores", "cross_scores", "w_out"})
    EXPECT_EQ(warmer->find(name)->tensor, first->find(name)->tensor) << name;
  for (const char* name : {"weights", "head_outputs", "cross_weights", "out"})
    EXPECT_NE(warmer->find(name)->tensor, first->find(name)->tensor) << name;
  expect_same_numbers(*warmer, **run(experiment));

  experiment.parameters["heads"] = Index{3};
  const auto fewer = *runner.run(experiment);
  EXPECT_EQ(fewer->find("single.w_v")->tensor, first->find("single.w_v")->tensor);
  EXPECT_NE(fewer->find("w_k")->tensor, first->find("w_k")->tensor);
  expect_same_numbers(*fewer, **run(experiment));
}

TEST(Executor, KeepsThePlansThatASliderMeetsAgain) {
  Executor runner;
  Experiment experiment = *default_experiment("worked-example");
  const std::shared_ptr<const Plan> first = (*runner.run(experiment))->plan();
  const auto plan_at = [&](Index tokens, Index heads) {
    experiment.parameters["tokens"] = tokens;
    experiment.parameters["heads"] = heads;
    ++experiment.seed;
    return (*runner.run(experiment))->plan();
  };
  EXPECT_NE(plan_at(7, 4), first);
  EXPECT_EQ(plan_at(6, 4), first);
  for (Index tokens = 1; tokens <= 16; ++tokens) {
    for (const Index heads : {1, 2}) plan_at(tokens, heads);
  }
  EXPECT_NE(plan_at(6, 4), first) << "only so many are kept";
}

TEST(Executor, KeepsNoPlanOfTensorsThatNobodyUsesAnyMore) {
  Executor runner;
  std::weak_ptr<const ImportedTensors> tensors;
  {
    const auto given = made({{"layers.0.attn", {2, 4, 4}}});
    tensors = given;
    ASSERT_TRUE(runner.run(*experiment_on(given)));
  }
  EXPECT_FALSE(tensors.expired()) << "the last run can be continued";
  ASSERT_TRUE(runner.run(*default_experiment("worked-example")));
  EXPECT_TRUE(tensors.expired());
}

TEST(Executor, ComputesForgottenResultsAnew) {
  Executor runner;
  const Experiment experiment = *default_experiment("stacked-multihead");
  runner.forget_results();
  const auto first = *runner.run(experiment);
  runner.forget_results();
  const auto again = *runner.run(experiment);
  EXPECT_EQ(runner.steps_reused(),
            std::ranges::count_if(first->steps(), [](const Step& step) { return step.inputs.empty(); }));
  for (const Step& step : first->steps())
    EXPECT_EQ(again->find(step.name)->tensor == step.tensor, step.inputs.empty()) << step.name;
  expect_same_numbers(*again, *first);
  // The generator continues after the reused draws.
  Experiment wider = experiment;
  wider.parameters["embedding"] = Index{64};
  runner.forget_results();
  expect_same_numbers(**runner.run(wider), **run(wider));
}

// Large results are rearranged while they are computed.
TEST(Executor, RearrangesAlongTheWay) {
  using Sizes = std::map<std::string, Index>;
  const std::map<std::string, Sizes> systems = {
      {"stacked-multihead", {{"tokens", 50}, {"features", 70}, {"embedding", 96}}},
      {"packed-multihead", {{"batch", 3}, {"channels", 128}, {"height", 9}}},
      {"image-multihead", {{"batch", 3}, {"channels", 64}, {"height", 9}}},
      {"conv-attention", {{"batch", 3}, {"height", 9}}},
      {"projected-multihead", {{"batch", 2}, {"queries", 60}, {"keys", 70}, {"features", 40}, {"hidden", 128}}},
      {"worked-example", {{"tokens", 90}, {"head_dim", 20}}}};
  ThreadPool pool(1);
  Progress progress;
  progress.pool = &pool;
  for (const auto& [system, sizes] : systems) {
    Experiment experiment = *default_experiment(system);
    for (const auto& [name, size] : sizes) experiment.parameters[name] = size;
    ASSERT_TRUE(validate(experiment)) << system;
    const auto trace = *run(experiment, progress);
    const std::vector<PlannedStep>& steps = trace->plan()->steps;
    int along_the_way = 0;
    for (const PlannedStep& step : steps) {
      const auto* rearrange = as<RearrangeOperation>(step.operation);
      if (rearrange == nullptr) continue;
      const auto of = static_cast<std::size_t>(step.inputs[0]);
      if (is<ContractOperation>(steps[of].operation) && steps[of].flops >= 1e6 &&
          RearrangedCopy::keeps_runs(*rearrange))
        ++along_the_way;
      const Tensor* const input = trace->steps()[of].tensor.get();
      Tensor expected(step.axes);
      step.operation->compute(std::array{input}, {}, expected);
      EXPECT_TRUE(std::ranges::equal(trace->tensor(step.name).values(), expected.values())) << system << step.name;
    }
    EXPECT_GT(along_the_way, 0) << system;
  }
}

TEST(Executor, NumbersDoNotDependOnWhatWasComputedBefore) {
  std::mt19937 random(5);
  Executor runner;
  std::vector<Experiment> experiments = variations();
  for (int i = 0; i < 150; ++i) {
    Experiment& e = experiments[static_cast<std::size_t>(random_index(random, 0, std::ssize(experiments) - 1))];
    // A series of small changes, as from sliders.
    for (int change = 0; change < 3; ++change) {
      if (change == 1) e.seed = static_cast<std::uint64_t>(random_index(random, 0, 1));
      if (change == 2) e.parameters["temperature"] = static_cast<double>(random_index(random, 1, 4));
      SCOPED_TRACE(description(e));
      expect_same_numbers(**runner.run(e), **run(e));
      if (HasFailure()) return;
    }
  }
}

TEST(Executor, NumbersAfterASliderMovedAreThoseOfAFreshRun) {
  std::vector<Experiment> experiments = variations();
  // What does not change by itself, together with each of them.
  for (const auto& [name, text] : {std::pair("weights_stay", "yes"), {"mask", "causal"}, {"input", "ones"}}) {
    for (std::size_t i = 0, count = experiments.size(); i < count; ++i) {
      Experiment experiment = experiments[i];
      if (find_parameter(find_system(experiment.system)->parameters, name) == nullptr) continue;
      if (set_parameter_text(experiment, name, text) && validate(experiment))
        experiments.push_back(std::move(experiment));
    }
  }
  int tried = 0;
  for (const Experiment& before : experiments) {
    if (++tried % (kSanitized ? 7 : 2) != 0) continue;
    for (const Parameter& parameter : find_system(before.system)->parameters) {
      if (parameter.kind != Parameter::Kind::integer) continue;
      const Index value = before.integer(parameter.name);
      for (const Index next : {value + 3, value - 1}) {
        Experiment after = before;
        after.parameters[parameter.name] = next;
        if (!validate(after)) continue;
        Executor runner;
        ASSERT_TRUE(runner.run(before)) << description(before);
        SCOPED_TRACE(description(before) + ", then " + parameter.name + " " + std::to_string(next));
        expect_same_numbers(**runner.run(after), **run(after));
        if (HasFailure()) return;
      }
    }
  }
}

/// Runs it in slices as short as can be, and counts them. Progress must not fall.
std::shared_ptr<const Trace> run_in_slices(Executor& runner, const Experiment& experiment, int& slices) {
  std::atomic<float> fraction = 0;
  Progress progress;
  progress.fraction = &fraction;
  progress.total_flops = runner.prepare(experiment).flops;
  runner.begin(experiment, progress);
  float before = 0;
  for (slices = 1;; ++slices) {
    const auto result = runner.go_on(StopClock::now());
    EXPECT_GE(fraction, before);
    before = fraction;
    if (!result) continue;
    EXPECT_FLOAT_EQ(fraction, 1);
    return **result;
  }
}

/// The system's default experiment, large enough for several parts a step.
Experiment large_experiment(const System& system) {
  Experiment experiment = *default_experiment(system.name);
  // Its features grow with its tokens.
  const char* const tokens = system.name == "hand-made-heads" ? "100" : "400";
  for (const auto& [name, text] :
       {std::pair("tokens", tokens), {"queries", "400"}, {"keys", "401"}, {"height", "20"}, {"batch", "2"}}) {
    if (find_parameter(system.parameters, name) != nullptr) experiment = set(experiment, name, text);
  }
  EXPECT_TRUE(validate(experiment)) << system.name;
  return experiment;
}

TEST(Executor, InSlicesNumbersAreThoseOfAWholeRun) {
  int in_parts = 0;  // more slices than steps
  for (const System& system : systems()) {
    if (kSanitized && system.name != "stacked-multihead") continue;
    for (const char* mask : {"none", "causal"}) {
      const Experiment experiment = set(large_experiment(system), "mask", mask);
      SCOPED_TRACE(description(experiment));
      Executor runner;
      int slices = 0;
      const auto trace = run_in_slices(runner, experiment, slices);
      in_parts += slices > std::ssize(trace->steps()) ? 1 : 0;
      expect_same_numbers(*trace, **run(experiment));
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(in_parts, 0);
}

TEST(Executor, GoesOnInSlicesFromTheTraceBefore) {
  Experiment experiment = set(large_experiment(*find_system("stacked-multihead")), "mask", "causal");
  experiment = set(experiment, "weights_stay", "yes");
  Executor runner;
  int slices = 0;
  (void)run_in_slices(runner, experiment, slices);
  // Rows of tokens that are there already are kept, and what does not change at all.
  const auto longer = run_in_slices(runner, set(experiment, "tokens", "700"), slices);
  expect_same_numbers(*longer, **run(longer->experiment()));
  EXPECT_GT(slices, std::ssize(longer->steps()));
  const auto warmer = run_in_slices(runner, set(longer->experiment(), "temperature", "2"), slices);
  EXPECT_GT(runner.steps_reused(), 0);
  expect_same_numbers(*warmer, **run(warmer->experiment()));
}

TEST(Executor, ReachesALateDrawInSlices) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.discard = 300'000'000;
  Executor runner;
  int slices = 0;
  const auto trace = run_in_slices(runner, experiment, slices);
  EXPECT_GT(slices, 20 + std::ssize(trace->steps()));
  expect_same_numbers(*trace, **run(experiment));
}

TEST(Executor, ADroppedSliceLeavesNothingBehind) {
  const Experiment experiment = large_experiment(*find_system("worked-example"));
  Executor runner;
  runner.begin(experiment, {});
  for (int i = 0; i < 12; ++i) ASSERT_FALSE(runner.go_on(StopClock::now()));
  const Experiment other = set(experiment, "temperature", "2");
  expect_same_numbers(**runner.run(other), **run(other));
  // Stopped between two slices.
  const StopSource stop;
  Progress progress;
  progress.stop = stop.token();
  runner.begin(experiment, progress);
  ASSERT_FALSE(runner.go_on(StopClock::now()));
  stop.request_stop();
  const auto stopped = runner.go_on(StopClock::now());
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->error().message, "stopped before it was done");
  expect_same_numbers(**runner.run(experiment), **run(experiment));
}

TEST(Executor, SubstitutionsAreForgottenAfterwards) {
  Executor runner;
  const Experiment experiment = *default_experiment("worked-example");
  const auto plain = *runner.run(experiment);
  auto x = std::make_shared<Tensor>(plain->tensor("x").axes());
  const auto given = *runner.run(experiment, {}, {{"x", x}});
  EXPECT_EQ(given->find("x")->tensor, x);
  EXPECT_TRUE(std::ranges::equal(given->tensor("w_q").values(), plain->tensor("w_q").values()));
  expect_same_numbers(**runner.run(experiment), *plain);
}

TEST(Trace, CountsWhatIsNotFinite) {
  ComputingRecorder recorder;
  const Value q = given(recorder, "q", {{"query", 2}, {"dim", 2}}, {1e30F, 1, 2, 3});
  const Value k = given(recorder, "k", {{"key", 2}, {"dim", 2}}, {1e30F, 1, kInfinity, 3});
  contract(recorder, "overflow", "query dim, other dim -> query other", q, q);
  contract(recorder, "mixed", "query dim, key dim -> query key", q, k);
  const auto trace = recorder.trace();
  EXPECT_EQ(trace->find("q")->not_finite, 0);
  EXPECT_EQ(trace->find("k")->not_finite, 1);
  EXPECT_EQ(trace->find("overflow")->not_finite, 1);
  EXPECT_EQ(trace->find("mixed")->not_finite, 3);
  EXPECT_EQ(trace->warnings().size(), 3U);
}

TEST(SmallTensors, LieBesideOneAnotherAndStayWhileOneIsThere) {
  const auto store = std::make_shared<MemoryStore>();
  const std::array<Index, 6> counts = {1, 16, 0, 17, 8192, 5};
  SmallTensors small;
  for (const Index count : counts) small.expect(count);
  std::vector<std::shared_ptr<Tensor>> tensors;
  for (const Index count : counts) {
    const auto axes = std::make_shared<const Axes>(Axes{{"number", count}});
    tensors.push_back(small.make(axes, count, store));
    EXPECT_EQ(&tensors.back()->axes(), axes.get());
    ASSERT_EQ(tensors.back()->count(), count);
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) std::ranges::fill(tensors[i]->values(), static_cast<float>(i));
  const std::shared_ptr<Tensor> last = tensors.back();
  const Tensor copy = *tensors[1];
  last->values()[0] = 9;
  for (std::size_t i = 0; i + 1 < tensors.size(); ++i) {
    const std::span<const float> values = tensors[i]->values();
    EXPECT_EQ(std::ranges::count(values, static_cast<float>(i)), std::ssize(values)) << i;
  }
  tensors.clear();
  small = {};
  EXPECT_EQ(last->values()[0], 9.0F);
  EXPECT_EQ(copy.values()[15], 1.0F) << "a copy has numbers of its own";
}

TEST(Executor, TensorsOutliveTheTracesThatMadeThem) {
  Executor runner;
  Experiment experiment = *default_experiment("worked-example");
  const std::shared_ptr<const Tensor> x = (*runner.run(experiment))->find("x")->tensor;
  experiment.parameters["tokens"] = Index{9};
  for (int i = 0; i < 3; ++i) {
    ++experiment.seed;
    ASSERT_TRUE(runner.run(experiment));
  }
  EXPECT_EQ(x->axes(), (Axes{{"token", 6}, {"feature", 9}}));
  EXPECT_TRUE(std::ranges::equal(x->values(), (*run(*default_experiment("worked-example")))->tensor("x").values()));
}

TEST(MemoryStore, HandsOutAgainWhatCameBack) {
  const auto store = std::make_shared<MemoryStore>();
  store->keep_at_most(1 << 24);
  const float* first = nullptr;
  {
    Numbers numbers(1 << 20, store);
    first = numbers.values().data();
    numbers.values().back() = 1;
  }
  EXPECT_GE(store->kept(), std::size_t{1} << 22U);
  {
    const Numbers numbers((1 << 20) - 1000, store);
    EXPECT_EQ(numbers.values().data(), first);
    EXPECT_EQ(store->kept(), 0U);
  }
  store->keep_at_most(100);
  EXPECT_EQ(store->kept(), 0U);
}

}  // namespace
}  // namespace attnscope::test
