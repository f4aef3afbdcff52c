// Scores of trained models that are masked by interventions, on small models of every family.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/explain/explain.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "golden_models.h"

namespace attnscope::test {
namespace {

using Kind = Intervention::Kind;

class MaskedScores : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    experiment_ = golden_experiment(kGoldenModels / GetParam());
    plain_ = *run(experiment_);
    for (const Step& step : plain_->steps()) {
      if (can_mask(step.name)) scores_.push_back(step.name);
    }
    ASSERT_FALSE(scores_.empty());
  }

  [[nodiscard]] std::shared_ptr<const Trace> with(std::vector<Intervention> interventions) const {
    Experiment changed = experiment_;
    changed.interventions = std::move(interventions);
    const Result<void> valid = validate(changed, kDefaultMemoryBudget);
    EXPECT_TRUE(valid) << valid.error().message;
    return *run(changed);
  }

  static std::string weights_of(const std::string& scores) {
    return scores.substr(0, scores.size() - std::string("scores").size()) + "weights";
  }

  /// The weights of a row without those keys; all 0 if none is left.
  static std::vector<double> without(const Tensor& weights, Index head, Index query, const std::vector<Index>& keys) {
    std::vector<double> row;
    double sum = 0;
    for (Index key = 0; key < weights.size(-1); ++key) {
      const bool stays = std::ranges::find(keys, key) == keys.end();
      row.push_back(stays ? static_cast<double>(weights.at(std::vector<Index>{head, query, key})) : 0);
      sum += row.back();
    }
    for (double& each : row) each = sum > 0 ? each / sum : 0;
    return row;
  }

  Experiment experiment_;
  std::shared_ptr<const Trace> plain_;
  std::vector<std::string> scores_;
};

TEST_P(MaskedScores, TheOtherKeysShareItsWeight) {
  for (const std::string& scores : scores_) {
    SCOPED_TRACE(scores);
    const Tensor& before = plain_->tensor(weights_of(scores));
    const Index head = before.size(0) - 1;
    const Index query = before.size(1) - 1;
    const auto trace = with({{scores, head, query, Kind::masked, 0}, {scores, 0, {}, Kind::masked, 1}});
    const Tensor& now = trace->tensor(weights_of(scores));
    for (Index h = 0; h < before.size(0); ++h) {
      for (Index q = 0; q < before.size(1); ++q) {
        std::vector<Index> masked;
        if (h == head && q == query) masked.push_back(0);
        if (h == 0) masked.push_back(1);
        const std::vector<double> wanted = without(before, h, q, masked);
        for (Index k = 0; k < before.size(2); ++k) {
          const auto value = static_cast<double>(now.at(std::vector<Index>{h, q, k}));
          if (std::ranges::find(masked, k) != masked.end()) {
            ASSERT_EQ(value, 0) << h << " " << q << " " << k;
          }
          ASSERT_NEAR(value, wanted[static_cast<std::size_t>(k)], 1e-5) << h << " " << q << " " << k;
        }
      }
    }
  }
}

TEST_P(MaskedScores, AQueryWithoutAnyKeyAttendsToNothing) {
  const std::string& scores = scores_.front();
  const Tensor& before = plain_->tensor(weights_of(scores));
  std::vector<Intervention> all;
  for (Index key = 0; key < before.size(2); ++key) all.push_back({scores, 0, 1, Kind::masked, key});
  const auto trace = with(all);
  const Tensor& now = trace->tensor(weights_of(scores));
  for (Index key = 0; key < now.size(2); ++key) EXPECT_EQ(now.at(std::vector<Index>{0, 1, key}), 0.0F);
  for (const Step& step : trace->steps()) {
    const bool is_scores = step.name.find("scores") != std::string::npos;
    EXPECT_TRUE(is_scores || step.not_finite == 0) << step.name;
  }
}

TEST_P(MaskedScores, EveryCellExplainsItself) {
  const std::string& scores = scores_.back();
  const Tensor& before = plain_->tensor(weights_of(scores));
  const auto trace = with({{scores, 0, before.size(1) - 1, Kind::masked, 0}, {scores, 0, {}, Kind::masked, 1}});
  for (const std::string& name :
       {weights_of(scores), weights_of(scores).replace(scores.rfind("scores"), 7, "masked_scores")}) {
    const Step* const step = trace->find(name);
    ASSERT_NE(step, nullptr) << name;
    for (Index at = 0; at < step->tensor->count(); ++at) {
      const std::vector<Index> index = index_in(step->axes, at);
      const Explanation why = explain(*trace, static_cast<int>(step - trace->steps().data()), index);
      if (std::isfinite(why.value)) {
        ASSERT_NEAR(why.computed, why.value, 1e-5 * std::max(1.0, std::abs(why.value))) << name;
      } else {
        ASSERT_EQ(why.computed, why.value) << name;
      }
      if (name.ends_with("masked_scores") && index[0] == 0 && index[2] == 1) {
        EXPECT_EQ(why.note, "masked (intervention)");
      }
    }
  }
}

