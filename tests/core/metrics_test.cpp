// Measures of heads, against an independent computation and known values.
#include "core/heads/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/trace/run.h"
#include "measured_head.h"
#include "support/golden.h"

namespace attnscope::test {
namespace {

double measure(std::string_view name, const HeadPattern& head) {
  for (std::size_t i = 0; i < measures().size(); ++i) {
    if (measures()[i].name == name) return measure_head(head)[i].value_or(std::nan(""));
  }
  throw std::invalid_argument(std::string(name));
}

/// One case of metrics.safetensors.
class MetricsCase {
 public:
  MetricsCase(const Golden& data, const std::string& number)
      : about_(nlohmann::json::parse(data.metadata.at("case:" + number))), weights_(data.at(number + ".weights")) {
    const Index queries = weights_.size(0);
    if (about_["causal"]) field_.emplace(Mask{Mask::Kind::causal, 0, {}, {}, {}}, MaskSizes{1, 1, queries, queries});
    for (const nlohmann::json& token : about_["tokens"]) tokens_.push_back(std::to_string(token.get<int>()));
  }

  [[nodiscard]] HeadPattern pattern() const {
    HeadPattern pattern;
    pattern.weights = weights_.matrix({});
    pattern.mask = field_ ? &*field_ : nullptr;
    pattern.same_positions = about_["same_positions"];
    pattern.tokens = tokens_;
    pattern.pixels_across = about_["across"];
    return pattern;
  }

 private:
  nlohmann::json about_;
  Tensor weights_;
  std::optional<MaskField> field_;
  std::vector<std::string> tokens_;
};

const Golden& golden() {
  static const Golden data = read_golden(golden_path("metrics.safetensors"));
  return data;
}

TEST(Metrics, AreWhatAnIndependentComputationGives) {
  const auto names = nlohmann::json::parse(golden().metadata.at("measures"));
  ASSERT_EQ(names.size(), measures().size());
  int cases = 0;
  for (const auto& [key, tensor] : golden().tensors) {
    if (!key.ends_with(".measures")) continue;
    const MetricsCase one(golden(), key.substr(0, 2));
    ++cases;
    const MeasureRow measured = measure_head(one.pattern());
    for (std::size_t i = 0; i < measures().size(); ++i) {
      const Measure& measure = measures()[i];
      EXPECT_EQ(measure.name, names[i].get<std::string>());
      const float expected = tensor.values()[i];
      const std::optional<double> found = measured[i];
      ASSERT_EQ(found.has_value(), !std::isnan(expected)) << key << " " << measure.name;
      if (found) {
        EXPECT_NEAR(*found, expected, 1e-5 * std::max(1.0F, std::abs(expected))) << key << " " << measure.name;
      }
    }
  }
  EXPECT_GE(cases, 30) << "20 random heads and the hand-made ones";
}

TEST(Metrics, DistancesOfHeadsAreWhatAnIndependentComputationGives) {
  int pairs = 0;
  for (const auto& [key, tensor] : golden().tensors) {
    if (!key.ends_with(".distance")) continue;
    ++pairs;
    const std::string pair = key.substr(0, key.rfind('.'));
    const MatrixView a = golden().at(pair + ".a").matrix({});
    const MatrixView b = golden().at(pair + ".b").matrix({});
    EXPECT_NEAR(head_distance(a, b), tensor.values()[0], 1e-5) << pair;
    EXPECT_DOUBLE_EQ(head_distance(a, b), head_distance(b, a)) << pair;
    EXPECT_EQ(head_distance(a, a), 0) << pair;
  }
  EXPECT_GE(pairs, 4);
}

TEST(Metrics, HeadsThatShareNoKeyAreAsFarApartAsCanBe) {
  Tensor a({{"query", 3}, {"key", 2}});
  Tensor b({{"query", 3}, {"key", 2}});
  for (std::size_t query = 0; query < 3; ++query) a.values()[2 * query] = 1, b.values()[2 * query + 1] = 1;
  EXPECT_NEAR(head_distance(a.matrix({}), b.matrix({})), 3 * std::numbers::ln2, 1e-12);
}

TEST(Metrics, UniformAttentionUnderACausalMaskHasItsClosedForm) {
  constexpr Index kTokens = 9;
  const Tensor any({{"query", kTokens}, {"key", kTokens}});
  const MaskField causal(Mask{Mask::Kind::causal, 0, {}, {}, {}}, MaskSizes{1, 1, kTokens, kTokens});
  HeadPattern head;
  head.weights = any.matrix({});
  head.mask = &causal;
  head.same_positions = true;
  const Tensor uniform = uniform_weights(head);
  head.weights = uniform.matrix({});
  double previous = 0;
  double entropy = 0;
  for (Index query = 0; query < kTokens; ++query) {
    const auto kept = static_cast<double>(query + 1);
    if (query > 0) previous += 1 / kept / (kTokens - 1);
    entropy += std::log(kept) / kTokens;
  }
  EXPECT_NEAR(measure("previous_token", head), previous, 1e-7);
  EXPECT_NEAR(measure("entropy", head), entropy, 1e-6);
  EXPECT_NEAR(measure("entropy_share", head), 1, 1e-6);
  EXPECT_EQ(measure("next_token", head), 0);
}

TEST(Metrics, WithoutAnyWeightOrAnyQueryNothingIsSaid) {
  const Tensor none({{"query", 2}, {"key", 2}});
  HeadPattern head;
  head.weights = none.matrix({});
  head.same_positions = true;
  EXPECT_TRUE(std::isnan(measure("distance", head)));
  EXPECT_TRUE(std::isnan(measure("effective_rank", head)));
  EXPECT_EQ(measure("entropy", head), 0);
}

HeadPattern pattern_in(const Trace& trace, std::string_view tensor) {
  const Step& step = *trace.find(tensor);
  const std::vector<Index> first(step.axes.size() - 2, 0);
  return head_pattern(trace, step, first, step.tensor->matrix(first));
}

TEST(Metrics, KnowWhichPositionsLineUp) {
  const auto trace_of = [](const char* system, const ParameterValues& settings) {
    Experiment experiment = *default_experiment(system);
    for (const auto& [name, value] : settings) experiment.parameters[name] = value;
    return *run(experiment);
  };
  const auto example = trace_of("worked-example", {{"cross_queries", Index{6}}});
  EXPECT_TRUE(pattern_in(*example, "weights").same_positions);
  EXPECT_EQ(pattern_in(*example, "weights").tokens.size(), 6U);
  EXPECT_EQ(pattern_in(*example, "weights").mask, nullptr);
  for (const char* const cross : {"cross_weights", "single.cross_weights"})
    EXPECT_FALSE(pattern_in(*example, cross).same_positions) << cross << " has queries of a second sequence";
  const auto projected = trace_of("projected-multihead", {{"queries", Index{5}}});
  EXPECT_FALSE(pattern_in(*projected, "weights").same_positions) << "queries of their own";
  const auto image = trace_of("conv-attention", {{"height", Index{2}}, {"width", Index{3}}});
  EXPECT_EQ(pattern_in(*image, "weights").pixels_across, 3);
  Experiment masked = *default_experiment("worked-example");
  masked.parameters["mask"] = *parse_mask("causal");
  const auto causal = *run(masked);
  const HeadPattern pattern = pattern_in(*causal, "weights");
  EXPECT_TRUE(pattern.keeps(3, 3));
  EXPECT_FALSE(pattern.keeps(3, 4));
}

}  // namespace
}  // namespace attnscope::test
