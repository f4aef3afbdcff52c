// Answers of a model that are looked for by their names.
#include "figure/slices/answer_search.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/models/model_texts.h"

namespace attnscope {
namespace {

constexpr std::size_t kMost = 12;

class AnswerSearch : public testing::Test {
 protected:
  static Experiment experiment(const std::string& model) {
    return experiment_of_model(std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models" / model).value();
  }

  [[nodiscard]] std::vector<std::string> names(std::string_view typed, std::size_t most = kMost) const {
    std::vector<std::string> names;
    for (const Index answer : answers_named(stories_, typed, kVocabulary, most))
      names.push_back(answer_text(stories_, answer));
    return names;
  }

  static constexpr Index kVocabulary = 290;
  Experiment stories_ = experiment("stories");
};

TEST_F(AnswerSearch, WhatIsCalledSoComesFirst) {
  const std::vector<std::string> found = names("the");
  ASSERT_GE(found.size(), 3U);
  EXPECT_EQ(found[0], "the");
  EXPECT_EQ(found[1], "The");
  EXPECT_EQ(names("The")[0], "The");
  EXPECT_EQ(names("dog"), (std::vector<std::string>{"dog", "dogs"}));
}

TEST_F(AnswerSearch, CaseAndASpaceInFrontDoNotMatter) {
  EXPECT_EQ(names("DOG"), names("dog"));
  EXPECT_EQ(names(" dog"), names("dog"));
}

TEST_F(AnswerSearch, ANumberIsTheAnswerOfThatNumber) {
  EXPECT_EQ(answers_named(stories_, "7", kVocabulary, kMost).front(), 7);
  EXPECT_EQ(answers_named(stories_, "#7", kVocabulary, kMost).front(), 7);
  EXPECT_TRUE(answers_named(stories_, "290", kVocabulary, kMost).empty());
  EXPECT_TRUE(answers_named(stories_, "99999999999999999999", kVocabulary, kMost).empty());
}

TEST_F(AnswerSearch, ThereAreNoMoreThanAskedFor) {
  EXPECT_EQ(names("e", 5).size(), 5U);
  EXPECT_EQ(names("e", 0).size(), 0U);
}

TEST_F(AnswerSearch, NothingTypedFindsNothing) {
  EXPECT_TRUE(names("").empty());
  EXPECT_TRUE(names("no token is called so").empty());
}

TEST_F(AnswerSearch, DigitsHaveLabels) {
  const Experiment digits = experiment("digits");
  EXPECT_EQ(answer_text(digits, 3), "3");
  EXPECT_EQ(answers_named(digits, "3", 10, kMost), std::vector<Index>{3});
}

}  // namespace
}  // namespace attnscope
