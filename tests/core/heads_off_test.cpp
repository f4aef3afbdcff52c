// Heads that are switched off.
#include <gtest/gtest.h>

#include <cmath>

#include "core/experiment/system.h"
#include "core/explain/explain.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "system_variations.h"

namespace attnscope::test {
namespace {

const Tensor& tensor(const Trace& trace, const char* name) { return *trace.find(name)->tensor; }

Experiment without(Experiment experiment, std::vector<Index> heads) {
  experiment.heads_off = std::move(heads);
  return experiment;
}

TEST(HeadsOff, AreZeroAndTheOthersAsTheyWere) {
  int systems_with = 0;
  for (const System& system : systems()) {
    const Experiment base = small_experiment(system);
    const Index heads = switchable_heads(base);
    if (heads < 2) continue;
    ++systems_with;
    const std::shared_ptr<const Trace> all = *run(base);
    const std::shared_ptr<const Trace> trace = *run(without(base, {1}));
    const Step& kept = *trace->find("kept_head_outputs");
    const Tensor& outputs = tensor(*trace, "head_outputs");
    EXPECT_TRUE(
        std::equal(outputs.values().begin(), outputs.values().end(), tensor(*all, "head_outputs").values().begin()));
    std::size_t axis = 0;
    while (kept.axes[axis].name != "head") ++axis;
    for (Index i = 0; i < kept.tensor->count(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool off = index_in(kept.axes, i)[axis] == 1;
      EXPECT_EQ(kept.tensor->values()[at], off ? 0.0F : outputs.values()[at]) << system.name;
    }
    const auto merged = tensor(*trace, "merged").values();
    EXPECT_FALSE(std::equal(merged.begin(), merged.end(), tensor(*all, "merged").values().begin())) << system.name;
  }
  EXPECT_GE(systems_with, 6);
}

TEST(HeadsOff, TheOutputLacksWhatTheHeadAdds) {
  const Experiment base = *default_experiment("worked-example");
  const std::shared_ptr<const Trace> all = *run(base);
  const std::shared_ptr<const Trace> trace = *run(without(base, {2}));
  const MatrixView outputs = tensor(*all, "head_outputs").matrix(std::vector<Index>{2});
  const MatrixView w_out = tensor(*all, "w_out").matrix({});
  const MatrixView before = tensor(*all, "out").matrix({});
  const MatrixView after = tensor(*trace, "out").matrix({});
  for (Index token = 0; token < 6; ++token) {
    for (Index feature = 0; feature < 9; ++feature) {
      double added = 0;
      for (Index dim = 0; dim < 7; ++dim)
        added += static_cast<double>(outputs.at(token, dim)) * static_cast<double>(w_out.at(2 * 7 + dim, feature));
      const double difference =
          static_cast<double>(before.at(token, feature)) - static_cast<double>(after.at(token, feature));
      EXPECT_NEAR(difference, added, 1e-4 * std::abs(added));
    }
  }
}

TEST(HeadsOff, WithoutAnyTheStepIsNotThere) {
  EXPECT_EQ((*run(*default_experiment("worked-example")))->find("kept_head_outputs"), nullptr);
}

TEST(HeadsOff, WhatIsNoNumberIsZeroToo) {
  Experiment experiment = without(*default_experiment("worked-example"), {0});
  for (Index feature = 0; feature < 9; ++feature) experiment.edits.push_back({"w_v", {0, feature, 0}, 3e38});
  const std::shared_ptr<const Trace> trace = *run(experiment);
  EXPECT_FALSE(std::isfinite(tensor(*trace, "head_outputs").values()[0]));
  for (const float value : tensor(*trace, "out").values()) EXPECT_TRUE(std::isfinite(value));
}

TEST(HeadsOff, ExplainThemselves) {
  const std::shared_ptr<const Trace> trace = *run(without(*default_experiment("worked-example"), {1, 3}));
  const auto step = static_cast<int>(trace->find("kept_head_outputs") - trace->steps().data());
  EXPECT_EQ(explain(*trace, step, std::vector<Index>{1, 2, 3}).note, "this head is switched off");
  EXPECT_EQ(explain(*trace, step, std::vector<Index>{1, 2, 3}).computed, 0);
  const Explanation on = explain(*trace, step, std::vector<Index>{2, 2, 3});
  EXPECT_EQ(on.note, "this head is on");
  EXPECT_EQ(on.computed, on.value);
}

TEST(HeadsOff, AreRefusedWhereThereAreNone) {
  const auto message = [](const char* system, std::vector<Index> heads) {
    const Result<void> valid = validate(without(*default_experiment(system), std::move(heads)));
    return valid ? std::string() : valid.error().message;
  };
  EXPECT_EQ(message("worked-example", {0, 1, 2, 3}), "");
  EXPECT_EQ(message("worked-example", {4}), "heads_off: 4 is not allowed; allowed: ascending numbers from 0 to 3");
  for (const std::vector<Index>& wrong : {std::vector<Index>{-1}, {1, 1}, {2, 1}})
    EXPECT_NE(message("worked-example", wrong).find("is not allowed; allowed: ascending"), std::string::npos);
  EXPECT_EQ(message("scaled-dot-product", {0}),
            "heads_off: no heads can be switched off in scaled-dot-product; allowed: an empty list");
  EXPECT_EQ(switchable_heads(*default_experiment("scaled-dot-product")), 0);
  EXPECT_EQ(switchable_heads(*default_experiment("hand-made-heads")), 7);
}

}  // namespace
}  // namespace attnscope::test
