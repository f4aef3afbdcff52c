// The circuits of heads over the vocabulary, for small models of every family.
#include "core/residual/token_circuits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "core/heads/attention_list.h"
#include "core/residual/head_words.h"
#include "core/trace/run.h"
#include "golden_models.h"

namespace attnscope::test {
namespace {

constexpr Index kWholeVocabulary = 1 << 20;

/// All numbers, row by row.
std::vector<float> numbers_of(const MatrixSource& matrix) {
  std::vector<float> numbers(static_cast<std::size_t>(matrix.rows() * matrix.columns()));
  EXPECT_TRUE(matrix.read({0, 0, 0, 0, matrix.rows(), matrix.columns()}, numbers, {}));
  return numbers;
}

class TokenCircuits : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    trace_ = run(golden_experiment(kGoldenModels / GetParam())).value();
    const std::string family = GetParam().substr(0, GetParam().rfind('-'));
    from_tokens_alone_ =
        family == "llama" || family == "mistral" || family == "qwen2" || family == "qwen3" || family == "gpt_neox";
  }

  std::shared_ptr<const Trace> trace_;
  bool from_tokens_alone_ = false;  ///< nothing else makes queries, keys and values of the first layer
};

TEST_P(TokenCircuits, HaveTheScoresOfTheFirstLayer) {
  for (const LayerAttention& attention : layer_attentions(*trace_)) {
    const Axes& axes = trace_->steps()[static_cast<std::size_t>(attention.weights)].axes;
    const Index head = axes[0].size - 1;
    for (const Index query : {axes[1].size - 1, axes[1].size / 2}) {
      const Index key = query / 3;
      const Result<TokenCircuit> circuit = query_key_circuit(*trace_, {attention.weights, head, query, key});
      if (!circuit) {
        EXPECT_TRUE(circuit.error().message.ends_with('.')) << circuit.error().message;
        EXPECT_FALSE(from_tokens_alone_) << circuit.error().message;
        continue;
      }
      ASSERT_EQ(circuit->matrix->rows(), circuit->tokens);
      ASSERT_EQ(circuit->matrix->columns(), circuit->tokens);
      const std::vector<float> numbers = numbers_of(*circuit->matrix);
      EXPECT_TRUE(std::ranges::all_of(numbers, [](float number) { return std::isfinite(number); }));
      if (!from_tokens_alone_ || attention.layer > 1) continue;
      const auto score = static_cast<double>(
          trace_->tensor(prefix_of(*trace_, attention) + "scores").at(std::vector<Index>{head, query, key}));
      const std::vector<Index>& ids = trace_->experiment().text.ids;
      const auto at = ids[static_cast<std::size_t>(query)] * circuit->tokens + ids[static_cast<std::size_t>(key)];
      EXPECT_NEAR(static_cast<double>(numbers[static_cast<std::size_t>(at)]), score,
                  1e-4 * std::max(1.0, std::abs(score)));
    }
  }
}

TEST_P(TokenCircuits, HaveWhatTheFirstLayerWrites) {
  for (const LayerAttention& attention : layer_attentions(*trace_)) {
    const Axes& axes = trace_->steps()[static_cast<std::size_t>(attention.weights)].axes;
    const ScoreChoice choice = {attention.weights, axes[0].size - 1, axes[1].size - 1, axes[2].size / 2};
    const Result<TokenCircuit> circuit = output_value_circuit(*trace_, choice);
    if (!circuit) {
      EXPECT_TRUE(circuit.error().message.ends_with('.')) << circuit.error().message;
      EXPECT_FALSE(from_tokens_alone_) << circuit.error().message;
      continue;
    }
    if (!from_tokens_alone_ || attention.layer > 1) continue;
    const std::vector<float> numbers = numbers_of(*circuit->matrix);
    const Index token = trace_->experiment().text.ids[static_cast<std::size_t>(choice.key)];
    const WordList written = written_words(*trace_, choice, kWholeVocabulary).value();
    ASSERT_EQ(std::ssize(written.largest), circuit->matrix->columns());
    for (const WordValue& word : written.largest) {
      const auto at = static_cast<std::size_t>(token * circuit->matrix->columns() + word.token);
      EXPECT_NEAR(static_cast<double>(numbers[at]), word.value, 1e-4 * std::max(1.0, std::abs(word.value)));
    }
  }
}

TEST_P(TokenCircuits, TellTheirExtremePairs) {
  const ScoreChoice choice = {layer_attentions(*trace_).front().weights, 0, 1, 0};
  for (const auto& circuit : {query_key_circuit(*trace_, choice), output_value_circuit(*trace_, choice)}) {
    if (!circuit) continue;
    std::vector<float> sorted = numbers_of(*circuit->matrix);
    const std::vector<float> numbers = sorted;
    std::ranges::sort(sorted);
    double share = 0;
    const TokenPairs pairs = extreme_pairs(*circuit, 5, {}, [&](double done) { share = done; }).value();
    EXPECT_EQ(share, 1);
    ASSERT_EQ(pairs.largest.size(), 5U);
    ASSERT_EQ(pairs.smallest.size(), 5U);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(pairs.largest[i].value, sorted[sorted.size() - 1 - i]);
      EXPECT_EQ(pairs.smallest[i].value, sorted[i]);
      for (const TokenPair& pair : {pairs.largest[i], pairs.smallest[i]})
        EXPECT_EQ(numbers[static_cast<std::size_t>(pair.row * circuit->matrix->columns() + pair.column)], pair.value);
    }
    StopSource stop;
    stop.request_stop();
    EXPECT_FALSE(extreme_pairs(*circuit, 5, stop.token()));
    EXPECT_FALSE(query_key_circuit(*trace_, choice, stop.token()));
    EXPECT_FALSE(output_value_circuit(*trace_, choice, stop.token()));
  }
}

INSTANTIATE_TEST_SUITE_P(Folders, TokenCircuits, testing::ValuesIn(golden_folders()), test_name);

}  // namespace
}  // namespace attnscope::test
