// Scores that a mask hides are computed when somebody reads them, and are then those of a run without a mask.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "core/experiment/system.h"
#include "core/plan/plan.h"
#include "core/trace/run.h"

namespace attnscope::test {
namespace {

Experiment layer(const std::string& mask, Index tokens = 515) {
  Experiment experiment = *default_experiment("stacked-multihead");
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"tokens", std::to_string(tokens)}, {"batch", "2"}, {"features", "24"}, {"embedding", "96"}, {"heads", "2"}})
    EXPECT_TRUE(set_parameter_text(experiment, name, value)) << name;
  EXPECT_TRUE(set_parameter_text(experiment, "mask", mask)) << mask;
  return experiment;
}

const Tensor& scores_of(const Trace& trace) { return *trace.find("scores")->tensor; }

/// Bit for bit.
void expect_same(const Tensor& one, const Tensor& other, const std::string& about) {
  EXPECT_TRUE(std::ranges::equal(one.values(), other.values())) << about;
}

/// Every step again, from the inputs that the trace has.
void expect_each_step_again(const Trace& trace, const std::string& about) {
  for (const Step& step : trace.steps()) {
    if (step.inputs.empty()) continue;
    std::vector<const Tensor*> inputs;
    for (const int input : step.inputs) inputs.push_back(trace.step(input).tensor.get());
    Tensor again(step.axes);
    step.operation->compute(inputs, {}, again);
    expect_same(*step.tensor, again, about + ": " + step.name);
  }
}

TEST(Executor, HiddenScoresAreThoseWithoutAMask) {
  const std::shared_ptr<const Trace> open = *Executor().run(layer("none"));
  EXPECT_FALSE(scores_of(*open).has_room());
  for (const char* const mask : {"causal", "window:40", "padding:100", "padding:17,400", "window:0"}) {
    const std::shared_ptr<const Trace> trace = *Executor().run(layer(mask));
    ASSERT_TRUE(scores_of(*trace).has_room()) << mask << ": nothing is left for later";
    EXPECT_EQ(scores_of(*trace).at(std::vector<Index>{1, 1, 3, 514}),
              scores_of(*open).at(std::vector<Index>{1, 1, 3, 514}))
        << mask;
    expect_same(scores_of(*trace), scores_of(*open), mask);
    expect_each_step_again(*trace, mask);
  }
}

TEST(Executor, FewHiddenScoresAreComputedAtOnce) {
  for (const char* const mask : {"window:400", "padding:500"})
    EXPECT_FALSE(scores_of(**Executor().run(layer(mask))).has_room()) << mask;
  EXPECT_FALSE(scores_of(**Executor().run(layer("causal", 64))).has_room());
}

TEST(Executor, AHiddenScoreIsReadFromManyThreads) {
  const std::shared_ptr<const Trace> open = *Executor().run(layer("none"));
  const std::shared_ptr<const Trace> trace = *Executor().run(layer("causal"));
  std::vector<std::thread> readers;
  std::vector<float> read(4);
  for (std::size_t i = 0; i < read.size(); ++i) {
    readers.emplace_back([&, i] {
      const std::vector<Index> index = {0, 1, static_cast<Index>(i) * 20, 514};
      read[i] = i % 2 == 0 ? scores_of(*trace).at(index)
                           : trace->value(static_cast<int>(trace->find("scores") - trace->steps().data()), index);
    });
  }
  for (std::thread& reader : readers) reader.join();
  for (std::size_t i = 0; i < read.size(); ++i)
    EXPECT_EQ(read[i], scores_of(*open).at(std::vector<Index>{0, 1, static_cast<Index>(i) * 20, 514})) << i;
}

TEST(Executor, ScoresWithSomeLeftForLaterAreTakenOver) {
  Executor runner;
  Experiment experiment = layer("causal");
  const std::shared_ptr<const Trace> first = *runner.run(experiment);
  experiment.parameters["temperature"] = 2.0;
  const std::shared_ptr<const Trace> warmer = *runner.run(experiment);
  EXPECT_EQ(warmer->find("scores")->tensor, first->find("scores")->tensor);
  const std::shared_ptr<const Trace> fresh = *Executor().run(experiment);
  for (const Step& step : fresh->steps()) expect_same(*warmer->find(step.name)->tensor, *step.tensor, step.name);
}

TEST(Executor, ScoresThatMayNotBeFiniteAreAllComputed) {
  Experiment experiment = layer("causal");
  experiment.edits.push_back({"x", {0, 0, 0}, 3e38});
  EXPECT_FALSE(scores_of(**Executor().run(experiment)).has_room());
}

}  // namespace
}  // namespace attnscope::test
