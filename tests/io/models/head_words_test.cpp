// What heads do in terms of words, for small models of every family.
#include "core/residual/head_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/heads/attention_list.h"
#include "core/residual/contributions.h"
#include "core/trace/run.h"
#include "golden_models.h"

namespace attnscope::test {
namespace {

constexpr Index kAllWords = 1 << 20;

std::map<Index, double> values_of(const WordList& list) {
  std::map<Index, double> values;
  for (const WordValue& word : list.largest) values[word.token] = word.value;
  return values;
}

class HeadWords : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { trace_ = run(golden_experiment(kGoldenModels / GetParam())).value(); }

  std::shared_ptr<const Trace> trace_;
};

TEST_P(HeadWords, WhatIsWrittenFromAllKeysIsTheHeadsContribution) {
  const Result<ResidualSum> sum = residual_sum(*trace_);
  for (const LayerAttention& attention : layer_attentions(*trace_)) {
    const Tensor& weights = *trace_->steps()[static_cast<std::size_t>(attention.weights)].tensor;
    const Index query = weights.size(1) - 1;
    const Result<WordList> first = written_words(*trace_, {attention.weights, 0, query, 0}, kAllWords);
    const bool has_vocabulary = sum && trace_->find("logits")->axes.back().name == "vocabulary";
    ASSERT_EQ(first.has_value(), has_vocabulary && attention.kind != AttentionKind::encoder);
    if (!first) {
      EXPECT_TRUE(first.error().message.ends_with('.'));
      continue;
    }
    const Index head = weights.size(0) - 1;
    const Index token = trace_->find("logits")->axes.back().size / 2;
    double written = 0;
    for (Index key = 0; key < weights.size(2); ++key) {
      const WordList list = written_words(*trace_, {attention.weights, head, query, key}, kAllWords).value();
      written += static_cast<double>(weights.at(std::vector<Index>{head, query, key})) * values_of(list).at(token);
    }
    const Contributions parts = contributions(*trace_, *sum, {query, token, {}}).value();
    const auto layer = std::ranges::find(parts.layers, attention.weights, &LayerParts::weights);
    ASSERT_NE(layer, parts.layers.end());
    EXPECT_NEAR(written, layer->heads[static_cast<std::size_t>(head)], 1e-4) << attention.layer;
  }
}

/// Where nothing but the token makes the key of the first layer, its score is the one that is computed.
TEST_P(HeadWords, TheScoreOfATokenOfTheTextIsItsScore) {
  const std::string family = GetParam().substr(0, GetParam().rfind('-'));
  const bool from_tokens_alone =
      family == "llama" || family == "mistral" || family == "qwen2" || family == "qwen3" || family == "gpt_neox";
  for (const LayerAttention& attention : layer_attentions(*trace_)) {
    const Step& weights = trace_->steps()[static_cast<std::size_t>(attention.weights)];
    const Index query = weights.axes[1].size - 1;
    const Index key = query / 2;
    const Result<WordList> list = sought_words(*trace_, {attention.weights, 0, query, key}, kAllWords);
    if (!list) {
      EXPECT_TRUE(list.error().message.ends_with('.')) << list.error().message;
      EXPECT_FALSE(from_tokens_alone) << list.error().message;
      continue;
    }
    EXPECT_TRUE(std::ranges::is_sorted(list->largest, std::ranges::greater(), &WordValue::value));
    EXPECT_TRUE(std::ranges::is_sorted(list->smallest, std::ranges::less(), &WordValue::value));
    EXPECT_EQ(list->largest.back().token, list->smallest.front().token);
    if (!from_tokens_alone || attention.layer > 1) continue;
    const double score = static_cast<double>(
        trace_->tensor(prefix_of(*trace_, attention) + "scores").at(std::vector<Index>{0, query, key}));
    const Index token = trace_->experiment().text.ids[static_cast<std::size_t>(key)];
    EXPECT_NEAR(values_of(*list).at(token), score, 1e-4 * std::max(1.0, std::abs(score)));
  }
}

INSTANTIATE_TEST_SUITE_P(Folders, HeadWords, testing::ValuesIn(golden_folders()), test_name);

TEST(HeadWordLists, HaveBothEnds) {
  for (const std::string& folder : golden_folders()) {
    if (!folder.starts_with("gpt2")) continue;
    const auto trace = run(golden_experiment(kGoldenModels / folder)).value();
    const ScoreChoice choice = {layer_attentions(*trace).front().weights, 0, 1, 0};
    const WordList all = sought_words(*trace, choice, kAllWords).value();
    const WordList three = sought_words(*trace, choice, 3).value();
    ASSERT_EQ(three.largest.size(), 3U);
    ASSERT_EQ(three.smallest.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(three.largest[i].token, all.largest[i].token);
      EXPECT_EQ(three.smallest[i].token, all.largest[all.largest.size() - 1 - i].token);
    }
    StopSource stop;
    stop.request_stop();
    EXPECT_FALSE(sought_words(*trace, choice, 3, stop.token()));
    EXPECT_FALSE(written_words(*trace, choice, 3, stop.token()));
  }
}

}  // namespace
}  // namespace attnscope::test
