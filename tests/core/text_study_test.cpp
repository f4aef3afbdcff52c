// Measures of a trained model's heads over several texts: the averages of what each text gives alone.
#include "core/studies/text_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/heads/repeated_tokens.h"
#include "core/plan/validate.h"
#include "support/made_model.h"
#include "support/plain_text_study.h"

namespace attnscope::test {
namespace {

/// A text of ids, "1 2 3", and its experiment.
ReadText reader_of(const std::shared_ptr<const Model>& model) {
  return [model](const std::string& text) -> Result<Experiment> {
    std::vector<Index> ids;
    for (const std::string& word : split(text, ' ')) ids.push_back(parse_integer(word).value_or(-1));
    Experiment experiment = experiment_reading(model, text.empty() ? std::vector<Index>() : ids);
    if (const Result<void> valid = validate(experiment); !valid) return tl::unexpected(valid.error());
    return experiment;
  };
}

std::vector<StudyText> named(const std::vector<std::string>& texts) {
  std::vector<StudyText> all;
  for (const std::string& text : texts) all.push_back({"line " + std::to_string(all.size() + 1), text});
  return all;
}

TextStudy studied(const std::shared_ptr<const Model>& model, const std::vector<std::string>& texts,
                  const TextStudyChoice& choice = {}) {
  const ReadText read = reader_of(model);
  EXPECT_TRUE(check_texts(named(texts), read));
  return study_texts(named(texts), read, choice).value();
}

std::size_t measure_called(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(measures(), name, &Measure::name) - measures().begin());
}

TEST(TextStudyTest, AveragesAreThoseOfTheTextsAlone) {
  for (const char* const family : {"attention-only", "gpt2", "bert"}) {
    SCOPED_TRACE(family);
    expect_averages(named({"1 2 3 1 2 3", "4 5", "7 8 9 7 7 1 2 8 9", "4 5"}), reader_of(made_model(family)));
  }
}

TEST(TextStudyTest, CopyingHasANumberAndIsTheSameInEveryText) {
  const TextStudy study = studied(made_model("gpt2"), {"1 2 3", "4 5 6 7"});
  for (const AttentionAverages& each : study.attentions) {
    for (const MeasureAverages& head : each.heads) {
      const MeasureAverage& copying = head[measure_called("copying")];
      EXPECT_EQ(copying.count, 2);
      EXPECT_EQ(copying.spread, 0);
    }
    EXPECT_EQ(each.uniform[measure_called("copying")].count, 0);
  }
}

TEST(TextStudyTest, TextsWithoutANumberDoNotCount) {
  // A single token has no previous one.
  const std::vector<std::string> texts = {"5", "1 2 3", "6"};
  expect_averages(named(texts), reader_of(made_model("gpt2")));
  const TextStudy study = studied(made_model("gpt2"), texts);
  const MeasureAverages& head = study.attentions.front().heads.front();
  EXPECT_EQ(head[measure_called("entropy")].count, 3);
  EXPECT_EQ(head[measure_called("previous_token")].count, 1);
  EXPECT_TRUE(std::isnan(head[measure_called("previous_token")].spread)) << "one text has no spread";
  EXPECT_EQ(head[measure_called("effective_rank")].count, 0) << "it is not asked for";
  EXPECT_TRUE(std::isnan(head[measure_called("effective_rank")].mean));
  EXPECT_EQ(study.rows_left_out, 0);
  EXPECT_TRUE(study.warnings.empty());
}

TEST(TextStudyTest, RowsThatAreNotFiniteAreLeftOutAndCounted) {
  const MadeSizes sizes;
  const auto weights = made(attention_only_weights(sizes));
  weights->instead[{0, 3 * sizes.features}] = std::numeric_limits<float>::quiet_NaN();  // of the token 3
  const auto model =
      std::make_shared<MadeModel>("attention-only", made_model("attention-only", sizes)->config(), weights);
  // Nothing of the first text can be measured; of the second, the first row can.
  const std::vector<std::string> texts = {"3 1", "1 3", "1 2"};
  expect_averages(named(texts), reader_of(model));
  const TextStudy study = studied(model, texts);
  EXPECT_EQ(study.attentions.front().heads.front()[measure_called("entropy")].count, 2);
  // 0 · NaN is NaN: in the second layer, the first row of the second text is no longer finite either.
  EXPECT_EQ(study.rows_left_out, 2 * (2 + 1) + 2 * (2 + 2)) << "heads, rows";
  ASSERT_FALSE(study.warnings.empty());
  EXPECT_TRUE(study.warnings.front().starts_with("line 1: ")) << study.warnings.front();
}

TEST(TextStudyTest, OneLayerHasTheNumbersOfAll) {
  const auto model = made_model("bert");
  const TextStudy all = studied(model, {"1 2 3", "4 5"});
  const TextStudy second = studied(model, {"1 2 3", "4 5"}, {.layer = 2});
  ASSERT_EQ(all.attentions.size(), 2U);
  ASSERT_EQ(second.attentions.size(), 1U);
  EXPECT_EQ(second.attentions.front().tensor, "layer2.weights");
  EXPECT_EQ(second.attentions.front().layer, 2);
  EXPECT_EQ(second.attentions.front().heads.front().front().mean, all.attentions[1].heads.front().front().mean);
}

TEST(TextStudyTest, TextsAreCheckedBeforeTheyAreRead) {
  const auto model = made_model("gpt2");
  const CheckedTexts checked = check_texts(named({"1 2 3", "4", "1 2 3 4 5"}), reader_of(model)).value();
  EXPECT_EQ(checked.fewest_tokens, 1);
  EXPECT_EQ(checked.most_tokens, 5);
  ASSERT_EQ(checked.attentions.size(), 2U);
  EXPECT_EQ(checked.attentions[1].tensor, "layer2.weights");
  EXPECT_EQ(checked.attentions[1].layer, 2);
  EXPECT_EQ(checked.attentions[1].rank_operations, 2 * (27 + 1 + 125)) << "heads, cubes of the lengths";
}

TEST(TextStudyTest, ATextThatCannotBeReadIsNamed) {
  const ReadText read = reader_of(made_model("gpt2", {.positions = 4}));
  const auto refusal = [&](const std::string& text) {
    const Result<CheckedTexts> checked = check_texts(named({"1 2", text}), read);
    return checked ? "accepted" : checked.error().message;
  };
  EXPECT_TRUE(refusal("1 2 3 4 5").starts_with("line 2 (\"1 2 3 4 5\"): ")) << refusal("1 2 3 4 5");
  EXPECT_NE(refusal("1 2 3 4 5").find("5 tokens are not allowed; allowed: at most 4"), std::string::npos);
  EXPECT_TRUE(refusal("").starts_with("line 2 (\"\"): ")) << refusal("");
  EXPECT_NE(refusal("").find("there are no tokens"), std::string::npos);
  std::string many = "7";
  for (int i = 0; i < 100; ++i) many += " 7";
  EXPECT_NE(refusal(many).find(" 7 …\"): "), std::string::npos) << "only how it begins\n" << refusal(many);
}

TEST(TextStudyTest, WeightsThatCannotBeReadAreAnError) {
  const auto weights = made(attention_only_weights({}));
  const auto model = std::make_shared<MadeModel>("attention-only", made_model("attention-only")->config(), weights);
  weights->broken = true;
  const Result<TextStudy> study = study_texts(named({"1 2"}), reader_of(model), {});
  ASSERT_FALSE(study);
  EXPECT_EQ(study.error().message, "line 1 (\"1 2\"): made.npz: the file has changed");
}

TEST(TextStudyTest, TellsItsProgressAndStops) {
  const ReadText read = reader_of(made_model("gpt2"));
  const std::vector<StudyText> texts = named({"1 2", "3 4", "5 6"});
  std::vector<Index> told;
  const StopSource source;
  TextStudyChoice choice = {.stop = source.token(), .progress = [&](Index text, Index count) {
                              EXPECT_EQ(count, 3);
                              told.push_back(text);
                            }};
  EXPECT_TRUE(study_texts(texts, read, choice));
  EXPECT_EQ(told, (std::vector<Index>{1, 2, 3}));
  told.clear();
  choice.progress = [&](Index text, Index /*count*/) {
    told.push_back(text);
    if (text == 2) source.request_stop();
  };
  const Result<TextStudy> stopped = study_texts(texts, read, choice);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().message, "stopped before it was done");
  EXPECT_EQ(told, (std::vector<Index>{1, 2}));
  const Result<CheckedTexts> checked = check_texts(texts, read, source.token());
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message, "stopped before it was done");
}

}  // namespace
}  // namespace attnscope::test
