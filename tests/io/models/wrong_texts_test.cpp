// What a model is given that it cannot read, each refused in one line, and what is odd and read. tests/bad_inputs.txt
// counts them.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "core/explain/explain.h"
#include "core/plan/validate.h"
#include "core/trace/run.h"
#include "io/models/model_file.h"
#include "io/models/model_texts.h"
#include "support/tiny_model.h"

namespace attnscope::wrong_texts {
namespace {

using test::TemporaryFolder;
using test::tiny_shapes;
using test::weights_file;

/// A text that is made when it is needed: every test's process lists them all.
using MadeText = std::function<GivenText()>;

/// What a model cannot read, and the message.
struct WrongText {
  const char* name;
  MadeText given;
  GivenText second;
  std::string says;
};

// Of words; <s> is special, and the last word is none of the model's.
const std::string kTokenizer = R"({"model": {"type": "WordLevel", "unk_token": "<unk>", "vocab": {"<unk>": 0, "a": 1,
  "b": 2, "c": 3, "<s>": 4, "beyond": 7}}, "pre_tokenizer": {"type": "WhitespaceSplit"},
  "added_tokens": [{"id": 4, "content": "<s>", "special": true}]})";

MadeText words(const std::string& text) {
  return [=] { return GivenText{text, std::nullopt}; };
}
MadeText ids(const std::vector<Index>& all) {
  return [=] { return GivenText{std::nullopt, all}; };
}

/// 500,000 words, then `end`.
MadeText letters(const std::string& end) {
  return [=] {
    std::string text;
    for (int i = 0; i < 500'000; ++i) text += "a ";
    return GivenText{text + end, std::nullopt};
  };
}

std::vector<WrongText> wrong_texts() {
  return {
      {"Empty", words(""), {}, "DIR: text: there are no tokens; allowed: at least one"},
      {"OfBlanks", words("  \n\t "), {}, "DIR: text: there are no tokens; allowed: at least one"},
      {"NotUtf8", words("a \xff"), {}, "text: the text is not UTF-8"},
      {"LongerThanTheModelReads",
       words("a a a a a a"),
       {},
       "DIR: text: 6 tokens are not allowed; allowed: at most 5 (n_positions)"},
      {"OfAMillionLetters",
       letters(""),
       {},
       "DIR: text: 500,000 tokens are not allowed; allowed: at most 5 (n_positions)"},
      {"OfMoreThanAMillionLetters",
       letters("a"),
       {},
       "text: 1,000,001 bytes are not allowed; allowed: at most 1,000,000"},
      {"OfAWordBeyondTheVocabulary",
       words("a beyond"),
       {},
       "DIR: text: the token id 7 is not allowed; allowed: 0 to 6"},
      {"OfTwoTextsForAModelThatReadsOne", words("a"), words("b")(), "text2: this model reads one text; allowed: text"},
      {"OfIdsBeyondTheVocabulary", ids({1, 7}), {}, "DIR: text: the token id 7 is not allowed; allowed: 0 to 6"},
      {"OfNegativeIds", ids({-1}), {}, "text: the token id -1 is not allowed; allowed: 0 to 2147483647"},
      {"OfNoIds", ids({}), {}, "DIR: text: there are no tokens; allowed: at least one"},
  };
}

/// An experiment on the tiny model in `folder`.
Experiment tiny_experiment(const TemporaryFolder& folder) {
  write_tiny_model(folder);
  folder.file("tokenizer.json", kTokenizer);
  const Result<std::shared_ptr<const Model>> model = open_model(folder.path());
  if (!model) throw std::runtime_error(model.error().message);
  return experiment_on_model(*model);
}

class WrongTexts : public testing::TestWithParam<WrongText> {};

TEST_P(WrongTexts, AreRefusedInOneLine) {
  const TemporaryFolder folder;
  Experiment experiment = tiny_experiment(folder);
  Result<void> read = set_texts(experiment, GetParam().given(), GetParam().second);
  if (read) read = validate(experiment, kDefaultMemoryBudget);
  ASSERT_FALSE(read);
  EXPECT_TRUE(test::is_one_line(read.error().message));
  EXPECT_EQ(test::without_folder(read.error().message, folder.path()), GetParam().says);
}

INSTANTIATE_TEST_SUITE_P(Texts, WrongTexts, testing::ValuesIn(wrong_texts()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(OddText, OfSpecialTokensOnlyIsReadAsOne) {
  const TemporaryFolder folder;
  Experiment experiment = tiny_experiment(folder);
  const Result<void> read = set_texts(experiment, words("<s><s> <s>")(), {});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(experiment.text.ids, (std::vector<Index>{4, 4, 4}));
  EXPECT_EQ(experiment.text.special, (std::vector<bool>{true, true, true}));
  const auto trace = run(experiment);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ((*trace)->tensor("layer1.weights").count(), 2 * 3 * 3);
}

TEST(OddModel, WithABrokenTokenizerReadsIds) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  folder.file("tokenizer.json", "{");
  const Result<std::shared_ptr<const Model>> model = open_model(folder.path());
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_FALSE((*model)->has_tokenizer());
  Experiment experiment = experiment_on_model(*model);
  ASSERT_TRUE(set_texts(experiment, ids({1, 2})(), {}));
  EXPECT_TRUE(run(experiment));
  const Result<void> read = set_texts(experiment, words("a")(), {});
  ASSERT_FALSE(read);
  EXPECT_EQ(test::without_folder(read.error().message, folder.path()),
            "text: DIR/tokenizer.json: line 1, column 1: unexpected end of input");
}

TEST(OddModel, WithNaNWeightsIsComputedAndItsNumbersAreCounted) {
  const TemporaryFolder folder;
  write_tiny_model(folder);
  // The embedding of the token 3, which lies last but 3 rows in the table, which the file has last.
  std::string bytes = weights_file(tiny_shapes());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  bytes.replace(bytes.size() - 4 * 4 * sizeof(float), sizeof(float), test::float_bytes({nan}));
  folder.file("model.safetensors", bytes);
  const Result<std::shared_ptr<const Model>> model = open_model(folder.path());
  ASSERT_TRUE(model) << model.error().message;
  Experiment experiment = experiment_on_model(*model);
  ASSERT_TRUE(set_texts(experiment, ids({1, 3})(), {}));
  const auto trace = run(experiment);
  ASSERT_TRUE(trace) << trace.error().message;
  const auto not_finite = [&](const char* name) { return (*trace)->find(name)->not_finite; };
  EXPECT_EQ(not_finite("embedded"), 1);
  EXPECT_EQ(not_finite("layer1.normed"), 4) << "the row of the token";
  EXPECT_EQ(not_finite("layer1.weights"), 2 * 2) << "what the second token asks of both, for each head";
  const auto& steps = (*trace)->steps();
  for (int number = 0; number < static_cast<int>(steps.size()); ++number) {
    const Step& step = steps[static_cast<std::size_t>(number)];
    for (Index at = 0; at < step.tensor->count(); ++at) {
      const Explanation e = explain(**trace, number, step.tensor->index_at(at));
      EXPECT_EQ(std::isnan(e.computed), std::isnan(e.value)) << step.name << index_text(e.index);
    }
  }
}

}  // namespace
}  // namespace attnscope::wrong_texts
