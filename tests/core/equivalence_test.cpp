// The equivalences that the sources claim, computed both ways.

#include "core/studies/equivalence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/base/stop.h"
#include "core/plan/validate.h"
#include "system_variations.h"

namespace attnscope::test {
namespace {

Experiment with(const std::string& system, const std::vector<std::pair<std::string, std::string>>& settings) {
  Experiment experiment = *default_experiment(system);
  for (const auto& [name, value] : settings) EXPECT_TRUE(set_parameter_text(experiment, name, value)) << name;
  return experiment;
}

EquivalenceResult result_of(const std::string& name, const Experiment& experiment) {
  Result<EquivalenceSides> sides = equivalence_sides(*find_equivalence(name), experiment);
  EXPECT_TRUE(sides) << name << ": " << sides.error().message;
  return *compare(*sides);
}

void expect_same(const std::string& name, const Experiment& experiment) {
  const EquivalenceResult result = result_of(name, experiment);
  EXPECT_FALSE(result.differences.empty());
  EXPECT_TRUE(result.agrees());
  for (const Difference& each : result.differences) {
    EXPECT_LE(each.largest, 1e-5 * each.magnitude) << name << ", " << each.what << ": " << description(experiment);
    EXPECT_GT(each.magnitude, 0) << name << ", " << each.what;
  }
}

/// An experiment for an equivalence, at the system's defaults except for the head dimension that the claim requires.
Experiment default_value(const Equivalence& equivalence) {
  Experiment experiment = *default_experiment(equivalence.systems.front());
  if (experiment.system == "conv-attention") experiment.parameters["head_dim"] = Index{8};
  return experiment;
}

TEST(Equivalence, HoldsAtTheDefaults) {
  EXPECT_EQ(equivalences().size(), 5U);
  for (const Equivalence& equivalence : equivalences()) {
    SCOPED_TRACE(equivalence.name);
    EXPECT_EQ(find_equivalence(equivalence.name), &equivalence);
    expect_same(equivalence.name, default_value(equivalence));
  }
}

TEST(Equivalence, HoldsAtRandomSizes) {
  std::mt19937 random(7);
  const auto pick = [&](int from, int to) {
    return from + static_cast<Index>(random() % static_cast<unsigned>(to - from + 1));
  };
  for (int i = 0; i < 60; ++i) {
    const Equivalence& equivalence = equivalences()[static_cast<std::size_t>(i) % equivalences().size()];
    Experiment experiment = *default_experiment(equivalence.systems[random() % equivalence.systems.size()]);
    const Index heads = pick(1, 5);
    const Index dim = pick(1, 9);
    experiment.seed = random();
    for (const auto& [name, value] : std::map<std::string, Index>{{"batch", pick(1, 3)},
                                                                  {"height", pick(1, 6)},
                                                                  {"width", pick(1, 6)},
                                                                  {"tokens", pick(1, 12)},
                                                                  {"features", pick(1, 20)},
                                                                  {"heads", heads},
                                                                  {"head_dim", dim},
                                                                  {"channels", heads * dim},
                                                                  {"embedding", heads * dim}}) {
      if (experiment.parameters.contains(name)) experiment.parameters[name] = value;
    }
    ASSERT_TRUE(validate(experiment)) << description(experiment);
    expect_same(equivalence.name, experiment);
  }
}

TEST(Equivalence, HoldsUnderMasksAndOtherSettings) {
  for (const char* mask : {"causal", "window:2", "padding:3"}) {
    const std::vector<std::pair<std::string, std::string>> settings = {
        {"batch", "2"}, {"height", "3"}, {"width", "3"}, {"mask", mask}, {"temperature", "0.5"}, {"dropout", "0.3"}};
    expect_same("separate-chunked", with("image-self-attention", settings));
    expect_same("split-order", with("image-multihead", settings));
    expect_same("split-order", with("packed-multihead", settings));
    expect_same("scaled-queries", with("packed-multihead", settings));
    expect_same("convolution-linear", with("packed-multihead", settings));
  }
  expect_same("separate-chunked",
              with("image-self-attention",
                   {{"batch", "2"}, {"height", "2"}, {"norm", "batch"}, {"projection", "chunked"}, {"discard", "11"}}));
}

TEST(Equivalence, TheOrderOfTokensCountsUnderACausalMask) {
  EXPECT_TRUE(result_of("token-order", with("stacked-multihead", {{"mask", "window:5"}})).agrees());
  const EquivalenceResult causal = result_of("token-order", with("stacked-multihead", {{"mask", "causal"}}));
  EXPECT_FALSE(causal.agrees());
  for (const Difference& each : causal.differences) EXPECT_GT(each.largest, 0.01 * each.magnitude) << each.what;
}

TEST(Equivalence, ABrokenPermutationIsFound) {
  Result<EquivalenceSides> sides =
      equivalence_sides(*find_equivalence("split-order"), with("image-multihead", {{"batch", "2"}}));
  ASSERT_TRUE(sides);
  const auto right = sides->given;
  sides->given = [right](const Trace& one) {
    Substitutions given = right(one);
    auto broken = std::make_shared<Tensor>(*given.at("w_qkv"));
    // Exchanges the first two rows, which belong to the first head's queries.
    const auto columns = broken->size(1);
    std::swap_ranges(broken->values().begin(), broken->values().begin() + columns, broken->values().begin() + columns);
    given["w_qkv"] = broken;
    return given;
  };
  const Result<EquivalenceResult> result = compare(*sides);
  ASSERT_TRUE(result);
  EXPECT_FALSE(result->agrees());
  for (const Difference& each : result->differences) EXPECT_FALSE(each.agrees()) << each.what;
}

TEST(Equivalence, WeightsThatAreNotReorderedAreFound) {
  Result<EquivalenceSides> sides =
      equivalence_sides(*find_equivalence("split-order"), with("image-multihead", {{"batch", "2"}}));
  ASSERT_TRUE(sides);
  const auto right = sides->given;
  sides->given = [right](const Trace& one) {
    Substitutions given = right(one);
    const Axes axes = given.at("w_qkv")->axes();
    auto as_they_are = std::make_shared<Tensor>(axes);
    std::ranges::copy(one.tensor("w_qkv").values(), as_they_are->values().begin());
    given["w_qkv"] = as_they_are;
    return given;
  };
  EXPECT_FALSE(compare(*sides)->agrees());
}

TEST(Equivalence, SaysWhatItIsNotAbout) {
  const auto error = [](const char* name, const Experiment& experiment, double budget = kDefaultMemoryBudget) {
    const Result<EquivalenceSides> sides = equivalence_sides(*find_equivalence(name), experiment, budget);
    return sides ? std::string() : sides.error().message;
  };
  EXPECT_NE(error("split-order", *default_experiment("worked-example")).find("image-multihead"), std::string::npos);
  EXPECT_NE(error("convolution-linear", *default_experiment("conv-attention")).find("4 × 32 is not 32"),
            std::string::npos);
  EXPECT_NE(error("token-order", *default_experiment("stacked-multihead"), 30'000).find("allowed: 30"),
            std::string::npos);
  EXPECT_EQ(find_equivalence("no-such-claim"), nullptr);
}

TEST(Equivalence, CanBeStopped) {
  StopSource stop;
  stop.request_stop();
  Progress progress;
  progress.stop = stop.token();
  const Result<EquivalenceResult> result =
      compare(*equivalence_sides(*find_equivalence("token-order"), *default_experiment("stacked-multihead")), progress);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "stopped before it was done");
}

TEST(Substitutions, StandInForDrawsWithoutMovingTheOthers) {
  const Experiment experiment = *default_experiment("stacked-multihead");
  const std::shared_ptr<const Trace> plain = *run(experiment);
  auto ones = std::make_shared<Tensor>(plain->tensor("x").axes());
  std::ranges::fill(ones->values(), 1.0F);
  auto bias = std::make_shared<Tensor>(plain->tensor("b_out").axes());
  std::ranges::fill(bias->values(), 2.0F);
  const std::shared_ptr<const Trace> changed = *run(experiment, {}, {{"x", ones}, {"b_out", bias}});
  EXPECT_TRUE(std::ranges::equal(changed->tensor("x").values(), ones->values()));
  EXPECT_TRUE(std::ranges::equal(changed->tensor("b_out").values(), bias->values()));
  for (const char* name : {"w_qkv", "w_out", "b_qkv"}) {
    EXPECT_TRUE(std::ranges::equal(changed->tensor(name).values(), plain->tensor(name).values())) << name;
  }
  EXPECT_FALSE(std::ranges::equal(changed->tensor("out").values(), plain->tensor("out").values()));
}

}  // namespace
}  // namespace attnscope::test
