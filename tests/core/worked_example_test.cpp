// Invariants of the worked example; systems_test.cpp compares its numbers with PyTorch.

#include <gtest/gtest.h>

#include <cmath>

#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "support/golden.h"
#include "system_variations.h"

namespace attnscope::test {
namespace {

constexpr const char* kSystem = "worked-example";

TEST(WorkedExample, ScalingDividesTheScores) {
  const Experiment plain = *default_experiment(kSystem);
  const Experiment scaled = set(plain, "scale", "sqrt_head_dim");
  const std::shared_ptr<const Trace> a = *run(plain);
  const std::shared_ptr<const Trace> b = *run(scaled);
  for (const char* name : {"scores", "single.scores", "cross_scores", "single.cross_scores"}) {
    const auto before = a->tensor(name).values();
    const auto after = b->tensor(name).values();
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i], before[i] / std::sqrt(7.0F)) << name;
  }
}

TEST(WorkedExample, MasksLeaveCrossAttentionAlone) {
  const Experiment plain = *default_experiment(kSystem);
  const std::shared_ptr<const Trace> a = *run(plain);
  const std::shared_ptr<const Trace> b = *run(set(plain, "mask", "causal"));
  EXPECT_EQ(largest_difference(b->tensor("cross_weights"), a->tensor("cross_weights")), 0);
  EXPECT_EQ(b->find("cross_masked_scores"), nullptr);
  EXPECT_NE(b->find("single.masked_scores"), nullptr);
}

TEST(WorkedExample, ALayerForEveryHeadGivesItsFirstToTheSingleHead) {
  Experiment e = *default_experiment(kSystem);
  Mask mask;
  mask.kind = Mask::Kind::array;
  mask.shape = {1, 4, 6, 6};
  for (Index at = 0; at < 144; ++at) mask.keep.push_back(at % 6 != at / 36);  // head h does not see key h
  ASSERT_TRUE(set_parameter(e, "mask", mask));
  ASSERT_TRUE(validate(e));
  const std::shared_ptr<const Trace> trace = *run(e);
  for (Index at = 0; at < 144; ++at) {
    const float weight = trace->tensor("weights").values()[static_cast<std::size_t>(at)];
    if (at % 6 == at / 36) {
      EXPECT_EQ(weight, 0.0F);
    }
  }
  for (Index at = 0; at < 36; ++at) {
    if (at % 6 == 0) {
      EXPECT_EQ(trace->tensor("single.weights").values()[static_cast<std::size_t>(at)], 0.0F);
    }
  }
}

TEST(WorkedExample, WeightedValuesSumToTheOutputs) {
  const std::shared_ptr<const Trace> trace = *run(*default_experiment(kSystem));
  const Tensor& parts = trace->tensor("weighted_values");  // [head, key, query, dim]
  const Tensor& outputs = trace->tensor("head_outputs");   // [head, query, dim]
  for (Index at = 0; at < outputs.count(); ++at) {
    const std::vector<Index> index = outputs.index_at(at);
    double sum = 0;
    for (Index key = 0; key < 6; ++key)
      sum += static_cast<double>(parts.at(std::vector<Index>{index[0], key, index[1], index[2]}));
    EXPECT_NEAR(sum, static_cast<double>(outputs.at(index)), 1e-5);
  }
}

TEST(WorkedExample, DropoutChangesNothingBeforeIt) {
  const Experiment plain = *default_experiment(kSystem);
  const std::shared_ptr<const Trace> a = *run(plain);
  const std::shared_ptr<const Trace> b = *run(set(plain, "dropout", "0.5"));
  for (const Step& step : a->steps()) {
    const bool behind = step.name.find("head_outputs") != std::string::npos ||
                        step.name.find("weighted_values") != std::string::npos || step.name == "merged" ||
                        step.name == "out";
    const double difference = largest_difference(b->tensor(step.name), *step.tensor);
    if (behind) {
      EXPECT_GT(difference, 0) << step.name;
    }
    if (!behind) {
      EXPECT_EQ(difference, 0) << step.name;
    }
  }
  EXPECT_TRUE(a->warnings().empty());
  EXPECT_EQ(b->warnings().size(), 1U) << "not one for each tensor";
}

TEST(WorkedExample, RowsWithoutKeysAreWarnedOf) {
  const Experiment e = set(*default_experiment(kSystem), "mask", "padding:0");
  const std::shared_ptr<const Trace> uniform = *run(e);
  ASSERT_EQ(uniform->warnings().size(), 2U);
  EXPECT_EQ(uniform->warnings()[1],
            "masked_scores: 24 rows have no unmasked key; masked_fill -9e+15 makes the weights uniform");
  for (const float weight : uniform->tensor("weights").values()) EXPECT_FLOAT_EQ(weight, 1.0F / 6);
  const std::shared_ptr<const Trace> zero = *run(set(e, "masked_fill", "-inf"));
  ASSERT_EQ(zero->warnings().size(), 2U);
  for (const float weight : zero->tensor("weights").values()) EXPECT_EQ(weight, 0.0F);
  for (const float output : zero->tensor("out").values()) EXPECT_EQ(output, 0.0F);
}

}  // namespace
}  // namespace attnscope::test