TEST_P(MaskedScores, TypingHasTheBitsOfAFreshRun) {
  if (!experiment_.picture.empty()) return;
  Experiment changed = experiment_;
  changed.interventions = {{scores_.front(), 0, {}, Kind::masked, 0}, {scores_.front(), 0, 1, Kind::masked, 1}};
  Executor typing;
  const std::vector<Index> whole = changed.text.ids;
  for (const std::size_t length : {whole.size() - 1, whole.size(), whole.size() - 2, whole.size()}) {
    changed.text.ids.assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    const auto typed = *typing.run(changed);
    const auto fresh = *run(changed);
    for (const Step& step : fresh->steps())
      EXPECT_TRUE(std::ranges::equal(typed->find(step.name)->tensor->values(), step.tensor->values())) << step.name;
  }
}

TEST_P(MaskedScores, ATraceTooLargeForMemoryHasTheSameNumbers) {
  Experiment changed = experiment_;
  changed.interventions = {{scores_.back(), 0, {}, Kind::masked, 1}};
  const auto held = *run(changed);
  const auto lazy = *Executor(1).run(changed);
  for (const std::string& name : {weights_of(scores_.back()), std::string("logits")}) {
    const Step* const step = held->find(name);
    if (step == nullptr) continue;
    const int number = static_cast<int>(lazy->find(name) - lazy->steps().data());
    for (Index at = 0; at < step->tensor->count(); at += 3)
      EXPECT_EQ(lazy->value(number, index_in(step->axes, at)), step->tensor->values()[static_cast<std::size_t>(at)]);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, MaskedScores, testing::ValuesIn(golden_folders()), test_name);

TEST(MaskedScoreNames, CountFromOne) {
  for (const char* const name : {"layer2.head3@5:2", "layer2.head3@*:2", "decoder.layer1.cross_head2@1:1"}) {
    const Result<Intervention> part = intervention_on(name);
    ASSERT_TRUE(part) << name;
    EXPECT_TRUE(can_mask(part->tensor)) << part->tensor;
    EXPECT_EQ(part->kind, Kind::masked);
    EXPECT_EQ(part_name(*part), name);
  }
  const Intervention score = *intervention_on("decoder.layer1.cross_head2@5:3");
  EXPECT_EQ(score, (Intervention{"decoder.layer1.cross_scores", 1, 4, Kind::masked, 2}));
  EXPECT_EQ(part_title(score), "Decoder layer 1, cross-attention, head 2, query 5, key 3");
  EXPECT_EQ(part_title(*intervention_on("layer2.head3@*:2")), "Layer 2, head 3, key 2");
  for (const char* const name :
       {"layer2.head3@5:0", "layer2.head3@:2", "layer2.head3@*", "layer2.head3:2", "layer2.mlp@5:2", "layer2.out@*:1",
        "layer2.head3@5:", "layer2.head3@5:2:1", "layer2.head3@-1:2", "layer2.head@1:1"}) {
    EXPECT_FALSE(intervention_on(name)) << name;
  }
  EXPECT_EQ(scores_of_heads("layer2.weights"), "layer2.scores");
  EXPECT_EQ(scores_of_heads("decoder.layer1.cross_masked_scores"), "decoder.layer1.cross_scores");
  EXPECT_EQ(scores_of_heads("layer2.head_outputs"), "");
  EXPECT_EQ(scores_of_heads("weights"), "");
}

TEST(MaskedScoreNames, WhatCannotBeIsRefusedInOneLine) {
  Experiment experiment = golden_experiment(kGoldenModels / "gpt2-1");
  const auto refused = [&](Intervention intervention) {
    experiment.interventions = {std::move(intervention)};
    const Result<void> valid = validate(experiment, kDefaultMemoryBudget);
    const std::string message = valid ? "" : valid.error().message;
    const std::size_t at = message.find("interventions: ");
    return at == std::string::npos ? message : message.substr(at);
  };
  EXPECT_EQ(refused({"layer1.scores", 0, 0, Kind::off, 0}), "interventions: layer1.scores is off; allowed: masked");
  EXPECT_EQ(refused({"layer1.mlp_out", {}, {}, Kind::masked, {}}),
            "interventions: layer1.mlp_out is masked; allowed: off, mean, patched");
  EXPECT_EQ(refused({"layer1.scores", 0, 0, Kind::masked, {}}),
            "interventions: layer1.scores has keys; allowed: one with a key");
  EXPECT_EQ(refused({"layer1.mlp_out", {}, {}, Kind::off, 1}),
            "interventions: layer1.mlp_out has no keys; allowed: no key");
  EXPECT_EQ(refused({"layer1.scores", {}, 0, Kind::masked, 0}),
            "interventions: layer1.scores has heads; allowed: one with a head");
  const std::string tokens = std::to_string(experiment.text.ids.size());
  EXPECT_EQ(refused({"layer1.scores", 0, 99, Kind::masked, 0}),
            "interventions: layer1.head1@100:1: there is no query 100; allowed: 1 to " + tokens);
  EXPECT_EQ(refused({"layer1.scores", 0, {}, Kind::masked, 99}),
            "interventions: layer1.head1@*:100: there is no key 100; allowed: 1 to " + tokens);
  EXPECT_EQ(refused({"layer9.scores", 0, {}, Kind::masked, 0}),
            "interventions: this model has no layer9.head1@*:1; allowed: heads and MLPs of its layers");
}

}  // namespace
}  // namespace attnscope::test
