// Measures of a trained model's heads over several texts: the averages of what each text gives alone.
#include "core/studies/text_study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "core/heads/attention_list.h"
#include "core/heads/head_measures.h"
#include "core/heads/repeated_tokens.h"
#include "core/plan/validate.h"
#include "support/made_model.h"

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

/// The average in two passes over the values.
TextAverage plain_average(const std::vector<std::optional<double>>& values) {
  std::vector<double> numbers;
  for (const std::optional<double>& value : values) {
    if (value) numbers.push_back(*value);
  }
  TextAverage average = {.texts = std::ssize(numbers)};
  if (numbers.empty()) return average;
  double sum = 0;
  for (const double number : numbers) sum += number;
  average.mean = sum / static_cast<double>(numbers.size());
  double squares = 0;
  for (const double number : numbers) squares += (number - average.mean) * (number - average.mean);
  if (numbers.size() > 1) average.spread = std::sqrt(squares / static_cast<double>(numbers.size() - 1));
  average.smallest = std::ranges::min(numbers);
  average.largest = std::ranges::max(numbers);
  return average;
}

void expect_near_or_none(double value, double expected) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(value)) << value;
  } else {
    EXPECT_NEAR(value, expected, 1e-12);
  }
}

void expect_average(const TextAverage& average, const std::vector<std::optional<double>>& values) {
  const TextAverage expected = plain_average(values);
  EXPECT_EQ(average.texts, expected.texts);
  expect_near_or_none(average.mean, expected.mean);
  expect_near_or_none(average.spread, expected.spread);
  expect_near_or_none(average.smallest, expected.smallest);
  expect_near_or_none(average.largest, expected.largest);
}

/// Runs each text alone, whole and with all measures, and compares the averages.
void expect_averages(const std::shared_ptr<const Model>& model, const std::vector<std::string>& texts) {
  const TextStudy study = studied(model, texts, {.rank = true});
  std::vector<std::shared_ptr<const Trace>> traces;
  for (const std::string& text : texts) traces.push_back(run(reader_of(model)(text).value()).value());
  const std::vector<LayerAttention> attentions = layer_attentions(*traces.front());
  ASSERT_EQ(study.attentions.size(), attentions.size());
  for (std::size_t at = 0; at < attentions.size(); ++at) {
    const AttentionAverages& averages = study.attentions[at];
    SCOPED_TRACE(averages.tensor);
    std::vector<HeadMeasures> alone;
    for (const auto& trace : traces) alone.push_back(measure_heads(*trace, attentions[at].weights, Index{0}).value());
    EXPECT_EQ(averages.tensor, alone.front().tensor);
    EXPECT_EQ(averages.layer, attentions[at].layer);
    ASSERT_EQ(averages.heads.size(), alone.front().heads.size());
    for (std::size_t i = 0; i < measures().size(); ++i) {
      SCOPED_TRACE(measures()[i].name);
      const auto values_of = [&](const auto& row_of) {
        std::vector<std::optional<double>> values;
        for (const HeadMeasures& each : alone) values.push_back(row_of(each)[i]);
        return values;
      };
      for (std::size_t head = 0; head < averages.heads.size(); ++head)
        expect_average(averages.heads[head][i], values_of([&](const HeadMeasures& each) { return each.heads[head]; }));
      expect_average(averages.uniform[i], values_of([](const HeadMeasures& each) { return each.uniform; }));
    }
  }
}

TEST(TextStudyTest, AveragesAreThoseOfTheTextsAlone) {
  for (const char* const family : {"attention-only", "gpt2", "bert"}) {
    SCOPED_TRACE(family);
    expect_averages(made_model(family), {"1 2 3 1 2 3", "4 5", "7 8 9 7 7 1 2 8 9", "4 5"});
  }
}

TEST(TextStudyTest, CopyingHasANumberAndIsTheSameInEveryText) {
  const TextStudy study = studied(made_model("gpt2"), {"1 2 3", "4 5 6 7"});
  for (const AttentionAverages& each : study.attentions) {
    for (const TextAverages& head : each.heads) {
      const TextAverage& copying = head[measure_called("copying")];
      EXPECT_EQ(copying.texts, 2);
      EXPECT_EQ(copying.spread, 0);
    }
    EXPECT_EQ(each.uniform[measure_called("copying")].texts, 0);
  }
}

TEST(TextStudyTest, TextsWithoutANumberDoNotCount) {
  // A single token has no previous one.
  const std::vector<std::string> texts = {"5", "1 2 3", "6"};
  expect_averages(made_model("gpt2"), texts);
  const TextStudy study = studied(made_model("gpt2"), texts);
  const TextAverages& head = study.attentions.front().heads.front();
  EXPECT_EQ(head[measure_called("entropy")].texts, 3);
  EXPECT_EQ(head[measure_called("previous_token")].texts, 1);
  EXPECT_TRUE(std::isnan(head[measure_called("previous_token")].spread)) << "one text has no spread";
  EXPECT_EQ(head[measure_called("effective_rank")].texts, 0) << "it is not asked for";
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
  expect_averages(model, texts);
  const TextStudy study = studied(model, texts);
  EXPECT_EQ(study.attentions.front().heads.front()[measure_called("entropy")].texts, 2);
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
