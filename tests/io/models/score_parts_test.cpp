// What wrote a score, for small models of every family.
#include "core/residual/score_parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/heads/attention_list.h"
#include "core/trace/run.h"
#include "golden_models.h"

namespace attnscope::test {
namespace {

class ScoreParts : public testing::TestWithParam<std::string> {};

TEST_P(ScoreParts, SumToTheScoreOrASentenceSaysWhyNot) {
  const auto trace = run(golden_experiment(kGoldenModels / GetParam())).value();
  int summed = 0;
  for (const LayerAttention& attention : layer_attentions(*trace)) {
    const Step& weights = trace->steps()[static_cast<std::size_t>(attention.weights)];
    const Tensor& scores = trace->tensor(prefix_of(*trace, attention) + "scores");
    for (const ScoreSide side : {ScoreSide::query, ScoreSide::key}) {
      for (Index head = 0; head < weights.axes[0].size; ++head) {
        const Index query = weights.axes[1].size - 1;
        const Index key = head % weights.axes[2].size;
        const Result<Contributions> parts = score_parts(*trace, {attention.weights, head, query, key, side});
        if (!parts) {
          EXPECT_TRUE(parts.error().message.ends_with('.')) << parts.error().message;
          continue;
        }
        ++summed;
        EXPECT_EQ(parts->traced, static_cast<double>(scores.at(std::vector<Index>{head, query, key})));
        const double limit = 1e-4 * std::max(1.0, std::abs(parts->traced));
        EXPECT_NEAR(parts->sum, parts->traced, limit) << weights.name << " " << head;
        EXPECT_FALSE(parts->embeddings.empty());
        if (attention.kind == AttentionKind::self) {
          EXPECT_EQ(std::ssize(parts->layers), attention.layer - 1);
        }
      }
    }
  }
  // Of the families that normalize every sum, the first layer reads a sum all the same.
  EXPECT_GT(summed, 0);
}

INSTANTIATE_TEST_SUITE_P(Folders, ScoreParts, testing::ValuesIn(golden_folders()), test_name);

/// Without norms, a head that is off takes exactly its part from the query.
TEST(ScorePartsOfHeads, AreWhatTheQueryLosesWithoutThem) {
  for (const std::string& folder : golden_folders()) {
    if (!folder.starts_with("attention-only")) continue;
    const Experiment experiment = golden_experiment(kGoldenModels / folder);
    const auto trace = run(experiment).value();
    const std::vector<LayerAttention> attentions = layer_attentions(*trace);
    if (attentions.size() < 2) continue;
    const Tensor& q = trace->tensor("layer2.q");
    const Tensor& k = trace->tensor("layer2.k");
    const Index query = q.size(1) - 1;
    const Contributions parts = score_parts(*trace, {attentions[1].weights, 0, query, 1, ScoreSide::query}).value();
    for (Index head = 0; head < q.size(0); ++head) {
      Experiment off = experiment;
      off.interventions = {{"layer1.head_outputs", head, {}, Intervention::Kind::off}};
      const auto without = run(off).value();
      double lost = 0;
      for (Index i = 0; i < q.size(2); ++i) {
        const double changed = static_cast<double>(q.at(std::vector<Index>{0, query, i})) -
                               static_cast<double>(without->tensor("layer2.q").at(std::vector<Index>{0, query, i}));
        lost += changed * static_cast<double>(k.at(std::vector<Index>{0, 1, i}));
      }
      EXPECT_NEAR(parts.layers[0].heads[static_cast<std::size_t>(head)],
                  lost / std::sqrt(static_cast<double>(q.size(2))), 1e-4);
    }
  }
}

TEST(ScorePartsOfHeads, SayThatAnInterventionReplacesTheStream) {
  Experiment experiment = golden_experiment(kGoldenModels / golden_folders().front());
  for (const std::string& folder : golden_folders()) {
    if (folder.starts_with("gpt2")) experiment = golden_experiment(kGoldenModels / folder);
  }
  experiment.interventions = {{"layer1.out", {}, {}, Intervention::Kind::off}};
  const auto trace = run(experiment).value();
  const std::vector<LayerAttention> attentions = layer_attentions(*trace);
  ASSERT_GE(attentions.size(), 2U);
  const Result<Contributions> parts = score_parts(*trace, {attentions[1].weights, 0, 0, 0, ScoreSide::query});
  ASSERT_FALSE(parts);
  EXPECT_NE(parts.error().message.find("intervention"), std::string::npos);
}

}  // namespace
}  // namespace attnscope::test
