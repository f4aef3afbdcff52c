// The test that finds heads: its texts, its measures and its names.
#include "core/heads/finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/heads/repeated_tokens.h"
#include "support/made_model.h"
#include "support/plain_finder.h"

namespace attnscope::test {
namespace {

std::shared_ptr<const Model> gpt2_beginning_with(double first) {
  ModelConfig config = made_model("gpt2")->config();
  config["bos_token_id"] = first;
  return std::make_shared<MadeModel>("gpt2", std::move(config), made(gpt2_weights({})));
}

TEST(RepeatedTokensTest, HasEveryTokenTwiceInBothTexts) {
  const RepeatedTokens tokens = *RepeatedTokens::of(made_model("gpt2", {.vocabulary = 90, .positions = 60}), 1e9);
  EXPECT_EQ(tokens.count(), kRepeatedTokens);
  EXPECT_EQ(tokens.first_token(), std::nullopt);
  std::set<std::vector<Index>> seen;
  for (int seed = 1; seed <= kFinderSeeds; ++seed) {
    const auto [repeated, shuffled] = tokens.texts(seed, true);
    ASSERT_EQ(std::ssize(repeated), 2 * kRepeatedTokens);
    const auto middle = repeated.begin() + kRepeatedTokens;
    EXPECT_EQ(std::set<Index>(repeated.begin(), middle).size(), static_cast<std::size_t>(kRepeatedTokens));
    EXPECT_TRUE(std::equal(repeated.begin(), middle, middle));
    EXPECT_TRUE(std::equal(middle, repeated.end(), shuffled.begin() + kRepeatedTokens, shuffled.end()));
    EXPECT_TRUE(std::is_permutation(repeated.begin(), middle, shuffled.begin()));
    for (std::size_t i = 0; i < kRepeatedTokens; ++i) EXPECT_NE(repeated[i], shuffled[i]) << "seed " << seed;
    EXPECT_EQ(tokens.texts(seed, true).shuffled, shuffled);
    seen.insert(repeated);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kFinderSeeds));
}

TEST(RepeatedTokensTest, BeginsWithTheFirstTokenAndDrawsNoSpecialOne) {
  const RepeatedTokens tokens = *RepeatedTokens::of(gpt2_beginning_with(7), 1e9);
  EXPECT_EQ(tokens.first_token(), Index{7});
  EXPECT_EQ(tokens.count(), 19) << "of 20 tokens one begins the text";
  const auto with = tokens.texts(1, true);
  EXPECT_EQ(with.repeated.front(), 7);
  EXPECT_EQ(with.shuffled.front(), 7);
  EXPECT_EQ(std::ranges::count(with.repeated, 7), 1);
  EXPECT_EQ(std::vector<Index>(with.repeated.begin() + 1, with.repeated.end()), tokens.texts(1, false).repeated);
  EXPECT_EQ(RepeatedTokens::of(gpt2_beginning_with(20), 1e9)->first_token(), std::nullopt) << "is no token";
}

TEST(RepeatedTokensTest, AreAsManyAsTheModelReads) {
  const auto count = [](Index vocabulary, Index positions) {
    return RepeatedTokens::of(made_model("gpt2", {.vocabulary = vocabulary, .positions = positions}), 1e9)->count();
  };
  EXPECT_EQ(count(90, 49), 24);
  EXPECT_EQ(count(90, 8), 4);
  EXPECT_EQ(count(6, 60), 6);
}

TEST(FinderTest, SaysWhatIsMissing) {
  const auto error = [](const std::shared_ptr<const Model>& model) { return find_heads(model).error().message; };
  EXPECT_EQ(error(made_model("gpt2", {.positions = 7})),
            "made-gpt2: finding heads needs a text of 8 tokens; allowed: at most 7 (n_positions)");
  EXPECT_EQ(error(made_model("attention-only", {.vocabulary = 3})),
            "made-attention-only: finding heads needs 4 tokens that are not special; the vocabulary has 3");
  EXPECT_EQ(error(std::make_shared<MadeModel>("vit", ModelConfig(), made({}))),
            "made-vit: vit sees a picture: there are no tokens to repeat");
  StopSource source;
  source.request_stop();
  EXPECT_FALSE(find_heads(made_model("gpt2"), {.stop = source.token()}));
}

TEST(FinderTest, MeasuresWhatPlainLoopsMeasure) {
  for (const char* const family : {"attention-only", "gpt2", "bert"}) {
    const std::shared_ptr<const Model> model = made_model(family);
    const FoundHeads found = *find_heads(model);
    EXPECT_EQ(found.tokens, 20);
    EXPECT_FALSE(found.first_token);
    EXPECT_FALSE(found.encoder);
    ASSERT_EQ(found.heads.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(found.heads[i].layer, i / 2 + 1);
      EXPECT_EQ(found.heads[i].head, i % 2);
      EXPECT_TRUE(found.heads[i].without_first.empty());
      expect_plain_values(model, found.heads[i], true, std::string(family) != "bert");
    }
  }
}

TEST(FinderTest, MeasuresWithTheFirstTokenAndWithoutIt) {
  const std::shared_ptr<const Model> model = gpt2_beginning_with(7);
  const FoundHeads found = *find_heads(model);
  EXPECT_EQ(found.first_token, Index{7});
  for (const FoundHead& head : found.heads) {
    expect_plain_values(model, head, true, true);
    expect_plain_values(model, head, false, true);
  }
}

TEST(FinderTest, GivesTheSameNumbersAgainAndCountsItsRuns) {
  const std::shared_ptr<const Model> model = gpt2_beginning_with(7);
  std::vector<int> runs;
  const FoundHeads first = *find_heads(model, {.progress = [&](int run, int all) {
                                         EXPECT_EQ(all, 4 * kFinderSeeds);
                                         runs.push_back(run);
                                       }});
  EXPECT_EQ(runs.size(), 4U * kFinderSeeds);
  EXPECT_EQ(runs.front(), 1);
  EXPECT_EQ(runs.back(), 4 * kFinderSeeds);
  const FoundHeads second = *find_heads(model);
  for (std::size_t head = 0; head < first.heads.size(); ++head) {
    for (std::size_t i = 0; i < finder_measures().size(); ++i) {
      EXPECT_EQ(first.heads[head].values[i].mean, second.heads[head].values[i].mean);
      EXPECT_EQ(first.heads[head].without_first[i].shuffled, second.heads[head].without_first[i].shuffled);
    }
  }
}

TEST(FinderTest, NamesWhatIsClear) {
  const auto index = [](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(finder_measures(), name, &Measure::name) -
                                    finder_measures().begin());
  };
  const auto name = [&](const char* measure, const FoundValue& value) {
    std::vector<FoundValue> values(finder_measures().size());
    values[index(measure)] = value;
    return named_measure(values);
  };
  EXPECT_EQ(name("previous_token", {.mean = 0.5, .uniform = 0.03, .shuffled = 0.5}), index("previous_token"))
      << "a measure of positions need not follow the tokens";
  EXPECT_EQ(name("induction", {.mean = 0.5, .uniform = 0.03, .shuffled = 0.25}), index("induction"));
  EXPECT_EQ(name("induction", {.mean = 0.9, .uniform = 0.03, .shuffled = 0.7}), std::nullopt)
      << "looks back equally far whatever the tokens are";
  EXPECT_EQ(name("duplicate_token", {.mean = 0.9, .uniform = 0.03, .shuffled = 0.9}), std::nullopt);
  EXPECT_EQ(name("first_token", {.mean = 0.49, .uniform = 0.03}), std::nullopt);
  EXPECT_EQ(name("first_token", {.mean = 0.5, .uniform = 0.3}), std::nullopt);
  EXPECT_EQ(name("first_token", {.mean = std::nan(""), .uniform = 0.03}), std::nullopt);
}

TEST(FinderTest, ItsMeasuresHaveADefinitionAndASource) {
  ASSERT_EQ(finder_measures().size(), 5U);
  for (const Measure& measure : finder_measures()) {
    EXPECT_FALSE(measure.definition.empty()) << measure.name;
    EXPECT_NE(measure.add, nullptr) << measure.name;
  }
  EXPECT_NE(finder_measures().back().source.find("Olsson"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::test
