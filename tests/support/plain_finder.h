// The measures of the test that finds heads, in plain loops over the places of a text.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/heads/finder.h"
#include "core/heads/repeated_tokens.h"
#include "core/trace/run.h"

namespace attnscope::test {

/// The mean attention of the queries in the second copy to the previous, next and first token, to the earlier copy of the
/// query's token, and to the token after that.
inline std::vector<double> plain_measures(const MatrixView& weights, Index count) {
  const Index size = weights.rows;
  std::vector<double> sums(5);
  for (Index query = size - count; query < size; ++query) {
    sums[0] += static_cast<double>(weights.at(query, query - 1));
    if (query + 1 < size) sums[1] += static_cast<double>(weights.at(query, query + 1));
    sums[2] += static_cast<double>(weights.at(query, 0));
    sums[3] += static_cast<double>(weights.at(query, query - count));
    sums[4] += static_cast<double>(weights.at(query, query - count + 1));
  }
  // The last query has no next token.
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] /= static_cast<double>(i == 1 ? count - 1 : count);
  return sums;
}

/// The same of uniform attention.
inline std::vector<double> plain_uniform(Index size, Index count, bool causal) {
  Tensor weights({{"query", size}, {"key", size}});
  for (Index query = 0; query < size; ++query) {
    for (Index key = 0; key < size; ++key) {
      const float share = !causal ? 1 / static_cast<float>(size) : key <= query ? 1 / static_cast<float>(query + 1) : 0;
      weights.values()[static_cast<std::size_t>(query * size + key)] = share;
    }
  }
  return plain_measures(weights.matrix({}), count);
}

inline std::vector<double> mean_of(const std::vector<std::vector<double>>& rows) {
  std::vector<double> means(rows.front().size());
  for (const std::vector<double>& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) means[i] += row[i] / static_cast<double>(rows.size());
  }
  return means;
}

/// Whether the values of a head are those of its weights in whole traces of the model.
inline void expect_plain_values(const std::shared_ptr<const Model>& model, const FoundHead& head, bool with_first,
                                bool causal) {
  const RepeatedTokens tokens = *RepeatedTokens::of(model, kDefaultMemoryBudget);
  const std::vector<FoundValue>& found = with_first || !tokens.first_token() ? head.values : head.without_first;
  std::vector<std::vector<double>> repeated;
  std::vector<std::vector<double>> shuffled;
  Index size = 0;
  for (int seed = 1; seed <= kFinderSeeds; ++seed) {
    const RepeatedTokens::Texts texts = tokens.texts(seed, with_first);
    size = std::ssize(texts.repeated);
    const auto measured = [&](const std::vector<Index>& ids) {
      const std::shared_ptr<const Trace> trace = run(experiment_reading(model, ids)).value();
      return plain_measures(trace->tensor(head.tensor).matrix(std::vector<Index>{head.head}), tokens.count());
    };
    repeated.push_back(measured(texts.repeated));
    shuffled.push_back(measured(texts.shuffled));
  }
  const std::vector<double> means = mean_of(repeated);
  const std::vector<double> of_shuffled = mean_of(shuffled);
  const std::vector<double> uniform = plain_uniform(size, tokens.count(), causal);
  ASSERT_EQ(found.size(), means.size()) << head.tensor;
  for (std::size_t i = 0; i < means.size(); ++i) {
    SCOPED_TRACE(head.tensor + " head " + std::to_string(head.head + 1) + " measure " + std::to_string(i));
    double squares = 0;
    for (const std::vector<double>& each : repeated) squares += (each[i] - means[i]) * (each[i] - means[i]);
    EXPECT_NEAR(found[i].mean, means[i], 1e-6);
    EXPECT_NEAR(found[i].spread, std::sqrt(squares / (kFinderSeeds - 1)), 1e-6);
    EXPECT_NEAR(found[i].shuffled, of_shuffled[i], 1e-6);
    EXPECT_NEAR(found[i].uniform, uniform[i], 1e-6);
  }
}

}  // namespace attnscope::test
