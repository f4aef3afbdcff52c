// The importance of heads and MLPs, against runs with one of them off.
#include "core/residual/importance.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "core/heads/attention_list.h"
#include "core/residual/answer_change.h"
#include "core/trace/run.h"
#include "golden_models.h"

namespace attnscope::test {
namespace {

using Kind = Intervention::Kind;

class ImportanceModel : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { experiment_ = golden_experiment(kGoldenModels / GetParam()); }

  /// Δ log-probability with one more intervention.
  [[nodiscard]] double single_run(const Trace& plain, const Intervention& more, const ImportanceChoice& choice) const {
    Experiment changed = experiment_;
    changed.interventions.push_back(more);
    return change_of_answer(plain, *run(changed).value(), choice.position, choice.answer).log_probability;
  }

  void compare(const ImportanceChoice& choice) {
    const auto plain = run(experiment_).value();
    const std::optional<ResidualStream> stream = residual_stream(*plain);
    if (!stream) return;
    ImportanceChoice asked = choice;
    const Axes& axes = plain->steps()[static_cast<std::size_t>(stream->logits)].axes;
    asked.position = std::min(asked.position, axes.front().size - 1);
    const std::optional<Importance> all = importance(*plain, *stream, asked);
    ASSERT_TRUE(all);
    const std::vector<LayerAttention> attentions = layer_attentions(*plain);
    ASSERT_EQ(all->layers.size(), attentions.size());
    Index mlps = 0;
    for (std::size_t i = 0; i < attentions.size(); ++i) {
      const std::string prefix = prefix_of(*plain, attentions[i]);
      const LayerImportance& layer = all->layers[i];
      EXPECT_EQ(layer.weights, attentions[i].weights);
      ASSERT_EQ(std::ssize(layer.heads), plain->find(prefix + "head_outputs")->axes[0].size);
      for (Index head = 0; head < std::ssize(layer.heads); ++head) {
        if (experiment_.interventions.size() == 1 && i == 0 && head == 0) continue;  // is off already
        EXPECT_NEAR(layer.heads[static_cast<std::size_t>(head)],
                    single_run(*plain, {prefix + "head_outputs", head, {}, choice.kind}, asked), 2e-5)
            << prefix << " head " << head;
      }
      if (!layer.mlp) continue;
      ++mlps;
      const std::string mlp = prefix.substr(0, prefix.rfind('.') + 1) + "mlp_out";
      EXPECT_NEAR(*layer.mlp, single_run(*plain, {mlp, {}, {}, choice.kind}, asked), 2e-5) << mlp;
    }
    Index expected = 0;
    for (const Step& step : plain->steps()) expected += step.name.ends_with(".mlp_out") ? 1 : 0;
    EXPECT_EQ(mlps, expected);
  }

  Experiment experiment_;
};

TEST_P(ImportanceModel, IsWhatARunWithThePartOffSays) { compare({100, 3, Kind::off}); }

TEST_P(ImportanceModel, IsWhatARunWithTheMeanSays) { compare({1, 0, Kind::mean}); }

TEST_P(ImportanceModel, IsTheSameInPartsAndBesideOtherInterventions) {
  const auto plain = run(experiment_).value();
  const std::vector<LayerAttention> attentions = layer_attentions(*plain);
  experiment_.interventions = {{prefix_of(*plain, attentions[0]) + "head_outputs", 0, {}, Kind::off}};
  compare({2, 1, Kind::off});
}

TEST_P(ImportanceModel, NeedsNoTensorInMemory) {
  const auto little = *Executor(1).run(experiment_);
  const std::optional<ResidualStream> stream = residual_stream(*little);
  if (!stream) return;
  const auto plain = run(experiment_).value();
  const Importance expected = *importance(*plain, *residual_stream(*plain), {0, 2, Kind::off});
  const Importance found = *importance(*little, *stream, {0, 2, Kind::off});
  for (std::size_t i = 0; i < expected.layers.size(); ++i) {
    for (std::size_t head = 0; head < expected.layers[i].heads.size(); ++head)
      EXPECT_NEAR(found.layers[i].heads[head], expected.layers[i].heads[head], 2e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, ImportanceModel, testing::ValuesIn(golden_folders()), test_name);

TEST(Importance, IsStoppedAndTellsHowFarItIs) {
  const auto trace = run(golden_experiment(kGoldenModels / "gpt2-1")).value();
  const ResidualStream stream = *residual_stream(*trace);
  std::vector<double> told;
  ASSERT_TRUE(importance(*trace, stream, {}, {}, [&](double share) { told.push_back(share); }));
  ASSERT_GE(told.size(), 3U);
  EXPECT_EQ(told.front(), 0);
  EXPECT_EQ(told.back(), 1);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  StopSource source;
  EXPECT_FALSE(importance(*trace, stream, {}, source.token(), [&](double) { source.request_stop(); }));
}

}  // namespace
}  // namespace attnscope::test
