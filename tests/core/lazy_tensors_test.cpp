// Lazy tensors: every box has the numbers of the whole tensor.
#include "core/trace/lazy_tensors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "core/base/stop.h"
#include "core/explain/explain.h"
#include "core/plan/resident_steps.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "made_tensors.h"
#include "system_variations.h"

namespace attnscope::test {
namespace {

/// The trace with only inputs, weights and the steps in `held` in memory.
LazyTensors lazy_of(const Trace& trace, const std::vector<std::string>& also_resident = {}) {
  std::vector<std::shared_ptr<const Tensor>> held;
  for (const Step& step : trace.steps()) {
    const bool kept =
        step.inputs.empty() || std::find(also_resident.begin(), also_resident.end(), step.name) != also_resident.end();
    held.push_back(kept ? step.tensor : nullptr);
  }
  return {trace.plan(), std::move(held), trace.experiment().seed};
}

Region random_region(std::mt19937& random, int step, const Axes& axes) {
  Region region = whole_region(step, axes);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    region.begin[axis] = random_index(random, 0, axes[axis].size - 1);
    region.end[axis] = random_index(random, region.begin[axis] + 1, axes[axis].size);
  }
  return region;
}

void expect_same_box(const Trace& trace, const Region& region, const Tensor& box, const std::string& what) {
  const Step& step = trace.steps()[static_cast<std::size_t>(region.step)];
  ASSERT_EQ(box.axes(), region_axes(step.axes, region)) << what;
  for (Index at = 0; at < box.count(); ++at) {
    std::vector<Index> index = box.index_at(at);
    for (std::size_t axis = 0; axis < index.size(); ++axis) index[axis] += region.begin[axis];
    const float one = step.tensor->at(index);
    const float other = box.values()[static_cast<std::size_t>(at)];
    ASSERT_EQ(std::bit_cast<std::uint32_t>(one), std::bit_cast<std::uint32_t>(other))
        << what << " " << one << " " << other;
  }
}

TEST(LazyTensors, EveryBoxIsPartOfTheWhole) {
  std::mt19937 random(3);
  for (const Experiment& experiment : variations()) {
    SCOPED_TRACE(description(experiment));
    const auto trace = *run(experiment);
    const LazyTensors lazy = lazy_of(*trace);
    for (int step = 0; step < static_cast<int>(trace->steps().size()); ++step) {
      const Step& made = trace->steps()[static_cast<std::size_t>(step)];
      for (int i = 0; i < 4; ++i) {
        const Region region = i == 3 ? whole_region(step, made.axes) : random_region(random, step, made.axes);
        expect_same_box(*trace, region, *lazy.numbers(region, {}), made.name);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(LazyTensors, LargeOnesAreComputedInParts) {
  Experiment experiment = *default_experiment("scaled-dot-product");
  for (const char* setting : {"queries", "keys"}) experiment.parameters[setting] = Index{3001};
  experiment.parameters["head_dim"] = Index{20};
  experiment.parameters["mask"] = *parse_mask("window:1200");
  std::mt19937 random(4);
  ThreadPool pool(2);
  const auto trace = *run(experiment);
  const LazyTensors lazy = lazy_of(*trace);
  for (const char* name : {"head_outputs", "weights", "masked_scores"}) {
    const auto step = static_cast<int>(trace->find(name) - trace->steps().data());
    for (int i = 0; i < 3; ++i) {
      const Region region = random_region(random, step, trace->find(name)->axes);
      expect_same_box(*trace, region, *lazy.numbers(region, {0, &pool, {}}), name);
    }
  }
}

TEST(LazyTensors, RemembersRows) {
  const auto trace = *run(*default_experiment("worked-example"));
  const LazyTensors lazy = lazy_of(*trace, {"scores"});
  const auto step = static_cast<int>(trace->find("weights") - trace->steps().data());
  EXPECT_TRUE(lazy.remembered(step, 7, 2).empty());
  EXPECT_EQ(lazy.numbers({step, {1, 1, 2}, {2, 3, 4}}, {})->count(), 4);
  EXPECT_EQ(lazy.remembered(step, 7, 2).size(), 2U);
  EXPECT_TRUE(lazy.remembered(step, 7, 3).empty());
}

TEST(LazyTensors, StopsWhenAsked) {
  Experiment experiment = *default_experiment("scaled-dot-product");
  for (const char* setting : {"queries", "keys"}) experiment.parameters[setting] = Index{200'000};
  experiment.parameters["head_dim"] = Index{64};
  ASSERT_TRUE(validate(experiment));
  const auto trace = *run(experiment);
  ASSERT_NE(trace->lazy(), nullptr);
  StopSource source;
  source.request_stop();
  // Computing all outputs would take minutes.
  const Step& outputs = *trace->find("head_outputs");
  const auto step = static_cast<int>(&outputs - trace->steps().data());
  EXPECT_EQ(outputs.tensor, nullptr);
  const Region whole = whole_region(step, outputs.axes);
  EXPECT_EQ(trace->numbers(whole, {0, nullptr, source.token()})->axes(), outputs.axes);
}

TEST(ResidentSteps, AreAllUntilTheyDoNotFit) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.parameters["tokens"] = Index{20'000};
  experiment.parameters["heads"] = Index{1};
  const Plan planned = plan(experiment);
  const std::vector<bool> all = resident_steps(planned, planned.cost.bytes);
  EXPECT_EQ(std::count(all.begin(), all.end(), false), 0);
  const std::vector<bool> held = resident_steps(planned, planned.cost.bytes - 1);
  const auto is_resident = [&](std::string_view name) {
    const auto found = std::find_if(planned.steps.begin(), planned.steps.end(),
                                    [&](const PlannedStep& step) { return step.name == name; });
    return held[static_cast<std::size_t>(found - planned.steps.begin())];
  };
  for (const char* name : {"x", "q", "k", "v", "w_out", "cross_scores", "cross_head_outputs"})
    EXPECT_TRUE(is_resident(name)) << name;
  for (const char* name : {"scores", "weights", "weighted_values", "head_outputs", "merged", "out"})
    EXPECT_FALSE(is_resident(name)) << name;
}

// What is made for the next steps and let go takes memory too.
TEST(ResidentSteps, CountWhatPasses) {
  Experiment experiment = *default_experiment("scaled-dot-product");
  const Plan planned = plan(experiment);
  const auto bytes_of = [&](std::string_view name) {
    const auto found = std::ranges::find_if(planned.steps, [&](const PlannedStep& step) { return step.name == name; });
    return 4 * static_cast<double>(element_count(found->axes));
  };
  std::vector<bool> held(planned.steps.size(), true);
  EXPECT_EQ(passing_bytes(planned, held), 0);
  for (std::size_t i = 0; i < held.size(); ++i)
    held[i] = planned.steps[i].name != "scores" && planned.steps[i].name != "weights";
  EXPECT_EQ(passing_bytes(planned, held), bytes_of("scores") + bytes_of("weights"));
  // What no step reads is never made.
  for (std::size_t i = 0; i < held.size(); ++i) held[i] = held[i] && planned.steps[i].inputs.empty();
  EXPECT_EQ(passing_bytes(planned, held), 0);
}

TEST(LazyTensors, ExplainsItself) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.parameters["tokens"] = Index{20'000};
  experiment.parameters["scale"] = std::string("sqrt_head_dim");
  ASSERT_TRUE(validate(experiment));
  const auto trace = *run(experiment);
  for (const char* cell : {"scores[3, 19999, 7]", "weights[1, 12345, 19998]", "merged[17, 20]", "out[19999, 8]",
                           "weighted_values[2, 5, 19000, 3]"}) {
    const CellReference at = *parse_cell(*trace, cell);
    const Explanation e = explain(*trace, at.step, at.index);
    EXPECT_NEAR(e.value, e.computed, 1e-5 * std::max(1.0, std::abs(e.computed))) << cell;
  }
}

}  // namespace
}  // namespace attnscope::test
