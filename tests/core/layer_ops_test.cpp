// Operations around attention: biases, sums, norms, means, slices, constants and the weights of layers.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "core/base/axis_groups.h"
#include "core/experiment/system.h"
#include "core/operations/constant.h"
#include "core/operations/normalize.h"
#include "core/plan/validate.h"
#include "core/random/generator.h"
#include "core/systems/parts.h"
#include "made_tensors.h"

namespace attnscope::test {
namespace {

TEST(Contract, StartsFromTheBias) {
  std::mt19937 random(1);
  ComputingRecorder recorder(1);
  const Value x = given(recorder, "x", {{"token", 3}, {"channel", 4}}, random_numbers(random, 12));
  const Value w = given(recorder, "w", {{"dim", 2}, {"channel", 4}}, random_numbers(random, 8));
  const Value b = given(recorder, "b", {{"dim", 2}}, {10, -20});
  const Value plain = linear(recorder, "plain", "token", x, {w, {}});
  const Value biased = linear(recorder, "biased", "token", x, {w, b});
  EXPECT_EQ(formula_of(recorder, biased), "Σ_channel x[token, channel] · w[dim, channel] + b[dim]");
  EXPECT_EQ(recorder.step(biased).inputs, (std::vector<int>{x.step, w.step, b.step}));
  const std::vector<float> without = numbers_of(recorder, plain);
  const std::vector<float> with = numbers_of(recorder, biased);
  for (std::size_t i = 0; i < with.size(); ++i) EXPECT_NEAR(with[i], without[i] + (i % 2 == 0 ? 10 : -20), 4e-6F);
}

TEST(Add, RepeatsWhatIsMissingAndMayTakeTheTangent) {
  ComputingRecorder recorder(1);
  const Value a = given(recorder, "a", {{"query", 2}, {"dim", 2}}, {1, 2, 3, 4});
  const Value b = given(recorder, "b", {{"key", 3}, {"dim", 2}}, {10, 20, 30, 40, 50, 60});
  const Value sum = add(recorder, "sum", "query dim, key dim -> query key dim", a, b);
  EXPECT_EQ(recorder.axes(sum), (Axes{{"query", 2}, {"key", 3}, {"dim", 2}}));
  EXPECT_EQ(numbers_of(recorder, sum), (std::vector<float>{11, 22, 31, 42, 51, 62, 13, 24, 33, 44, 53, 64}));
  EXPECT_EQ(formula_of(recorder, sum), "a[query, dim] + b[key, dim]");
  const Value c = given(recorder, "c", {{"query", 2}, {"dim", 2}}, {-1, -2, -2.5F, -30});
  const Value bent = add(recorder, "bent", "query dim, query dim -> query dim", a, c, true);
  EXPECT_EQ(formula_of(recorder, bent), "tanh(a[query, dim] + c[query, dim])");
  EXPECT_EQ(numbers_of(recorder, bent), (std::vector<float>{0, 0, std::tanh(0.5F), std::tanh(-26.0F)}));
}

TEST(Normalize, GroupsHaveMeanZeroAndVarianceOne) {
  std::mt19937 random(2);
  const Axes axes = {{"batch", 3}, {"channel", 4}, {"row", 5}, {"column", 2}};
  ComputingRecorder recorder(1);
  const Value x = given(recorder, "x", axes, random_numbers(random, element_count(axes), 5, 9));
  const std::array<std::array<std::string, 3>, 2> kinds = {{{"channel", "row", "column"}, {"batch", "row", "column"}}};
  for (const auto& over : kinds) {
    const Value normed = normalize(recorder, "normed", x, over);
    const AxisGroups groups = axis_groups(axes, as<NormalizeOperation>(recorder.step(normed).operation)->over);
    EXPECT_EQ(groups.starts.size(), over[0] == "batch" ? 4U : 3U);
    EXPECT_EQ(groups.starts.size() * groups.members.size(), 120U);
    const std::vector<float> values = numbers_of(recorder, normed);
    for (const Index start : groups.starts) {
      double sum = 0;
      double squares = 0;
      for (const Index member : groups.members) {
        const auto value = static_cast<double>(values[static_cast<std::size_t>(start + member)]);
        sum += value;
        squares += value * value;
      }
      const auto count = static_cast<double>(groups.members.size());
      EXPECT_NEAR(sum / count, 0, 1e-6);
      EXPECT_NEAR(squares / count, 1, 1e-4);  // epsilon takes a little of it
    }
  }
}

TEST(Mean, RunsOverOneAxis) {
  ComputingRecorder recorder(1);
  const Value x = given(recorder, "x", {{"batch", 2}, {"head", 3}, {"key", 2}}, {1, 2, 3, 4, 5, 9, 0, 0, 1, 1, 2, -4});
  const Value average = mean(recorder, "average", x, "head");
  EXPECT_EQ(recorder.axes(average), (Axes{{"batch", 2}, {"key", 2}}));
  EXPECT_EQ(numbers_of(recorder, average), (std::vector<float>{3, 5, 1, -1}));
}

TEST(Rearrange, ALabelThatStandsStillIsASlice) {
  ComputingRecorder recorder(1);
  std::vector<float> numbers(24);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  const Value qkv = given(recorder, "qkv", {{"token", 2}, {"head·part·dim", 12}}, numbers);
  const std::map<std::string, Index> sizes = {{"head", 2}, {"part", 3}};
  const Value k = rearrange(recorder, "k", "token (head part dim) -> head token dim", qkv, sizes, {{"part", 1}});
  EXPECT_EQ(recorder.axes(k), (Axes{{"head", 2}, {"token", 2}, {"dim", 2}}));
  EXPECT_EQ(numbers_of(recorder, k), (std::vector<float>{2, 3, 14, 15, 8, 9, 20, 21}));
  EXPECT_EQ(formula_of(recorder, k), "qkv[token, head·part·dim], part 1");
  const Value whole = rearrange(recorder, "whole", "token (head part dim) -> all=(token head part dim)", qkv, sizes);
  EXPECT_EQ(recorder.axes(whole), (Axes{{"all", 24}}));
}

TEST(DrawLayer, DrawsWhatPyTorchsLayersDraw) {
  ComputingRecorder recorder(9);
  const Layer layer = draw_linear(recorder, "q", {"dim", 5}, {"channel", 7});
  const Value xavier = draw_xavier(recorder, "x", {{"dim", 6}, {"channel", 4}});
  Generator generator(9);
  std::vector<float> weight(35);
  std::vector<float> bias(5);
  generator.fill_uniform(weight, -fan_in_bound(7), fan_in_bound(7));
  generator.fill_uniform(bias, -fan_in_bound(7), fan_in_bound(7));
  std::vector<float> stacked(24);
  generator.fill_uniform(stacked, -xavier_bound(4, 6), xavier_bound(4, 6));
  EXPECT_EQ(numbers_of(recorder, layer.weight), weight);
  EXPECT_EQ(numbers_of(recorder, layer.bias), bias);
  EXPECT_EQ(numbers_of(recorder, xavier), stacked);
  EXPECT_EQ(formula_of(recorder, layer.bias), "uniform ±1/√7");
  EXPECT_EQ(formula_of(recorder, xavier), "uniform ±√(6/(4 + 6))");
}

TEST(Constant, TakesNothingFromTheSeed) {
  ComputingRecorder recorder(9);
  const Value ones = constant(recorder, "ones", {{"token", 3}}, 1);
  EXPECT_EQ(numbers_of(recorder, ones), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(recorder.numbers_drawn(), 0U);
}

TEST(SetByHand, IsRectanglesAndDiagonals) {
  ComputingRecorder recorder(9);
  const Value set = set_by_hand(recorder, "set", {{"head", 2}, {"row", 3}, {"column", 4}},
                                {{0, 0, 1, 3, 3, 0, 0, 2, "diagonal"},
                                 {0, 1, 0, 2, 2, -2, -1, 3, "below"},
                                 {1, 0, 0, 3, 1, -3, 0, 4, "column"},
                                 {1, 2, 0, 1, 4, 0, 9, 5, "row"}});
  EXPECT_EQ(numbers_of(recorder, set),
            (std::vector<float>{0, 2, 0, 0, 0, 0, 2, 0, 3, 0, 0, 2, 4, 0, 0, 0, 4, 0, 0, 0, 5, 5, 5, 5}));
  EXPECT_EQ(recorder.numbers_drawn(), 0U);
  EXPECT_EQ(formula_of(recorder, set), "set by hand");
  EXPECT_EQ(recorder.step(set).operation->name(), "set");
  const auto& operation = *as<SetOperation>(recorder.step(set).operation);
  EXPECT_EQ(operation.part_at(0, 2, 0)->why, "below");
  EXPECT_EQ(operation.part_at(1, 2, 0)->why, "row");  // the last one
  EXPECT_EQ(operation.part_at(0, 1, 0), nullptr);
}

TEST(SetByHand, TakesNoMemoryBeforeItsTensor) {
  ComputingRecorder recorder(9);
  constexpr Index kMany = Index{1} << 40U;
  const Value huge = set_by_hand(recorder, "huge", {{"row", kMany}, {"column", kMany}},
                                 {{0, 0, 0, kMany, kMany, -kMany, kMany, 1, "everywhere"}});
  EXPECT_GT(recorder.plan().cost.bytes, 1e18);
  EXPECT_EQ(as<SetOperation>(recorder.step(huge).operation)->part_at(0, 5, kMany - 1)->why, "everywhere");
}

TEST(Divisors, AreAllOfThem) {
  EXPECT_EQ(divisors(1), (std::vector<Index>{1}));
  EXPECT_EQ(divisors(12), (std::vector<Index>{1, 2, 3, 4, 6, 12}));
  EXPECT_EQ(divisors(36), (std::vector<Index>{1, 2, 3, 4, 6, 9, 12, 18, 36}));
  EXPECT_EQ(divisors(31), (std::vector<Index>{1, 31}));
}

TEST(Validate, HeadsHaveToDivide) {
  for (const System& system : systems()) {
    const Parameter* heads = find_parameter(system.parameters, "heads");
    if (heads == nullptr || heads->divides.empty()) continue;
    Experiment experiment = *default_experiment(system.name);
    ASSERT_TRUE(set_parameter_text(experiment, "heads", "5"));
    const Result<void> valid = validate(experiment);
    ASSERT_FALSE(valid) << system.name;
    EXPECT_EQ(valid.error().message, "heads: 5 does not divide " + heads->divides + " 32; allowed: 1, 2, 4, 8, 16, 32");
  }
}

}  // namespace
}  // namespace attnscope::test
