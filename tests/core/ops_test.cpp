// The operations on chosen numbers.

#include "core/operations/ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/operations/draw.h"
#include "core/operations/dropout.h"
#include "made_tensors.h"
#include "support/floats.h"

namespace attnscope::test {
namespace {

constexpr double kNoKeyFill = -9e15;

Mask mask_of(const char* text) { return *parse_mask(text); }

TEST(Softmax, RowsSumToOne) {
  std::mt19937 random(1);
  ComputingRecorder recorder(1);
  const Value scores =
      given(recorder, "scores", {{"head", 3}, {"query", 5}, {"key", 17}}, random_numbers(random, 255, -30, 30));
  for (const double temperature : {0.01, 1.0, 100.0}) {
    const std::vector<float> weights = numbers_of(recorder, softmax(recorder, "weights", scores, temperature));
    for (std::size_t row = 0; row < 15; ++row) {
      const auto begin = weights.begin() + static_cast<std::ptrdiff_t>(row * 17);
      EXPECT_NEAR(std::accumulate(begin, begin + 17, 0.0), 1.0, 2e-6);
      EXPECT_TRUE(std::all_of(begin, begin + 17, [](float weight) { return weight >= 0 && weight <= 1; }));
    }
  }
}

TEST(Softmax, TemperatureDividesTheScores) {
  std::mt19937 random(2);
  ComputingRecorder recorder(1);
  std::vector<float> numbers = random_numbers(random, 40, -5, 5);
  const Value scores = given(recorder, "scores", {{"query", 4}, {"key", 10}}, numbers);
  for (float& number : numbers) number /= 4;
  const Value quarter = given(recorder, "quarter", {{"query", 4}, {"key", 10}}, numbers);
  EXPECT_EQ(numbers_of(recorder, softmax(recorder, "a", scores, 4)),
            numbers_of(recorder, softmax(recorder, "b", quarter)));

  // A lower temperature is sharper: the largest weight of every row grows.
  std::vector<float> before(4, 0);
  for (const double temperature : {100.0, 10.0, 1.0, 0.1, 0.01}) {
    const std::vector<float> weights = numbers_of(recorder, softmax(recorder, "c", scores, temperature));
    for (std::size_t row = 0; row < 4; ++row) {
      const auto begin = weights.begin() + static_cast<std::ptrdiff_t>(row * 10);
      const float largest = *std::max_element(begin, begin + 10);
      EXPECT_GT(largest, before[row] - 1e-6F);
      before[row] = largest;
    }
  }
  for (const float largest : before) EXPECT_GT(largest, 0.9F);
}

TEST(Mask, MaskedWeightsAreExactlyZero) {
  std::mt19937 random(3);
  for (const double fill : {kNoKeyFill, -std::numeric_limits<double>::infinity()}) {
    for (const char* mask : {"causal", "window:1", "padding:3"}) {
      ComputingRecorder recorder(1);
      const Axes axes = {{"batch", 2}, {"head", 3}, {"query", 5}, {"key", 6}};
      const MaskField field(mask_of(mask), {2, 3, 5, 6});
      const Value scores = given(recorder, "scores", axes, random_numbers(random, 180, -50, 50));
      const Value masked = apply_mask(recorder, "masked_scores", scores, field, fill);
      const Value weights = softmax(recorder, "weights", masked);
      const std::vector<float> before = numbers_of(recorder, scores);
      const std::vector<float> after = numbers_of(recorder, masked);
      const std::vector<float> shares = numbers_of(recorder, weights);
      for (Index at = 0; at < 180; ++at) {
        const bool keep = field.keeps(at / 90, at / 30 % 3, at / 6 % 5, at % 6);
        const auto i = static_cast<std::size_t>(at);
        EXPECT_EQ(after[i], keep ? before[i] : static_cast<float>(fill));
        if (!keep) {
          EXPECT_EQ(shares[i], 0.0F) << mask << " " << at;
        }
      }
      EXPECT_TRUE(warnings_of(recorder).empty());
    }
  }
}

TEST(Mask, ARowWithoutKeysIsAsTheFillSays) {
  std::mt19937 random(4);
  Mask mask;
  mask.kind = Mask::Kind::array;
  mask.shape = {3, 4};
  mask.keep.assign(12, true);
  std::fill_n(mask.keep.begin() + 4, 4, false);  // query 1 sees nothing

  ComputingRecorder recorder(1);
  const Value scores = given(recorder, "scores", {{"head", 2}, {"query", 3}, {"key", 4}}, random_numbers(random, 24));
  const MaskField field(mask, {1, 2, 3, 4});
  const std::vector<float> uniform =
      numbers_of(recorder, softmax(recorder, "weights", apply_mask(recorder, "large", scores, field, kNoKeyFill)));
  const std::vector<float> zero =
      numbers_of(recorder, softmax(recorder, "weights", apply_mask(recorder, "infinite", scores, field, -kInfinity)));
  for (std::size_t at = 0; at < 24; ++at) {
    if (at / 4 % 3 != 1) {
      EXPECT_EQ(uniform[at], zero[at]);
      EXPECT_GT(zero[at], 0.0F);
    } else {
      EXPECT_EQ(uniform[at], 0.25F);
      EXPECT_EQ(zero[at], 0.0F);
    }
  }
  EXPECT_EQ(
      warnings_of(recorder),
      (std::vector<std::string>{"large: 2 rows have no unmasked key; masked_fill -9e+15 makes the weights uniform",
                                "infinite: 2 rows have no unmasked key: their weights are 0"}));
}

TEST(Mask, NaNUnderAMaskDoesNotReachTheWeights) {
  ComputingRecorder recorder(1);
  for (const float bad : {kNaN, kInfinity, -kInfinity}) {
    std::vector<float> numbers(16, 0.5F);
    for (std::size_t query = 0; query < 4; ++query) {
      for (std::size_t key = query + 1; key < 4; ++key) numbers[query * 4 + key] = bad;
    }
    const Value scores = given(recorder, "scores", {{"query", 4}, {"key", 4}}, numbers);
    for (const double fill : {kNoKeyFill, -std::numeric_limits<double>::infinity()}) {
      const Value masked = apply_mask(recorder, "masked", scores, MaskField(mask_of("causal"), {1, 1, 4, 4}), fill);
      const std::vector<float> weights = numbers_of(recorder, softmax(recorder, "weights", masked));
      for (std::size_t at = 0; at < 16; ++at) {
        EXPECT_EQ(weights[at], at % 4 <= at / 4 ? 1.0F / static_cast<float>(at / 4 + 1) : 0.0F) << bad << " " << at;
      }
    }
  }
}

TEST(Softmax, HugeAndInfiniteLogits) {
  ComputingRecorder recorder(1);
  const Value scores = given(recorder, "scores", {{"query", 3}, {"key", 3}},
                             {1e30F, -1e30F, 0, -1e30F, -1e30F, -1e30F, 0, kInfinity, 1});
  const std::vector<float> weights = numbers_of(recorder, softmax(recorder, "weights", scores));
  const std::vector<float> finite(weights.begin(), weights.begin() + 6);
  EXPECT_EQ(finite, (std::vector<float>{1, 0, 0, 1.0F / 3, 1.0F / 3, 1.0F / 3}));
  EXPECT_TRUE(std::isnan(weights[7]));
}

TEST(Dropout, DropsItsShareAndScalesTheRest) {
  ComputingRecorder recorder(42);
  const Value ones = given(recorder, "ones", {{"query", 200}, {"key", 200}}, std::vector<float>(40000, 1.0F));
  for (const double probability : {0.1, 0.5, 0.9}) {
    const Value dropped = dropout(recorder, "dropped", ones, probability);
    const std::vector<float> numbers = numbers_of(recorder, dropped);
    const auto zeros = std::count(numbers.begin(), numbers.end(), 0.0F);
    // Five standard deviations of a binomial distribution.
    EXPECT_NEAR(static_cast<double>(zeros), 40000 * probability,
                5 * std::sqrt(40000 * probability * (1 - probability)));
    EXPECT_EQ(std::count(numbers.begin(), numbers.end(), 1 / static_cast<float>(1 - probability)), 40000 - zeros);
    const auto& operation = *as<DropoutOperation>(recorder.step(dropped).operation);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      EXPECT_EQ(operation.keeps(42, static_cast<Index>(i)), numbers[i] != 0);
  }
  const std::vector<std::string> warnings = warnings_of(recorder);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("does not match PyTorch"), std::string::npos);
}

TEST(Dropout, RepeatsWithTheSeedAndLeavesTheGeneratorAlone) {
  const auto drop = [](std::uint64_t seed, int steps_before) {
    ComputingRecorder recorder(seed);
    Value ones;
    for (int i = 0; i <= steps_before; ++i)
      ones = given(recorder, "ones", {{"key", 500}}, std::vector<float>(500, 1.0F));
    const std::vector<float> numbers = numbers_of(recorder, dropout(recorder, "dropped", ones, 0.5));
    EXPECT_EQ(recorder.numbers_drawn(), 0U);
    return numbers;
  };
  EXPECT_EQ(drop(7, 0), drop(7, 0));
  EXPECT_NE(drop(7, 0), drop(8, 0));
  // The dropout stream uses all 64 bits of the seed.
  EXPECT_NE(drop(7, 0), drop((std::uint64_t{1} << 32U) + 7, 0));
  // Two tensors of an experiment have different dropout patterns.
  EXPECT_NE(drop(7, 0), drop(7, 1));
}

/// Attention without positions, from the tokens to the outputs of one head.
struct Head {
  std::vector<float> weights;  ///< [query, key]
  std::vector<float> outputs;  ///< [query, dim]
};

Head attend(const std::vector<float>& tokens, const std::vector<float>& projections) {
  ComputingRecorder r(1);
  const auto part = [&](std::size_t i) {
    return std::vector<float>(projections.begin() + static_cast<std::ptrdiff_t>(i * 15),
                              projections.begin() + static_cast<std::ptrdiff_t>(i * 15 + 15));
  };
  const Value x = given(r, "x", {{"token", 8}, {"feature", 5}}, tokens);
  const Axes axes = {{"feature", 5}, {"dim", 3}};
  const Value q = contract(r, "q", "query feature, feature dim -> query dim", x, given(r, "w_q", axes, part(0)));
  const Value k = contract(r, "k", "key feature, feature dim -> key dim", x, given(r, "w_k", axes, part(1)));
  const Value v = contract(r, "v", "key feature, feature dim -> key dim", x, given(r, "w_v", axes, part(2)));
  const Value scores = contract(r, "scores", "query dim, key dim -> query key", q, k, {std::sqrt(3.0), "√3"});
  const Value weights = softmax(r, "weights", scores);
  const Value outputs = contract(r, "outputs", "query key, key dim -> query dim", weights, v);
  return {numbers_of(r, weights), numbers_of(r, outputs)};
}

TEST(Attention, PermutedTokensGivePermutedOutputs) {
  std::mt19937 random(5);
  const std::vector<float> tokens = random_numbers(random, 40);
  const std::vector<float> projections = random_numbers(random, 45);
  std::vector<std::size_t> order(8);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  std::vector<float> permuted;
  for (const std::size_t token : order) {
    for (std::size_t i = 0; i < 5; ++i) permuted.push_back(tokens[token * 5 + i]);
  }
  const Head before = attend(tokens, projections);
  const Head after = attend(permuted, projections);
  for (std::size_t query = 0; query < 8; ++query) {
    for (std::size_t key = 0; key < 8; ++key)
      EXPECT_NEAR(after.weights[query * 8 + key], before.weights[order[query] * 8 + order[key]], 1e-6F);
    for (std::size_t dim = 0; dim < 3; ++dim)
      EXPECT_NEAR(after.outputs[query * 3 + dim], before.outputs[order[query] * 3 + dim], 1e-6F);
  }
}

TEST(PlanBuilder, AllocatesNothing) {
  PlanBuilder recorder;
  const Index huge = 2147483647;
  const Value a = draw_normal(recorder, "a", {{"i", huge}, {"j", huge}});
  const Value b = contract(recorder, "b", "i j, i k -> j k", a, a);
  EXPECT_EQ(recorder.axes(b), (Axes{{"j", huge}, {"k", huge}}));
  dropout(recorder, "c", softmax(recorder, "d", b), 0.5);
  EXPECT_EQ(recorder.plan().cost.tensors, 4);
  EXPECT_EQ(recorder.plan().cost.numbers, std::numeric_limits<Index>::max());
  EXPECT_NEAR(recorder.plan().cost.bytes, 4 * 4 * std::pow(2147483647.0, 2), 1e6);
}

TEST(PlanBuilder, CountsTheNumbersOfTheSeed) {
  PlanBuilder recorder;
  const Value a = draw_uniform(recorder, "a", {{"i", 20}});
  recorder.discard(7);
  const Value b = draw_normal(recorder, "b", {{"i", 3}});
  EXPECT_EQ(as<DrawOperation>(recorder.step(a).operation)->numbers_before, 0U);
  EXPECT_EQ(as<DrawOperation>(recorder.step(b).operation)->numbers_before, 27U);
  EXPECT_EQ(as<DrawOperation>(recorder.step(b).operation)->discarded, 7U);
  EXPECT_EQ(recorder.numbers_drawn(), 30U);
}

}  // namespace
}  // namespace attnscope::test
