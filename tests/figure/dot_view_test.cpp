// The view "dot": it shows the numbers of the trace and sums them correctly.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/trace/run.h"
#include "figure/slices/dot_product.h"
#include "figure/slices/head_state.h"
#include "support/made_model.h"
#include "traces.h"

namespace attnscope::test {
namespace {

TensorCell cell(const Trace& trace, const std::string& name, std::vector<Index> index) {
  return {static_cast<int>(trace.find(name) - trace.steps().data()), std::move(index)};
}

double number(const Trace& trace, const TensorCell& cell) {
  return static_cast<double>(trace.value(cell.step, cell.index));
}

ParameterValues pair_options(Index query, Index key, Index head = 1, Index item = 1) {
  return {{"query", query}, {"key", key}, {"head", head}, {"item", item}};
}

TEST(DotView, BarsAreTheCellsOfTheTrace) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const Figure figure = figure_of(*trace, "dot", pair_options(2, 4, 3));
  for (Index dim = 0; dim < 7; ++dim) {
    const std::string at = std::to_string(dim);
    const TensorCell q = cell(*trace, "q", {2, 1, dim});
    const TensorCell k = cell(*trace, "k", {2, 3, dim});
    EXPECT_EQ(mark(figure.targets, "q." + at)->cell, q);
    EXPECT_EQ(mark(figure.targets, "k." + at)->cell, k);
    EXPECT_EQ(words(figure, "q." + at), number_text(number(*trace, q), 3));
    EXPECT_EQ(words(figure, "k." + at), number_text(number(*trace, k), 3));
    EXPECT_EQ(words(figure, "terms." + at), number_text(number(*trace, q) * number(*trace, k), 3));
    // Bars are as high as their numbers.
    EXPECT_NEAR(mark(figure.bars, "q." + at)->box.height / mark(figure.bars, "q.0")->box.height,
                number(*trace, q) / number(*trace, cell(*trace, "q", {2, 1, 0})), 1e-9);
  }
  for (Index key = 0; key < 6; ++key) {
    const std::string at = std::to_string(key);
    EXPECT_EQ(mark(figure.targets, "scores." + at)->cell, cell(*trace, "scores", {2, 1, key}));
    EXPECT_EQ(mark(figure.targets, "weights." + at)->cell, cell(*trace, "weights", {2, 1, key}));
    EXPECT_EQ(words(figure, "weights." + at), fixed_text(number(*trace, cell(*trace, "weights", {2, 1, key})), 3));
  }
}

TEST(DotView, TheRunningSumEndsInTheScore) {
  const std::shared_ptr<const Trace> trace = trace_with({{"scale", "sqrt_head_dim"}});
  const Figure figure = figure_of(*trace, "dot", pair_options(5, 1, 2));
  double sum = 0;
  std::vector<double> sums = {0};
  for (Index dim = 0; dim < 7; ++dim)
    sums.push_back(sum +=
                   number(*trace, cell(*trace, "q", {1, 4, dim})) * number(*trace, cell(*trace, "k", {1, 0, dim})));
  sums.push_back(sum);
  EXPECT_EQ(words(figure, "sum.value"), number_text(sum));
  EXPECT_EQ(words(figure, "terms.note"), "sum " + number_text(sum));
  EXPECT_EQ(words(figure, "scale.caption"), "√7");
  EXPECT_EQ(words(figure, "scale.value"), "2.646");
  const double score = number(*trace, cell(*trace, "scores", {1, 4, 0}));
  EXPECT_NEAR(sum / std::sqrt(7.0), score, 1e-5 * std::abs(score));
  EXPECT_EQ(words(figure, "score.value"), number_text(score));
  EXPECT_EQ(mark(figure.targets, "score")->cell, cell(*trace, "scores", {1, 4, 0}));
  EXPECT_EQ(mark(figure.targets, "weight")->cell, cell(*trace, "weights", {1, 4, 0}));
  // The curve has the scale of the bars.
  const CurveMark& curve = *mark(figure.curves, "terms.sum");
  ASSERT_EQ(curve.points.size(), sums.size());
  const Rect& first = mark(figure.bars, "terms.0")->box;
  for (std::size_t i = 0; i < sums.size(); ++i)
    EXPECT_NEAR((first.bottom() - curve.points[i].y) / first.height, sums[i] / sums[1], 1e-9) << i;
}

TEST(DotView, WithoutAScaleThereIsNoneInTheArithmetic) {
  const Figure figure = figure_of(*trace_with({}), "dot");
  EXPECT_EQ(mark(figure.texts, "scale.value"), nullptr);
  EXPECT_EQ(mark(figure.texts, "mask.value"), nullptr);
  EXPECT_EQ(words(figure, "temperature.value"), "1");
  EXPECT_EQ(words(figure, "sum.value"), words(figure, "score.value"));
}

TEST(DotView, MaskedKeysHaveNoBars) {
  const std::shared_ptr<const Trace> trace = trace_with({{"mask", "causal"}, {"temperature", "0.5"}});
  const Figure kept = figure_of(*trace, "dot", pair_options(3, 2));
  for (Index key = 0; key < 6; ++key) {
    const std::string at = std::to_string(key);
    EXPECT_EQ(mark(kept.bars, "scores." + at + ".masked") != nullptr, key > 2);
    EXPECT_EQ(mark(kept.bars, "scores." + at) != nullptr, key < 3 && key != 1) << key;
    EXPECT_EQ(mark(kept.targets, "scores." + at)->cell, cell(*trace, "masked_scores", {0, 2, key}));
  }
  EXPECT_NE(mark(kept.bars, "scores.chosen"), nullptr);
  EXPECT_EQ(words(kept, "mask.value"), "kept");
  EXPECT_EQ(words(kept, "temperature.value"), "0.5");
  EXPECT_EQ(words(kept, "weights.about"), "softmax of the scores ÷ 0.5");
  const Figure masked = figure_of(*trace, "dot", pair_options(3, 5));
  EXPECT_EQ(words(masked, "mask.value"), "−9.000e+15");
  EXPECT_EQ(words(masked, "weight.value"), "0");
  EXPECT_EQ(mark(masked.bars, "scores.chosen"), nullptr);
}

TEST(DotView, AClickOnABarOfAKeyChoosesThatKey) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const Figure figure = figure_of(*trace, "dot", pair_options(2, 4));
  for (const char* row : {"scores.", "weights."}) {
    const TargetMark& target = *mark(figure.targets, row + std::string("5"));
    EXPECT_EQ(set_by(target), (ParameterValues{{"key", Index{6}}}));
    EXPECT_TRUE(target.box.contains({mark(figure.texts, "label.5")->at.x, target.box.center().y}));
    ParameterValues options = pair_options(2, 4);
    for (const auto& [name, value] : set_by(target)) options[name] = value;
    EXPECT_EQ(describe(figure_of(*trace, "dot", options)), describe(figure_of(*trace, "dot", pair_options(2, 6))));
  }
  EXPECT_EQ(mark(figure.bars, "scores.chosen")->shade, Shade::of(Ink::accent));
  EXPECT_EQ(mark(figure.bars, "scores.3"), nullptr);
  EXPECT_TRUE(set_by(*mark(figure.targets, "q.0")).empty());
}

