// Edited weights of trained models, on small models of every family.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/explain/explain.h"
#include "core/heads/finder.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "golden_models.h"

namespace attnscope::test {
namespace {

std::string refusal_of_edit(const Experiment& experiment) {
  const Result<void> valid = validate(experiment, kDefaultMemoryBudget);
  const std::string message = valid ? "" : valid.error().message;
  const std::size_t at = message.find("edits: ");
  return at == std::string::npos ? message : message.substr(at);
}

class EditedWeights : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    experiment_ = golden_experiment(kGoldenModels / GetParam());
    plain_ = *run(experiment_);
    for (const Step& step : plain_->steps()) {
      if (step.operation->traits().is_weight) weights_.push_back(step.name);
    }
    ASSERT_GT(weights_.size(), 3U);
  }

  Experiment experiment_;
  std::shared_ptr<const Trace> plain_;
  std::vector<std::string> weights_;
};

TEST_P(EditedWeights, HaveTheirNumbersAndWhatFollowsIsComputedFromThem) {
  for (const std::string& name : weights_) {
    SCOPED_TRACE(name);
    const Step& weight = *plain_->find(name);
    Experiment changed = experiment_;
    const std::vector<Index> first(weight.axes.size(), 0);
    const std::vector<Index> last = index_in(weight.axes, weight.tensor->count() - 1);
    changed.edits = {{name, last, 7.5}};
    if (first != last) changed.edits.push_back({name, first, -3});
    ASSERT_EQ(refusal_of_edit(changed), "");
    for (const auto& trace : {*run(changed), *Executor(1).run(changed)}) {
      const auto number = static_cast<int>(trace->find(name) - trace->steps().data());
      EXPECT_EQ(trace->value(number, last), 7.5F);
      if (first != last) {
        EXPECT_EQ(trace->value(number, first), -3.0F);
      }
      const Index apart = std::max<Index>(1, weight.tensor->count() / 40);
      for (Index at = 1; at + 1 < weight.tensor->count(); at += apart)
        ASSERT_EQ(trace->value(number, index_in(weight.axes, at)),
                  weight.tensor->values()[static_cast<std::size_t>(at)]);
      // Of every tensor that reads it: what the operation makes of it.
      for (std::size_t step = 0; step < trace->steps().size(); ++step) {
        const Step& each = trace->steps()[step];
        if (std::ranges::find(each.inputs, number) == each.inputs.end()) continue;
        for (Index at = 0; at < element_count(each.axes); at += std::max<Index>(1, element_count(each.axes) / 7)) {
          const Explanation why = explain(*trace, static_cast<int>(step), index_in(each.axes, at));
          EXPECT_NEAR(why.computed, why.value, 1e-4 * std::max(1.0, std::abs(why.value))) << each.name;
        }
      }
    }
    const Explanation why = explain(**run(changed), static_cast<int>(&weight - plain_->steps().data()), last);
    EXPECT_TRUE(why.note.starts_with("edited; replaces ")) << why.note;
    EXPECT_EQ(why.value, 7.5);
  }
}

TEST_P(EditedWeights, AnEditIsComputedAsAFreshRunComputesIt) {
  Executor executor;
  Experiment changed = experiment_;
  for (const bool edited : {false, true, false, true}) {
    changed.edits.clear();
    if (edited) changed.edits = {{weights_[1], std::vector<Index>(plain_->find(weights_[1])->axes.size(), 0), 2}};
    const auto after = *executor.run(changed);
    const auto fresh = *run(changed);
    for (const Step& step : fresh->steps())
      EXPECT_TRUE(std::ranges::equal(after->find(step.name)->tensor->values(), step.tensor->values())) << step.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Families, EditedWeights, testing::ValuesIn(golden_folders()), test_name);

TEST(WeightEdits, WhatCannotBeIsRefusedInOneLine) {
  Experiment experiment = golden_experiment(kGoldenModels / "gpt2-1");
  experiment.edits = {{"layer1.q", {0, 0, 0}, 1}};
  EXPECT_TRUE(refusal_of_edit(experiment).starts_with("edits: \"layer1.q\" is computed, not a weight; allowed: "))
      << refusal_of_edit(experiment);
  EXPECT_TRUE(refusal_of_edit(experiment).ends_with(", …")) << refusal_of_edit(experiment);
  experiment.edits = {{"embedded", {0, 0}, 1}};
  EXPECT_TRUE(refusal_of_edit(experiment).starts_with("edits: \"embedded\" is computed, not a weight"));
  experiment.edits = {{"w_nothing", {0, 0}, 1}};
  EXPECT_TRUE(refusal_of_edit(experiment).starts_with("edits: \"w_nothing\" is not a tensor of the system"));
  experiment.edits = {{"w_logits", {0, 9999}, 1}};
  EXPECT_TRUE(refusal_of_edit(experiment).starts_with("edits: \"w_logits\" has no cell [0, 9999]"))
      << refusal_of_edit(experiment);
  experiment.edits = {{"w_logits", {0, 0}, 1e300}};
  EXPECT_NE(refusal_of_edit(experiment), "");
}

TEST(WeightEdits, HoldWhileTheModelIsTested) {
  const std::shared_ptr<const Model> model =
      *open_model(std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models/induction");
  Experiment experiment = experiment_on_model(model);
  experiment.text.ids = {1, 2, 3};
  const std::shared_ptr<const Trace> computed = *run(experiment);
  const Trace& trace = *computed;
  // All queries of the first head are 0.
  std::vector<CellEdit> edits;
  const Step& weight = *trace.find("layer2.w_projected_q");
  const Index numbers = weight.tensor->count() / trace.tensor("layer2.weights").size(0);
  ASSERT_LE(numbers, static_cast<Index>(kMaxEdits));
  for (Index at = 0; at < numbers; ++at) edits.push_back({"layer2.w_projected_q", index_in(weight.axes, at), 0});
  const FoundHeads plain = *find_heads(model);
  const FoundHeads edited = *find_heads(model, {.edits = edits});
  EXPECT_EQ(edited.edits, edits);
  for (std::size_t i = 0; i < plain.heads.size(); ++i) {
    const bool is_edited = plain.heads[i].tensor == "layer2.weights" && plain.heads[i].head == 0;
    const FoundValue& before = plain.heads[i].values.front();
    const FoundValue& after = edited.heads[i].values.front();
    if (is_edited) {
      EXPECT_NEAR(after.mean, after.uniform, 1e-6) << "without queries, attention is even";
      EXPECT_GT(std::abs(after.mean - before.mean), 1e-6);
      EXPECT_FALSE(edited.heads[i].name);
    } else {
      EXPECT_EQ(after.mean, before.mean) << "the other heads of the last layer, and those before";
    }
  }
}

}  // namespace
}  // namespace attnscope::test
