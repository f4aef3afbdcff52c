// What wrote a value, for small models of every family.
#include "core/residual/value_parts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/heads/attention_list.h"
#include "core/trace/run.h"
#include "golden_models.h"

namespace attnscope::test {
namespace {

class ValueParts : public testing::TestWithParam<std::string> {};

TEST_P(ValueParts, SumToWhatTheValueAddsAndAllKeysToWhatTheHeadAdds) {
  const auto trace = run(golden_experiment(kGoldenModels / GetParam())).value();
  const Result<ResidualSum> sum = residual_sum(*trace);
  int summed = 0;
  for (const LayerAttention& attention : layer_attentions(*trace)) {
    const Step& weights = trace->steps()[static_cast<std::size_t>(attention.weights)];
    const Index query = sum ? logit_of_state(*trace, sum->stream, {0, 1, {}}).row : 0;
    const LogitChoice logit = {0, 1, attention.layer % 2 == 0 ? std::optional<Index>(2) : std::nullopt};
    for (Index head = 0; head < weights.axes[0].size; ++head) {
      double of_all_keys = 0;
      bool complete = true;
      for (Index key = 0; key < weights.axes[2].size; ++key) {
        const Result<Contributions> parts = value_parts(*trace, {attention.weights, head, query, key, {}}, logit);
        complete = complete && parts;
        if (!parts) {
          EXPECT_TRUE(parts.error().message.ends_with('.')) << parts.error().message;
          continue;
        }
        ++summed;
        EXPECT_NEAR(parts->sum, parts->traced, 1e-4 * std::max(1.0, std::abs(parts->traced)))
            << weights.name << " " << head << " " << key;
        EXPECT_FALSE(parts->embeddings.empty());
        of_all_keys += parts->traced;
      }
      if (!complete) continue;
      // Another way to the same number: the head's output in the sum of the logit.
      const Contributions whole = *contributions(*trace, *sum, logit);
      for (const LayerParts& layer : whole.layers) {
        if (layer.weights != attention.weights) continue;
        const double wanted = layer.heads[static_cast<std::size_t>(head)];
        EXPECT_NEAR(of_all_keys, wanted, 1e-4 * std::max(1.0, std::abs(wanted))) << weights.name << " " << head;
      }
    }
  }
  // Of every family whose parts add up to a logit.
  if (sum) {
    EXPECT_GT(summed, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Folders, ValueParts, testing::ValuesIn(golden_folders()), test_name);

Experiment golden_gpt2() {
  for (const std::string& folder : golden_folders()) {
    if (folder.starts_with("gpt2")) return golden_experiment(kGoldenModels / folder);
  }
  return {};
}

TEST(ValuePartsOfHeads, AreReadWhereTheAnswerIs) {
  const auto trace = run(golden_gpt2()).value();
  const int weights = layer_attentions(*trace).front().weights;
  const Result<Contributions> elsewhere = value_parts(*trace, {weights, 0, 1, 0, {}}, {0, 1, {}});
  ASSERT_FALSE(elsewhere);
  EXPECT_EQ(elsewhere.error().message, "The answer is read from token 1: choose it as the query.");
}

TEST(ValuePartsOfHeads, SayThatAnInterventionReplacesThem) {
  Experiment experiment = golden_gpt2();
  experiment.interventions = {{"layer1.head_outputs", 0, {}, Intervention::Kind::off}};
  const auto trace = run(experiment).value();
  const int weights = layer_attentions(*trace).front().weights;
  const Result<Contributions> off = value_parts(*trace, {weights, 0, 1, 0, {}}, {1, 1, {}});
  ASSERT_FALSE(off);
  EXPECT_EQ(off.error().message, "An intervention replaces what this head reads.");
  EXPECT_TRUE(value_parts(*trace, {weights, 1, 1, 0, {}}, {1, 1, {}})) << "another head goes on";
}

TEST(ValuePartsOfHeads, StopWhenToldTo) {
  const auto trace = run(golden_gpt2()).value();
  StopSource stop;
  stop.request_stop();
  const int weights = layer_attentions(*trace).front().weights;
  EXPECT_FALSE(value_parts(*trace, {weights, 0, 1, 0, {}}, {1, 1, {}}, stop.token()));
}

}  // namespace
}  // namespace attnscope::test
