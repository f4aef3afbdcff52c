// The attention of one token, against plain loops over all weights.
#include "core/heads/token_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/stop.h"
#include "core/heads/head_layers.h"
#include "core/imported/imported_layers.h"
#include "core/trace/run.h"
#include "support/imported_tensors.h"

namespace attnscope::test {
namespace {

std::shared_ptr<const Trace> traced(const std::string& system,
                                    const std::vector<std::pair<std::string, ParameterValue>>& set) {
  Experiment experiment = *default_experiment(system);
  for (const auto& [name, value] : set) EXPECT_TRUE(set_parameter(experiment, name, value));
  return *run(experiment);
}

int step_called(const Trace& trace, const char* name) {
  return static_cast<int>(trace.find(name) - trace.steps().data());
}

std::shared_ptr<const Trace> weights_of(const std::vector<MadeTensors::Made>& tensors) {
  return *run(*experiment_on(made(tensors)));
}

TEST(TokenAttention, IsARowOrAColumnOfTheHeads) {
  const auto trace = traced("stacked-multihead", {{"batch", Index{2}}, {"tokens", Index{5}}});
  const int step = step_called(*trace, "weights");
  const Tensor& weights = trace->tensor("weights");
  ASSERT_EQ(weights.size(1), 4);
  for (const bool from : {true, false}) {
    const auto weight = [&](Index head, Index other) {
      return weights.at(from ? std::vector<Index>{1, head, 3, other} : std::vector<Index>{1, head, other, 3});
    };
    const TokenQuestion question = {step, 1, 2, HeadCombination::one, from, 3};
    const auto one = token_attention(*trace, question);
    TokenQuestion of_all = question;
    of_all.heads = HeadCombination::mean;
    const auto mean = token_attention(*trace, of_all);
    of_all.heads = HeadCombination::maximum;
    const auto maximum = token_attention(*trace, of_all);
    ASSERT_TRUE(one && mean && maximum);
    ASSERT_EQ(one->weights.size(), 5U);
    for (Index other = 0; other < 5; ++other) {
      const auto at = static_cast<std::size_t>(other);
      EXPECT_EQ(one->weights[at], weight(2, other));
      double sum = 0;
      Index largest = 0;
      for (Index head = 0; head < 4; ++head) {
        sum += static_cast<double>(weight(head, other));
        if (weight(head, other) > weight(largest, other)) largest = head;
      }
      EXPECT_NEAR(mean->weights[at], sum / 4, 1e-7);
      EXPECT_EQ(maximum->weights[at], weight(largest, other));
      EXPECT_EQ(mean->largest_head[at], largest);
      EXPECT_EQ(mean->largest[at], weight(largest, other));
    }
  }
}

TEST(TokenAttention, OfRolloutIsARowOrAColumnOfTheProduct) {
  for (const char* const mask : {"none", "causal"}) {
    const auto trace = traced("hand-made-heads", {{"mask", *parse_mask(mask)}});
    const int second = step_called(*trace, "layer2.weights");
    const std::shared_ptr<const Tensor> all = rollout(*trace, second, 0);
    ASSERT_NE(all, nullptr);
    const Index tokens = all->size(0);
    for (Index token = 0; token < tokens; ++token) {
      for (const bool from : {true, false}) {
        const auto line = token_attention(*trace, {second, 0, 0, HeadCombination::rollout, from, token});
        ASSERT_TRUE(line);
        for (Index other = 0; other < tokens; ++other) {
          const float expected = from ? all->matrix({}).at(token, other) : all->matrix({}).at(other, token);
          EXPECT_NEAR(line->weights[static_cast<std::size_t>(other)], expected, 1e-7) << mask << token << other;
        }
      }
    }
  }
}

TEST(TokenAttention, RolloutOfTheFirstLayerIsHalfOfTheMeanAndHalfOfTheToken) {
  const auto trace = traced("hand-made-heads", {});
  const int first = step_called(*trace, "weights");
  EXPECT_EQ(rollout_layers(*trace, first), std::vector<int>{first});
  const auto mean = token_attention(*trace, {first, 0, 0, HeadCombination::mean, true, 4});
  const auto flow = token_attention(*trace, {first, 0, 0, HeadCombination::rollout, true, 4});
  ASSERT_TRUE(mean && flow);
  for (std::size_t i = 0; i < flow->weights.size(); ++i)
    EXPECT_NEAR(flow->weights[i], (mean->weights[i] + (i == 4 ? 1.0F : 0.0F)) / 2, 1e-7F);
}

TEST(TokenAttention, OfWeightsThatAreNotHeldIsTheSame) {
  const auto held = traced("stacked-multihead", {{"tokens", Index{70}}});
  std::vector<StepResult> results;
  const int scores = step_called(*held, "scores");
  for (int i = 0; i < static_cast<int>(held->steps().size()); ++i)
    results.push_back(i < scores ? StepResult{held->steps()[static_cast<std::size_t>(i)].tensor, 0} : StepResult{});
  const Trace lazy(held->experiment(), held->plan(), std::move(results), 0);
  const int step = step_called(*held, "weights");
  ASSERT_EQ(lazy.steps()[static_cast<std::size_t>(step)].tensor, nullptr);
  for (const auto heads :
       {HeadCombination::one, HeadCombination::mean, HeadCombination::maximum, HeadCombination::rollout}) {
    for (const bool from : {true, false}) {
      const TokenQuestion question = {step, 0, 1, heads, from, 60};
      EXPECT_EQ(token_attention(*held, question)->weights, token_attention(lazy, question)->weights);
    }
  }
}

TEST(TokenAttention, ReadsNoMoreThanItNeeds) {
  // More than fit into memory.
  const auto tensors = std::make_shared<MadeTensors>(std::vector<MadeTensors::Made>{{"attentions", {2, 6000, 6000}}});
  const auto trace = *run(*experiment_on(tensors));
  const int step = step_called(*trace, "weights");
  ASSERT_EQ(trace->steps()[static_cast<std::size_t>(step)].tensor, nullptr);
  for (const bool from : {true, false}) {
    tensors->numbers_read = 0;
    const auto mean = token_attention(*trace, {step, 0, 0, HeadCombination::mean, from, 5999});
    ASSERT_TRUE(mean);
    EXPECT_EQ(tensors->numbers_read, 2 * 6000);
    const float first = tensors->value(0, {0, from ? 5999 : 7, from ? 7 : 5999});
    const float second = tensors->value(0, {1, from ? 5999 : 7, from ? 7 : 5999});
    EXPECT_NEAR(mean->weights[7], (first + second) / 2, 1e-6F);
  }
  // Of a single layer, rollout needs one row of each head.
  tensors->numbers_read = 0;
  ASSERT_TRUE(token_attention(*trace, {step, 0, 0, HeadCombination::rollout, true, 5999}));
  EXPECT_EQ(tensors->numbers_read, 2 * 6000);
}

TEST(TokenAttention, EndsWhenStoppedOrNotRead) {
  const auto trace = traced("hand-made-heads", {});
  StopSource source;
  source.request_stop();
  const int second = step_called(*trace, "layer2.weights");
  for (const auto heads : {HeadCombination::one, HeadCombination::mean, HeadCombination::rollout})
    EXPECT_FALSE(token_attention(*trace, {second, 0, 0, heads, true, 0}, source.token()));
  const auto tensors = std::make_shared<MadeTensors>(std::vector<MadeTensors::Made>{{"attentions", {2, 6000, 6000}}});
  const auto large = *run(*experiment_on(tensors));
  tensors->broken = true;
  for (const auto heads : {HeadCombination::one, HeadCombination::mean, HeadCombination::rollout})
    EXPECT_FALSE(token_attention(*large, {step_called(*large, "weights"), 0, 0, heads, true, 0}));
  EXPECT_TRUE(large->failure());
}

TEST(TokenAttention, WhatIsNotANumberStaysOne) {
  const auto tensors = std::make_shared<MadeTensors>(std::vector<MadeTensors::Made>{{"attentions", {3, 2, 2}}});
  tensors->instead[{0, 4 + 1}] = NAN;  // head 2, query 1, key 2
  const auto trace = *run(*experiment_on(tensors));
  const int step = step_called(*trace, "weights");
  for (const auto heads : {HeadCombination::mean, HeadCombination::maximum, HeadCombination::rollout}) {
    const auto row = token_attention(*trace, {step, 0, 0, heads, true, 0});
    EXPECT_FALSE(std::isnan(row->weights[0]));
    EXPECT_TRUE(std::isnan(row->weights[1]));
  }
  EXPECT_EQ(token_attention(*trace, {step, 0, 0, HeadCombination::maximum, true, 0})->largest_head[1], 1);
}

TEST(Rollout, SaysWhereItIsNotDefined) {
  const auto with_cross = traced("worked-example", {});
  EXPECT_EQ(no_rollout(*with_cross, step_called(*with_cross, "weights")), "");
  EXPECT_EQ(no_rollout(*with_cross, step_called(*with_cross, "cross_weights")),
            "Rollout follows self-attention: the queries of cross-attention are not the tokens of its keys.");
  const auto longer = weights_of({{"layers.0.attn", {2, 3, 3}}, {"layers.1.attn", {2, 3, 5}}});
  EXPECT_EQ(no_rollout(*longer, step_called(*longer, "weights")), "");
  EXPECT_EQ(no_rollout(*longer, step_called(*longer, "layer2.weights")),
            "Rollout needs the same tokens as queries and keys: layer 2 has 3 and 5.");
  EXPECT_TRUE(rollout_layers(*longer, step_called(*longer, "layer2.weights")).empty());
}

}  // namespace
}  // namespace attnscope::test