TEST(DotView, QueriesOfTheSecondSequence) {
  const std::shared_ptr<const Trace> trace = trace_with({{"cross_queries", "2"}});
  ParameterValues options = pair_options(9, 3, 4);
  options["attention"] = std::string("cross");
  const Figure figure = figure_of(*trace, "dot", options);
  EXPECT_EQ(mark(figure.targets, "q.0")->cell, cell(*trace, "cross_q", {3, 1, 0}));
  EXPECT_EQ(mark(figure.targets, "scores.2")->cell, cell(*trace, "cross_scores", {3, 1, 2}));
  EXPECT_EQ(words(figure, "q.about"), "query 2 of the second sequence, head 4");
}

TEST(DotView, AxesMayStandInAnyOrder) {
  const Settings small = {{"batch", "2"}, {"channels", "8"}, {"height", "2"}, {"width", "3"}};
  const std::shared_ptr<const Trace> trace = trace_with(small, "conv-attention");
  const Figure figure = figure_of(*trace, "dot", pair_options(6, 2, 3, 2));
  EXPECT_EQ(mark(figure.targets, "q.7")->cell, cell(*trace, "scaled_q", {1, 2, 7, 5}));
  EXPECT_EQ(mark(figure.targets, "k.7")->cell, cell(*trace, "k", {1, 2, 7, 1}));
  double sum = 0;
  for (Index dim = 0; dim < 32; ++dim)
    sum += number(*trace, cell(*trace, "scaled_q", {1, 2, dim, 5})) * number(*trace, cell(*trace, "k", {1, 2, dim, 1}));
  EXPECT_EQ(words(figure, "sum.value"), number_text(sum));
  EXPECT_NEAR(sum, number(*trace, cell(*trace, "scores", {1, 2, 5, 1})), 1e-6);
  EXPECT_EQ(words(figure, "sum.caption"), "(q ÷ √32) · k");
  EXPECT_EQ(mark(figure.texts, "scale.value"), nullptr);
}

