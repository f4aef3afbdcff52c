// Where the queries and keys of a model's heads stand: the tokens of its texts, the patches of its picture.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "core/heads/head_measures.h"
#include "core/heads/metrics.h"
#include "core/trace/run.h"
#include "io/models/model_texts.h"
#include "support/made_model.h"

namespace attnscope::test {
namespace {

const std::filesystem::path kBundledModels = std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models";

std::shared_ptr<const Trace> trace_of(const std::string& model, const GivenText& text, const GivenText& second) {
  Experiment experiment = experiment_of_model(kBundledModels / model).value();
  const Result<void> set = set_texts(experiment, text, second);
  EXPECT_TRUE(set) << set.error().message;
  return *run(experiment);
}

HeadPattern pattern_of(const Trace& trace, const std::string& tensor) {
  const Step& step = *trace.find(tensor);
  const std::vector<Index> first(step.axes.size() - 2, 0);
  return head_pattern(trace, step, first, {nullptr, step.axes[step.axes.size() - 2].size, step.axes.back().size, 0, 1});
}

TEST(HeadPositions, ADecoderHasItsOwnTokens) {
  const std::vector<Index> same(8, 5);
  const auto trace = trace_of("dates", {std::nullopt, same}, {std::nullopt, std::vector<Index>{2, 20, 21, 22}});
  const Experiment& experiment = trace->experiment();
  EXPECT_EQ(pattern_of(*trace, "encoder.layer1.weights").token_ids, experiment.text.ids);
  EXPECT_EQ(pattern_of(*trace, "decoder.layer1.weights").token_ids, experiment.text2.ids);
  EXPECT_TRUE(pattern_of(*trace, "decoder.layer1.weights").tokens.empty());
  EXPECT_TRUE(pattern_of(*trace, "decoder.layer1.cross_weights").token_ids.empty());
}

TEST(HeadPositions, APairHasTheTokensOfBothTexts) {
  Experiment experiment = made_trace("bert", {3, 4, 3})->experiment();
  experiment.text2.ids = {4, 5};
  const auto trace = *run(experiment);
  EXPECT_EQ(pattern_of(*trace, "layer1.weights").token_ids, (std::vector<Index>{3, 4, 3, 4, 5}));
}

TEST(HeadPositions, PatchesLieInRows) {
  const auto trace = *run(experiment_of_model(kBundledModels / "digits").value());
  const HeadPattern pattern = pattern_of(*trace, "layer1.weights");
  EXPECT_EQ(pattern.pixels_across, 4);
  EXPECT_EQ(pattern.before_pixels, 1);
  const auto weights = static_cast<int>(trace->find("layer1.weights") - trace->steps().data());
  const std::optional<HeadMeasures> measured = measure_heads(*trace, weights, {});
  ASSERT_TRUE(measured);
  std::size_t distance = 0;
  while (measures()[distance].name != "distance") ++distance;
  // Uniform attention of a 4 × 4 grid: the mean distance of two of its patches.
  double sum = 0;
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 16; ++j) sum += std::hypot(i / 4 - j / 4, i % 4 - j % 4);
  }
  EXPECT_NEAR(*measured->uniform[distance], sum / 256, 1e-6);
  for (const MeasureRow& head : measured->heads) EXPECT_LT(*head[distance], std::sqrt(18.0));
}

// What is masked in one head only is no mask of the others.
TEST(HeadPositions, HeadsThatKeepOtherKeysHaveNoCommonUniformAttention) {
  Experiment experiment = made_trace("gpt2", {1, 2, 3})->experiment();
  const auto uniform = [](const Experiment& e) {
    const auto trace = *run(e);
    const auto weights = static_cast<int>(trace->find("layer1.weights") - trace->steps().data());
    return measure_heads(*trace, weights, {})->uniform;
  };
  EXPECT_TRUE(uniform(experiment).front().has_value());
  experiment.interventions.push_back({"layer1.scores", 0, {}, Intervention::Kind::masked, 1});
  const MeasureRow row = uniform(experiment);
  ASSERT_EQ(row.size(), measures().size());
  for (const std::optional<double>& each : row) EXPECT_FALSE(each.has_value());
}

}  // namespace
}  // namespace attnscope::test
