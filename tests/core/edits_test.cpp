// Edits: random numbers are the same as without them, and everything else is computed from the edited values.
#include <gtest/gtest.h>

#include "core/experiment/system.h"
#include "core/explain/explain.h"
#include "core/operations/draw.h"
#include "core/plan/plan.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"

namespace attnscope::test {
namespace {

Experiment with_edits(std::vector<CellEdit> edits) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.edits = std::move(edits);
  return experiment;
}

TEST(Edits, ReplaceTheirCellsAndNoOtherDrawOfAnySystem) {
  for (const System& system : systems()) {
    Experiment experiment = *default_experiment(system.name);
    if (system.name.find("image") == 0 || system.name == "packed-multihead") experiment.parameters["batch"] = Index{2};
    const Plan planned = plan(experiment);
    for (const PlannedStep& step : planned.steps) {
      if (!is<DrawOperation>(step.operation)) continue;
      experiment.edits.push_back({step.name, index_in(step.axes, element_count(step.axes) / 2), 0.75});
    }
    if (experiment.edits.empty()) continue;
    ASSERT_TRUE(validate(experiment)) << system.name;
    const auto edited = *run(experiment);
    Experiment bare = experiment;
    bare.edits.clear();
    const auto drawn = *run(bare);
    for (const CellEdit& edit : experiment.edits) {
      const Tensor& ours = edited->tensor(edit.tensor);
      const Tensor& theirs = drawn->tensor(edit.tensor);
      const Index at = offset_in(ours.axes(), edit.index);
      for (Index i = 0; i < ours.count(); ++i) {
        const auto position = static_cast<std::size_t>(i);
        EXPECT_EQ(ours.values()[position], i == at ? 0.75F : theirs.values()[position]) << edit.tensor << " " << i;
      }
    }
  }
}

TEST(Edits, AreExplainedAsSuch) {
  const auto trace = *run(with_edits({{"x", {1, 2}, 2.5}}));
  const auto x = static_cast<int>(trace->find("x") - trace->steps().data());
  const std::vector<Index> edited = {1, 2};
  const std::vector<Index> drawn = {1, 3};
  EXPECT_EQ(explain(*trace, x, edited).value, 2.5);
  EXPECT_EQ(explain(*trace, x, edited).note, "edited; replaces random value 12 of seed 42");
  EXPECT_EQ(explain(*trace, x, drawn).note, "random value 13 of seed 42");
}

TEST(Edits, OfOneRunnerAreTheSameAsAlone) {
  Executor runner;
  const std::vector<Experiment> sequence = {with_edits({}), with_edits({{"w_q", {0, 3, 1}, -4}}),
                                            with_edits({{"w_q", {0, 3, 1}, -5}, {"x", {0, 0}, 9}}),
                                            with_edits({{"x", {0, 0}, 9}}), with_edits({})};
  for (const Experiment& experiment : sequence) {
    const auto again = *runner.run(experiment);
    const auto alone = *run(experiment);
    for (std::size_t i = 0; i < alone->steps().size(); ++i) {
      const auto a = again->steps()[i].tensor->values();
      const auto b = alone->steps()[i].tensor->values();
      EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << alone->steps()[i].name;
    }
  }
}

TEST(Edits, ThatMakeNumbersInfiniteAreNoticed) {
  const auto trace = *run(with_edits({{"x", {1, 2}, 3e38}, {"x", {1, 3}, 3e38}}));
  EXPECT_FALSE(trace->warnings().empty());
}

struct Refused {
  CellEdit edit;
  std::vector<std::string> fragments;
};

TEST(Edits, OfCellsThatAreNotThereAreRefused) {
  const std::vector<Refused> cases = {
      {{"y", {0, 0}, 1}, {"edits: \"y\" is not a tensor", "x, x2"}},
      {{"q", {0, 0, 0}, 1}, {"edits: \"q\" is computed", "w_out"}},
      {{"x", {6, 0}, 1}, {"edits: \"x\" has no cell [6, 0]", "6 × 9"}},
      {{"x", {0, -1}, 1}, {"has no cell"}},
      {{"x", {0}, 1}, {"has no cell [0]"}},
      {{"x", {0, 0, 0}, 1}, {"has no cell"}},
      {{"x", {0, 0}, 1e39}, {"edits: \"x\"[0, 0]", "finite"}},
      {{"x", {0, 0}, std::numeric_limits<double>::quiet_NaN()}, {"finite"}},
  };
  for (const Refused& each : cases) {
    const Experiment experiment = with_edits({each.edit});
    const Result<void> valid = validate(experiment);
    ASSERT_FALSE(valid) << each.fragments.front();
    for (const std::string& fragment : each.fragments)
      EXPECT_NE(valid.error().message.find(fragment), std::string::npos) << valid.error().message;
    Experiment dropped = experiment;
    drop_edits_without_cell(dropped);
    EXPECT_TRUE(dropped.edits.empty());
    EXPECT_EQ(plan(experiment).steps, plan(dropped).steps) << "they are left out of the plan";
  }
  const Result<void> twice = validate(with_edits({{"x", {0, 0}, 1}, {"x", {0, 0}, 2}}));
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message.find("twice"), std::string::npos);
  const Result<void> many = validate(with_edits(std::vector<CellEdit>(kMaxEdits + 1, CellEdit{"x", {0, 0}, 1})));
  ASSERT_FALSE(many);
  EXPECT_NE(many.error().message.find("at most 4096"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::test