TEST(DotView, OptionsBehindTheLastShowTheLast) {
  const std::shared_ptr<const Trace> trace = trace_with({{"queries", "2"}, {"keys", "5"}}, "scaled-dot-product");
  EXPECT_EQ(describe(figure_of(*trace, "dot", pair_options(2147483647, 99, 5, 5))),
            describe(figure_of(*trace, "dot", pair_options(2, 5))));
}

TEST(DotView, ManyNumbersShareBars) {
  const std::shared_ptr<const Trace> trace =
      trace_with({{"queries", "1"}, {"keys", "5000"}, {"head_dim", "500"}}, "scaled-dot-product");
  const Figure figure = figure_of(*trace, "dot", pair_options(1, 2500), 420);
  EXPECT_LT(figure.bars.size(), 2500U);
  EXPECT_LT(figure.targets.size(), 2500U);
  // Every bar is the largest of its group, and every number is in one group.
  Index next = 0;
  for (Index column = 0;; ++column) {
    const TargetMark* target = mark(figure.targets, "scores." + std::to_string(column));
    if (target == nullptr) break;
    const Index shown = target->cell->index.back();
    EXPECT_EQ(set_by(*target), (ParameterValues{{"key", shown + 1}}));
    const Index last = mark(figure.targets, "scores." + std::to_string(column + 1)) == nullptr
                           ? 4999
                           : mark(figure.targets, "scores." + std::to_string(column + 1))->cell->index.back();
    EXPECT_GE(shown, next);
    EXPECT_LE(shown, last);
    next = shown;
  }
  EXPECT_GT(next, 4900);
  EXPECT_NE(words(figure, "scores.about").find("each bar is the largest of 15 adjacent values"), std::string::npos)
      << words(figure, "scores.about");
  double sum = 0;
  for (Index dim = 0; dim < 500; ++dim)
    sum += number(*trace, cell(*trace, "q", {0, dim})) * number(*trace, cell(*trace, "k", {2499, dim}));
  EXPECT_EQ(words(figure, "sum.value"), number_text(sum));
}

