// The mask that imported weights show, the one that is declared for them, and the measures that follow from it.
#include "core/heads/found_mask.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/heads/head_measures.h"
#include "core/imported/imported_layers.h"
#include "core/trace/run.h"
#include "support/imported_tensors.h"

namespace attnscope::test {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

FoundMask found_in(const std::vector<std::vector<std::vector<float>>>& heads) {
  const auto queries = static_cast<Index>(heads.front().size());
  MaskSearch search(queries, static_cast<Index>(heads.front().front().size()));
  for (const auto& head : heads) {
    for (Index query = 0; query < queries; ++query) search.add(query, head[static_cast<std::size_t>(query)]);
  }
  return search.found();
}

TEST(FoundMask, ZerosAboveTheDiagonalAreACausalMask) {
  EXPECT_TRUE(found_in({{{1, 0}, {0.5F, 0.5F}}}).causal);
  EXPECT_EQ(found_in({{{1, 0}, {0.5F, 0.5F}}}).text(), "causal mask, judging by weights of 0");
  // One head that looks ahead is enough, whatever the others do.
  EXPECT_FALSE(found_in({{{1, 0}, {0.5F, 0.5F}}, {{0.9F, 0.1F}, {0.5F, 0.5F}}}).any());
  EXPECT_FALSE(found_in({{{1}}}).any());
  EXPECT_FALSE(found_in({{{1, 0, 0}, {0.5F, 0.5F, 0}}}).causal) << "not square";
  // Everything on the first token needs no mask.
  EXPECT_FALSE(found_in({{{1, 0, 0}, {1, 0, 0}, {1, 0, 0}}}).causal);
  EXPECT_FALSE(found_in({{{0, 0}, {0, 0}}}).any());
}

TEST(FoundMask, KeysThatNobodyAttendsToArePadding) {
  const FoundMask mask = found_in({{{0.5F, 0.5F, 0}, {0.25F, 0.75F, 0}, {1, 0, 0}}});
  EXPECT_FALSE(mask.causal);
  EXPECT_EQ(mask.padding, (std::vector<bool>{false, false, true}));
  EXPECT_EQ(mask.text(), "1 padding key, judging by weights of 0");
  EXPECT_TRUE(mask.keeps(0, 1));
  EXPECT_FALSE(mask.keeps(0, 2));
  const FoundMask both = found_in({{{1, 0, 0, 0}, {0.5F, 0.5F, 0, 0}, {0, 0.5F, 0.5F, 0}, {0, 0, 1, 0}}});
  EXPECT_EQ(both.text(), "causal mask and 1 padding key, judging by weights of 0");
}

TEST(FoundMask, RowsThatAMaskFilledWithOneNumberAreNoAttention) {
  constexpr float third = 1 / 3.0F;
  const std::vector<std::vector<float>> left = {{third, third, third}, {0, 1, 0}, {0, 0.25F, 0.75F}};
  const FoundMask mask = found_in({left, left});
  EXPECT_TRUE(mask.causal);
  EXPECT_EQ(mask.padding, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(mask.text(true), "causal mask and 1 padding token, judging by weights of 0");
  // Other heads with a choice there, or keys that others attend to, say that it is attention.
  EXPECT_FALSE(found_in({left, {{0.5F, 0.25F, 0.25F}, {0, 1, 0}, {0, 0.25F, 0.75F}}}).any());
  EXPECT_FALSE(found_in({{{third, third, third}, {0.5F, 0.5F, 0}, {0, 0.25F, 0.75F}}}).any());
  EXPECT_FALSE(found_in({{{1, 0, 0}, {third, third, third}, {1, 0, 0}}}).any()) << "not at the beginning";
  EXPECT_FALSE(found_in({{{third, third, third}, {third, third, third}, {third, third, third}}}).any());
}

TEST(FoundMask, RowsThatAreNotFiniteSayNothing) {
  EXPECT_TRUE(found_in({{{kNaN, kNaN}, {0.5F, 0.5F}}}).causal);
  EXPECT_FALSE(found_in({{{kNaN, kNaN}, {kNaN, kNaN}}}).any());
}

/// Weights [head, query, key] from a formula.
std::shared_ptr<MadeTensors> weights_of(Index heads, Index size, const std::function<float(Index, Index, Index)>& of) {
  const auto tensors = made({{"attn", {heads, size, size}}});
  for (Index head = 0; head < heads; ++head) {
    for (Index query = 0; query < size; ++query) {
      for (Index key = 0; key < size; ++key)
        tensors->instead[{0, (head * size + query) * size + key}] = of(head, query, key);
    }
  }
  return tensors;
}

float causal_uniform(Index /*head*/, Index query, Index key) {
  return key <= query ? 1 / static_cast<float>(query + 1) : 0.0F;
}

std::size_t place_of(std::string_view name) {
  std::size_t at = 0;
  while (measures()[at].name != name) ++at;
  return at;
}

double value(const MeasureRow& row, std::string_view name) { return row[place_of(name)].value_or(std::nan("")); }

HeadMeasures measured(const std::shared_ptr<MadeTensors>& tensors, const std::string& mask = "none") {
  Experiment experiment = *experiment_on(tensors);
  EXPECT_TRUE(set_parameter_text(experiment, "mask", mask));
  const auto trace = *run(experiment);
  return *measure_heads(*trace, attention_steps_of(*trace).front(), 0);
}

TEST(FoundMask, BaselinesAndNormalizedEntropyTakeIt) {
  const HeadMeasures heads = measured(weights_of(2, 5, causal_uniform));
  EXPECT_EQ(heads.mask, "causal mask, judging by weights of 0");
  EXPECT_NEAR(value(heads.heads[1], "entropy_share"), 1, 1e-6);
  double mean = 0;  // of 1 / (q + 1) for q ≥ 1
  for (int query = 1; query < 5; ++query) mean += 1.0 / (query + 1) / 4;
  EXPECT_NEAR(value(heads.uniform, "previous_token"), mean, 1e-6);
  EXPECT_NEAR(value(heads.uniform, "next_token"), 0, 1e-9);
}

TEST(FoundMask, PaddingKeysCountAsMasked) {
  const auto tensors = weights_of(2, 4, [](Index, Index, Index key) { return key < 3 ? 1 / 3.0F : 0.0F; });
  const HeadMeasures heads = measured(tensors);
  EXPECT_EQ(heads.mask, "1 padding token, judging by weights of 0; queries that are padding are left out");
  EXPECT_NEAR(value(heads.heads[0], "entropy_share"), 1, 1e-6);
  EXPECT_NEAR(value(heads.uniform, "entropy"), std::log(3), 1e-6);
}

/// Weights of a causal previous-token head behind `padded` tokens of padding, whose own rows are `filled`: half of the
/// weight on the token before, or the token itself where that is padding, and the rest even.
float behind_padding(Index padded, float filled, Index query, Index key) {
  if (query < padded) return filled;
  if (key < padded || key > query) return 0;
  return (key == std::max(query - 1, padded) ? 0.5F : 0.0F) + 0.5F / static_cast<float>(query - padded + 1);
}

TEST(FoundMask, PaddingChangesNoMeasureHoweverItsRowsAreFilled) {
  constexpr Index tokens = 4;
  const HeadMeasures alone =
      measured(weights_of(1, tokens, [](Index, Index query, Index key) { return behind_padding(0, 0, query, key); }));
  for (const Index padded : {1, 2, 5}) {
    for (const float filled : {0.0F, 1 / static_cast<float>(tokens + padded), kNaN}) {
      const HeadMeasures heads = measured(weights_of(1, tokens + padded, [&](Index, Index query, Index key) {
        return behind_padding(padded, filled, query, key);
      }));
      for (std::size_t i = 0; i < measures().size(); ++i) {
        SCOPED_TRACE(std::string(measures()[i].name) + " behind " + std::to_string(padded) + " filled with " +
                     std::to_string(filled));
        ASSERT_EQ(heads.heads[0][i].has_value(), alone.heads[0][i].has_value());
        EXPECT_NEAR(heads.heads[0][i].value_or(0), alone.heads[0][i].value_or(0), 1e-6);
        EXPECT_NEAR(heads.uniform[i].value_or(0), alone.uniform[i].value_or(0), 1e-6);
      }
      EXPECT_EQ(heads.left_out, 0);
      EXPECT_TRUE(heads.mask.ends_with("judging by weights of 0; queries that are padding are left out")) << heads.mask;
    }
  }
}

TEST(FoundMask, PaddingAtTheEndIsNoNextToken) {
  // Even attention to the three tokens of five positions: the last token has no next one.
  const HeadMeasures heads =
      measured(weights_of(1, 5, [](Index, Index, Index key) { return key < 3 ? 1 / 3.0F : 0.0F; }));
  EXPECT_NEAR(value(heads.heads[0], "next_token"), 1 / 3.0, 1e-6);
  EXPECT_NEAR(value(heads.heads[0], "previous_token"), 1 / 3.0, 1e-6);
}

TEST(FoundMask, HeadsMadeByHandHaveAllQueries) {
  for (const bool first : {true, false}) {
    const auto heads = measured(weights_of(1, 8, [&](Index, Index query, Index key) {
      return key == (first ? 0 : std::max<Index>(query - 1, 0)) ? 1.0F : 0.0F;
    }));
    EXPECT_NEAR(value(heads.heads[0], "diagonal"), 1 / 8.0, 1e-6);
    EXPECT_NEAR(heads.received[0][0], first ? 1 : 2 / 8.0, 1e-6);
    EXPECT_TRUE(heads.mask.ends_with("judging by weights of 0")) << heads.mask;
  }
}

TEST(FoundMask, DeclaredPaddingIsNoQuery) {
  const auto looks_back = weights_of(2, 4, [](Index, Index query, Index key) {
    return query < 3 ? (key == std::max<Index>(query - 1, 0) ? 1.0F : 0.0F) : (key == 0 ? 1.0F : 0.0F);
  });
  const HeadMeasures heads = measured(looks_back, "padding:3");
  EXPECT_EQ(heads.mask, "mask padding:3, as set; queries that are padding are left out");
  EXPECT_NEAR(value(heads.heads[0], "previous_token"), 1, 1e-6);
  EXPECT_NEAR(heads.received[0][0], 2 / 3.0, 1e-6);
  // Weights between two sequences have no query for a key.
  const auto across = made({{"attn", {1, 2, 3}}});
  EXPECT_EQ(measured(across, "padding:2").mask, "mask padding:2, as set");
}

TEST(FoundMask, ADeclaredMaskIsTakenInstead) {
  const auto uniform = weights_of(2, 4, [](Index, Index, Index) { return 0.25F; });
  EXPECT_EQ(measured(uniform).mask, "");
  const HeadMeasures heads = measured(uniform, "causal");
  EXPECT_EQ(heads.mask, "mask causal, as set");
  EXPECT_NEAR(value(heads.uniform, "next_token"), 0, 1e-9);
  Experiment experiment = *experiment_on(uniform);
  ASSERT_TRUE(set_parameter_text(experiment, "mask", "causal"));
  const auto trace = *run(experiment);
  ASSERT_EQ(trace->warnings().size(), 1U);
  EXPECT_EQ(trace->warnings()[0], "weights: 12 weights outside the mask causal are not 0; they are shown unchanged");
  // Nothing is said of a mask that the weights have.
  experiment = *experiment_on(weights_of(2, 4, causal_uniform));
  ASSERT_TRUE(set_parameter_text(experiment, "mask", "causal"));
  EXPECT_TRUE((*run(experiment))->warnings().empty());
}

TEST(FoundMask, RowsThatAreNotFiniteAreLeftOutOfEveryMeasure) {
  const auto broken = [](Index head, Index query, Index key) {
    return head == 1 && query == 2 && key == 1 ? kNaN : 0.25F + 0.05F * static_cast<float>(key % 2 == 0 ? 1 : -1);
  };
  const auto whole = [](Index, Index, Index key) { return 0.25F + 0.05F * static_cast<float>(key % 2 == 0 ? 1 : -1); };
  const HeadMeasures heads = measured(weights_of(2, 4, broken));
  const HeadMeasures expected = measured(weights_of(2, 4, whole));
  EXPECT_EQ(heads.left_out, 1);
  EXPECT_EQ(expected.left_out, 0);
  for (const char* name : {"entropy", "entropy_share", "max_weight", "first_token"})
    EXPECT_NEAR(value(heads.heads[1], name), value(expected.heads[1], name), 1e-6) << name;
  EXPECT_NEAR(heads.distances[0][1], 0, 1e-9);
  EXPECT_NEAR(heads.received[1][0], 0.3, 1e-6);
  const auto nothing = measured(weights_of(1, 2, [](Index, Index, Index) { return kNaN; }));
  EXPECT_EQ(nothing.left_out, 2);
  EXPECT_FALSE(nothing.heads[0][place_of("entropy")].has_value());
  EXPECT_FALSE(nothing.heads[0][place_of("max_weight")].has_value());
}

TEST(FoundMask, LargeWeightsAreMeasuredLikeSmallOnes) {
  // Blocks of 16 tokens that attend evenly to each other: as many singular values of 1 as blocks, the others 0.
  const auto blocks = [](Index, Index query, Index key) { return query / 16 == key / 16 ? 1 / 16.0F : 0.0F; };
  const HeadMeasures heads = measured(weights_of(2, 128, blocks));
  EXPECT_NEAR(value(heads.heads[0], "effective_rank"), 8, 1e-5);
  EXPECT_NEAR(value(heads.uniform, "effective_rank"), 1, 1e-5);
  EXPECT_EQ(heads.distances[0][1], 0);
  Experiment experiment = *experiment_on(weights_of(2, 128, blocks));
  const auto trace = *run(experiment);
  const auto some =
      measure_heads(*trace, attention_steps_of(*trace).front(), Measuring{.rank = false, .distances = false});
  ASSERT_TRUE(some);
  EXPECT_FALSE(some->heads[0][place_of("effective_rank")].has_value());
  EXPECT_TRUE(some->distances.empty());
  EXPECT_EQ(some->heads[0][place_of("entropy")], heads.heads[0][place_of("entropy")]);
}

TEST(FoundMask, TheWrongNumberOfLabelsIsSaid) {
  const auto said = [](const std::vector<Index>& shape, std::size_t labels) {
    Experiment experiment = *experiment_on(made({{"attn", shape}}));
    const auto first = *run(experiment);
    experiment.labels.assign(labels, "a");
    // As the window does: the numbers stay.
    const auto trace = first->for_experiment(experiment);
    for (const std::string& warning : trace->warnings()) {
      if (warning.starts_with("labels")) return warning;
    }
    return std::string();
  };
  EXPECT_EQ(said({2, 4, 4}, 3), "labels: 3 labels for 4 tokens");
  EXPECT_EQ(said({2, 4, 4}, 4), "");
  EXPECT_EQ(said({2, 4, 4}, 0), "");
  EXPECT_EQ(said({2, 3, 5}, 1), "labels: 1 label for 3 queries and 5 keys");
  EXPECT_EQ(said({2, 3, 5}, 5), "");
}

}  // namespace
}  // namespace attnscope::test
