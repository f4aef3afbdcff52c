// The averages of a study of several texts, from what each text gives alone.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "core/heads/attention_list.h"
#include "core/heads/head_measures.h"
#include "core/studies/text_study.h"
#include "core/trace/run.h"

namespace attnscope::test {

/// The average in two passes over the values.
inline MeasureAverage plain_average(const std::vector<std::optional<double>>& values) {
  std::vector<double> numbers;
  for (const std::optional<double>& value : values) {
    if (value) numbers.push_back(*value);
  }
  MeasureAverage average = {.count = std::ssize(numbers)};
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

inline void expect_near_or_none(double value, double expected) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(value)) << value;
  } else {
    EXPECT_NEAR(value, expected, 1e-12);
  }
}

inline void expect_average(const MeasureAverage& average, const std::vector<std::optional<double>>& values) {
  const MeasureAverage expected = plain_average(values);
  EXPECT_EQ(average.count, expected.count);
  expect_near_or_none(average.mean, expected.mean);
  expect_near_or_none(average.spread, expected.spread);
  expect_near_or_none(average.smallest, expected.smallest);
  expect_near_or_none(average.largest, expected.largest);
}

/// Whether the study of these texts has the averages of what each of them gives alone, run to its end and with all
/// measures.
inline void expect_averages(const std::vector<StudyText>& texts, const ReadText& read) {
  const Result<TextStudy> studied = study_texts(texts, read, {.rank = true});
  ASSERT_TRUE(studied) << studied.error().message;
  const TextStudy& study = *studied;
  std::vector<std::shared_ptr<const Trace>> traces;
  for (const StudyText& each : texts) traces.push_back(run(read(each.text).value()).value());
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

}  // namespace attnscope::test