TEST(DotView, ScoresThatAreNotHeldAreComputed) {
  const Experiment e =
      experiment_with({{"queries", "9000"}, {"keys", "9000"}, {"head_dim", "2"}}, "scaled-dot-product");
  const std::shared_ptr<const Trace> trace = *Executor(1).run(e);
  ASSERT_EQ(trace->find("weights")->tensor, nullptr);
  const Tensor& q = trace->tensor("q");
  const Tensor& k = trace->tensor("k");
  const auto score = [&](Index key) {
    double sum = 0;
    for (Index dim = 0; dim < 2; ++dim)
      sum += static_cast<double>(q.at(std::array{Index{199}, dim})) * static_cast<double>(k.at(std::array{key, dim}));
    return sum / std::sqrt(2.0);
  };
  double all = 0;
  for (Index key = 0; key < 9000; ++key) all += std::exp(score(key));
  const Figure figure = figure_of(*trace, "dot", pair_options(200, 8500));
  EXPECT_EQ(words(figure, "score.value"), number_text(score(8499)));
  EXPECT_EQ(words(figure, "weight.value"), number_text(std::exp(score(8499)) / all));
  EXPECT_EQ(mark(figure.targets, "weight")->cell, cell(*trace, "weights", {199, 8499}));
}

TEST(DotView, AdditiveScoresHaveNone) {
  const std::shared_ptr<const Trace> additive = trace_with({{"score", "additive"}}, "projected-multihead");
  EXPECT_EQ(missing_for(*find_view("dot"), *additive), "Additive scores are not dot products.");
  EXPECT_EQ(figure_of(*additive, "dot").title, "Additive scores are not dot products.");
  for (const char* system : {"worked-example", "scaled-dot-product", "conv-attention", "projected-multihead",
                             "stacked-multihead", "image-self-attention", "image-multihead", "packed-multihead"}) {
    Settings settings;
    if (default_experiment(system)->parameters.contains("batch")) settings.emplace_back("batch", "1");
    const std::shared_ptr<const Trace> trace = trace_with(settings, system);
    EXPECT_EQ(missing_for(*find_view("dot"), *trace), "") << system;
    const DotProduct product = *dot_product(*trace, "weights");
    std::vector<Index> at(trace->find("scores")->axes.size(), 0);
    at[at.size() - 2] = 1;
    const std::vector<double> q = query_numbers(*trace, product, at);
    const std::vector<double> k = key_numbers(*trace, product, at);
    double sum = 0;
    for (std::size_t i = 0; i < q.size(); ++i) sum += q[i] * k[i] / product.product->divisor;
    EXPECT_NEAR(sum, static_cast<double>(trace->value(product.scores, at)), 1e-4 * std::max(1.0, std::abs(sum)))
        << system;
  }
}

TEST(MaskedScore, IsNamedAfterWhatMasksIt) {
  for (const auto& [family, otherwise] : {std::pair("gpt2", "causal mask"), {"bert", "no mask"}}) {
    SCOPED_TRACE(family);
    Experiment experiment = made_trace(family, {1, 2, 5, 9})->experiment();
    experiment.interventions = {{"layer1.scores", 0, {}, Intervention::Kind::masked, 0}};
    const auto trace = run(experiment).value();
    const auto shown = [&](Index query, Index key) {
      return figure_of(*trace, "dot", {{"query", query}, {"key", key}});
    };
    EXPECT_EQ(words(shown(3, 1), "mask.caption"), "intervention");
    EXPECT_EQ(words(shown(3, 1), "mask.value"), "−∞");
    EXPECT_EQ(words(shown(3, 2), "mask.caption"), otherwise);
    EXPECT_EQ(words(shown(3, 2), "mask.value"), "kept");
    EXPECT_EQ(head_state(experiment, "layer1.weights", 0), "partly masked");
    EXPECT_EQ(head_state(experiment, "layer1.weights", 1), "");
    EXPECT_EQ(head_state(experiment, "layer2.weights", 0), "");
    EXPECT_NE(describe(figure_of(*trace, "head")).find("partly masked"), std::string::npos);
  }
}

}  // namespace
}  // namespace attnscope::test
