// The heads that the test finds in the models that come with the program, and in models of two parts.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/models/models.h"
#include "golden_models.h"
#include "support/plain_finder.h"

namespace attnscope::test {
namespace {

std::shared_ptr<const Model> bundled(const std::string& name) {
  return open_model(std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models" / name).value();
}

/// The names of the heads, layer by layer; "–" without one.
std::vector<std::string> names_of(const FoundHeads& found) {
  std::vector<std::string> names;
  for (const FoundHead& head : found.heads)
    names.emplace_back(head.name ? finder_measures()[*head.name].title : std::string_view("–"));
  return names;
}

TEST(FoundHeadsTest, TheInductionModelHasPreviousTokenHeadsBeforeInductionHeads) {
  const std::shared_ptr<const Model> model = bundled("induction");
  const FoundHeads found = *find_heads(model);
  EXPECT_EQ(found.tokens, kRepeatedTokens);
  EXPECT_EQ(found.first_token, std::nullopt) << "its texts begin with any symbol";
  EXPECT_EQ(names_of(found), (std::vector<std::string>{"–", "previous token", "–", "previous token", "induction",
                                                       "induction", "induction", "induction"}));
  for (const FoundHead& head : found.heads) expect_plain_values(model, head, true, true);
}

TEST(FoundHeadsTest, StoriesHaveAPreviousTokenHeadEvenWithoutSentences) {
  const std::shared_ptr<const Model> model = bundled("stories");
  const FoundHeads found = *find_heads(model);
  EXPECT_EQ(found.first_token, Index{0});
  std::vector<std::string> names(16, "–");
  names[2] = "previous token";
  EXPECT_EQ(names_of(found), names);
  expect_plain_values(model, found.heads[5], true, true);
  expect_plain_values(model, found.heads[5], false, true);
  // No text has "<unk>" or what ends a text.
  const RepeatedTokens tokens = *RepeatedTokens::of(model, kDefaultMemoryBudget);
  for (int seed = 1; seed <= kFinderSeeds; ++seed) {
    for (const Index id : tokens.texts(seed, false).repeated) EXPECT_GE(id, 2);
  }
}

TEST(FoundHeadsTest, OfATranslatorOnlyTheEncoderIsTested) {
  const std::shared_ptr<const Model> model = bundled("dates");
  const FoundHeads found = *find_heads(model);
  EXPECT_TRUE(found.encoder);
  EXPECT_EQ(found.tokens, 15) << "the encoder reads 32 tokens, the first of which is <s>";
  ASSERT_EQ(found.heads.size(), 8U);
  EXPECT_EQ(found.heads.front().tensor, "encoder.layer1.weights");
  EXPECT_EQ(found.heads.back().tensor, "encoder.layer2.weights");
  for (const FoundHead& head : found.heads) {
    expect_plain_values(model, head, true, false);
    expect_plain_values(model, head, false, false);
  }
}

TEST(FoundHeadsTest, EveryFamilyThatReadsTextIsTested) {
  int tested = 0;
  for (const std::string& name : golden_folders()) {
    const std::shared_ptr<const Model> model = open_model(kGoldenModels / name).value();
    const ModelFamily& family = **family_of(*model);
    const Result<FoundHeads> found = find_heads(model);
    if (!found) {
      EXPECT_NE(found.error().message.find(family.input == ModelInput::picture ? "there are no tokens to repeat"
                                                                               : "finding heads needs a text of"),
                std::string::npos)
          << found.error().message;
      continue;
    }
    ++tested;
    SCOPED_TRACE(name);
    EXPECT_EQ(found->encoder, family.input == ModelInput::two_texts);
    for (const FoundHead& head : found->heads) {
      // The plain loops know no window.
      if (family.name != "mistral") expect_plain_values(model, head, true, family.causal);
    }
  }
  EXPECT_GE(tested, 10);
}

}  // namespace
}  // namespace attnscope::test
