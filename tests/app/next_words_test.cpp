// How a model would continue its text, and what to type for it.
#include "app/session/next_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "app/session/text_edits.h"
#include "core/trace/run.h"
#include "io/models/model_texts.h"

namespace attnscope::test {
namespace {

const std::filesystem::path kBundledModels = std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models";

Experiment bundled(const std::string& name) { return experiment_of_model(kBundledModels / name).value(); }

class NextWords : public testing::TestWithParam<std::string> {};

TEST_P(NextWords, AreTheMostProbableOfTheTrace) {
  const auto trace = *run(bundled(GetParam()));
  const std::vector<NextWord> words = next_words(*trace, 5);
  ASSERT_EQ(words.size(), 5U);
  const Tensor& probabilities = trace->tensor("probabilities");
  const Index last = probabilities.axes().front().size - 1;
  const Index vocabulary = probabilities.axes().back().size;
  const std::vector<float> row(probabilities.values().begin() + last * vocabulary, probabilities.values().end());
  EXPECT_EQ(row[static_cast<std::size_t>(words[0].id)], *std::ranges::max_element(row));
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(words[i].probability, static_cast<double>(row[static_cast<std::size_t>(words[i].id)]));
    EXPECT_FALSE(words[i].name.empty());
    EXPECT_LE(words[i].probability, words[i == 0 ? 0 : i - 1].probability);
  }
}

TEST_P(NextWords, TypedAddOneToken) {
  const Experiment experiment = bundled(GetParam());
  const int which = continued_text(experiment);
  const std::vector<NextWord> words = next_words(**run(experiment), 5);
  ASSERT_TRUE(std::ranges::any_of(words, [](const NextWord& each) { return each.written.has_value(); }));
  for (const NextWord& word : words) {
    if (!word.written) continue;
    Experiment longer = experiment;
    ASSERT_TRUE(set_model_text(longer, which, *word.written)) << *word.written;
    std::vector<Index> ids = model_text(experiment, which).ids;
    ids.push_back(word.id);
    EXPECT_EQ(model_text(longer, which).ids, ids) << *word.written;
  }
}

INSTANTIATE_TEST_SUITE_P(Bundled, NextWords, testing::Values("stories", "induction", "dates"),
                         [](const auto& name) { return name.param; });

// A lesson speaks of what is answered in the middle of a text too.
TEST_P(NextWords, AreKnownBehindEveryToken) {
  const auto trace = *run(bundled(GetParam()));
  const Tensor& probabilities = trace->tensor("probabilities");
  const Index positions = probabilities.axes().front().size;
  for (Index position = 0; position < positions; ++position) {
    const WordsAfter after = words_after(*trace, position, 3);
    ASSERT_EQ(after.words.size(), 3U);
    for (const NextWord& word : after.words) {
      const Index at = position * probabilities.axes().back().size + word.id;
      EXPECT_EQ(word.probability, static_cast<double>(probabilities.values()[static_cast<std::size_t>(at)]));
      EXPECT_FALSE(word.written.has_value());
    }
    const bool is_last = position == positions - 1;
    EXPECT_EQ(after.where == "Next", is_last) << after.where;
    EXPECT_EQ(after.where.ends_with(" (" + std::to_string(position + 1) + ")"), !is_last) << after.where;
    EXPECT_EQ(after.where.starts_with("After “"), !is_last) << after.where;
  }
  EXPECT_TRUE(words_after(*trace, positions, 3).words.empty());
}

TEST(NextWordsOf, ADecoderAreBehindItsText) {
  EXPECT_EQ(continued_text(bundled("stories")), 1);
  EXPECT_EQ(continued_text(bundled("dates")), 2);
}

TEST(NextWordsOf, WhatContinuesNoTextAreNone) {
  EXPECT_EQ(continued_text(bundled("digits")), 0);
  EXPECT_TRUE(next_words(**run(bundled("digits")), 5).empty());
  const Experiment system = *default_experiment("worked-example");
  EXPECT_EQ(continued_text(system), 0);
  EXPECT_TRUE(next_words(**run(system), 5).empty());
}

}  // namespace
}  // namespace attnscope::test
