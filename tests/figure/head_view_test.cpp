// The view of one head: it shows the numbers of the trace, their sums, entropies and means.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/text.h"
#include "core/imported/imported_layers.h"
#include "support/imported_tensors.h"
#include "traces.h"

namespace attnscope::test {
namespace {

std::optional<std::string> text_of(const Figure& figure, const std::string& id) {
  for (const TextMark& mark : figure.texts) {
    if (mark.id == id) return mark.markup;
  }
  return std::nullopt;
}

const Rect* bar_of(const Figure& figure, const std::string& id) {
  for (const BarMark& mark : figure.bars) {
    if (mark.id == id) return &mark.box;
  }
  return nullptr;
}

const CurveMark* curve_of(const Figure& figure, const std::string& id) {
  for (const CurveMark& mark : figure.curves) {
    if (mark.id == id) return &mark;
  }
  return nullptr;
}

std::string tensor_of(const Trace& trace, const Figure& figure) {
  return trace.steps()[static_cast<std::size_t>(figure.heatmaps.front().step)].name;
}

ParameterValues choice(const std::string& option, const std::string& value) { return {{option, value}}; }

TEST(HeadView, ShowsTheChosenMatrixOfTheChosenHead) {
  const std::shared_ptr<const Trace> masked = trace_with({{"mask", "causal"}});
  for (const Index head : {1, 3}) {
    const Figure figure = figure_of(*masked, "head", {{"head", head}});
    ASSERT_EQ(figure.heatmaps.size(), 1U);
    EXPECT_EQ(figure.heatmaps.front().leading, (std::vector<Index>{head - 1}));
    EXPECT_EQ(tensor_of(*masked, figure), "weights");
  }
  EXPECT_EQ(tensor_of(*masked, figure_of(*masked, "head", choice("of", "scores"))), "masked_scores");
  EXPECT_EQ(tensor_of(*masked, figure_of(*masked, "head", choice("attention", "cross"))), "cross_weights");
  EXPECT_EQ(tensor_of(*masked,
                      figure_of(*masked, "head", {{"attention", std::string("cross")}, {"of", std::string("scores")}})),
            "cross_scores");
  const std::shared_ptr<const Trace> plain = trace_with({{"cross_queries", "0"}});
  EXPECT_EQ(tensor_of(*plain, figure_of(*plain, "head", choice("of", "scores"))), "scores");
  EXPECT_EQ(tensor_of(*plain, figure_of(*plain, "head", choice("attention", "cross"))), "weights");
}

TEST(HeadView, HeadsAndItemsBehindTheLastShowTheLast) {
  const std::shared_ptr<const Trace> trace =
      trace_with({{"batch", "2"}, {"height", "2"}, {"width", "3"}}, "image-multihead");
  const Figure figure = figure_of(*trace, "head", {{"head", Index{99}}, {"item", Index{99}}});
  EXPECT_EQ(figure.heatmaps.front().leading, (std::vector<Index>{1, 3}));
  EXPECT_EQ(text_of(figure, "title"), "Head 4, item 2");
}

TEST(HeadView, SumsOfEnormousWeightsHaveFewDigits) {
  const auto tensors = std::make_shared<MadeTensors>(std::vector<MadeTensors::Made>{{"weights", {2, 2}}});
  for (Index cell = 0; cell < 4; ++cell) tensors->instead[{0, cell}] = 1e38F;
  const Figure figure = figure_of(**run(*experiment_on(tensors)), "head", {}, 900);
  EXPECT_EQ(text_of(figure, "sum.0"), "2.00e+38");
  EXPECT_EQ(text_of(figure, "mean.0"), "1.00e+38");
}

/// The self-attention weights of one head.
double weight(const Trace& trace, Index head, Index query, Index key) {
  return static_cast<double>(trace.tensor("weights").at(std::vector<Index>{head, query, key}));
}

TEST(HeadView, BarsAreSumsEntropiesAndMeansOfTheTrace) {
  const std::shared_ptr<const Trace> trace = trace_with({{"mask", "causal"}, {"scale", "sqrt_head_dim"}});
  for (const std::string of : {"weights", "scores"}) {
    const Figure figure = figure_of(*trace, "head", {{"head", Index{2}}, {"of", of}}, 900);
    const double unit = bar_of(figure, "sum.0")->width;
    std::vector<double> means;
    for (Index i = 0; i < 6; ++i) {
      double sum = 0;
      double entropy = 0;
      double mean = 0;
      for (Index j = 0; j < 6; ++j) {
        sum += weight(*trace, 1, i, j);
        if (weight(*trace, 1, i, j) > 0) entropy -= weight(*trace, 1, i, j) * std::log(weight(*trace, 1, i, j));
        mean += weight(*trace, 1, j, i) / 6;
      }
      const std::string number = std::to_string(i);
      EXPECT_EQ(text_of(figure, "sum." + number), "1.000");
      EXPECT_EQ(text_of(figure, "entropy." + number), fixed_text(entropy, 3));
      EXPECT_EQ(text_of(figure, "mean." + number), fixed_text(mean, 3));
      // The first bar shows a sum of 1; uniform weights reach the end of the entropy scale.
      EXPECT_NEAR(bar_of(figure, "sum." + number)->width, sum * unit, 1e-3);
      const auto line = [&](const std::string& id) { return mark(figure.lines, id)->from.x; };
      const double full = line("entropy.end") - line("entropy.start");
      EXPECT_NEAR(bar_of(figure, "entropy." + number)->width, entropy / std::log(6.0) * full, 1e-6);
      EXPECT_EQ(bar_of(figure, "entropy." + number)->x, line("entropy.start"));
      means.push_back(mean);
      EXPECT_NEAR(bar_of(figure, "mean." + number)->height * means.front(), bar_of(figure, "mean.0")->height * mean,
                  1e-9);
    }
  }
}

TEST(HeadView, ARowWithoutAnyKeySumsToNothing) {
  const std::shared_ptr<const Trace> trace =
      trace_with({{"mask", "padding:0"}, {"masked_fill", "-inf"}, {"cross_queries", "0"}});
  const Figure figure = figure_of(*trace, "head", {}, 900);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(bar_of(figure, "sum." + std::to_string(i))->width, 0);
    EXPECT_EQ(text_of(figure, "sum." + std::to_string(i)), "0.000");
    EXPECT_EQ(text_of(figure, "entropy." + std::to_string(i)), "0.000");
  }
}

TEST(HeadView, BarsStandBesideTheirRowsAndBelowTheirColumns) {
  const std::shared_ptr<const Trace> trace = trace_with({{"tokens", "9"}});
  const Figure figure = figure_of(*trace, "head", choice("attention", "cross"), 1100, 700);
  const HeatmapMark& matrix = figure.heatmaps.front();
  ASSERT_EQ(matrix.rows(), 3);
  ASSERT_EQ(matrix.columns(), 9);
  for (int i = 0; i < 3; ++i) {
    const double middle = matrix.box.y + (i + 0.5) * matrix.box.height / 3;
    EXPECT_NEAR(bar_of(figure, "sum." + std::to_string(i))->center().y, middle, 1e-9);
    EXPECT_NEAR(bar_of(figure, "entropy." + std::to_string(i))->center().y, middle, 1e-9);
    EXPECT_GT(bar_of(figure, "sum." + std::to_string(i))->x, matrix.box.right());
  }
  for (int i = 0; i < 9; ++i) {
    const Rect* bar = bar_of(figure, "mean." + std::to_string(i));
    EXPECT_NEAR(bar->center().x, matrix.box.x + (i + 0.5) * matrix.box.width / 9, 1e-9);
    EXPECT_GT(bar->y, matrix.box.bottom());
  }
}

TEST(HeadView, TargetsSayWhatTheBarsShow) {
  Experiment experiment = experiment_with({{"cross_queries", "0"}});
  experiment.labels = {"The", "cat", "sat", "on", "the", "mat"};
  const std::shared_ptr<const Trace> trace = *run(experiment);
  const Figure figure = figure_of(*trace, "head");
  double entropy = 0;
  double mean = 0;
  for (Index key = 0; key < 6; ++key) {
    entropy -= weight(*trace, 0, 1, key) * std::log(weight(*trace, 0, 1, key));
    mean += weight(*trace, 0, key, 5) / 6;
  }
  const TargetMark* row = target_at(figure, bar_of(figure, "entropy.1")->center());
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->about,
            "query “cat”: weights sum to 1.000, entropy " + number_text(entropy) + " nats of at most ln 6 = 1.792");
  EXPECT_TRUE(set_by(*row).empty());
  const TargetMark* column = target_at(figure, bar_of(figure, "mean.5")->center());
  ASSERT_NE(column, nullptr);
  EXPECT_EQ(column->about, "key “mat”: mean weight " + number_text(mean) + " over the queries");
}

TEST(HeadView, ManyRowsAreACurveThroughTheExtremes) {
  const std::shared_ptr<const Trace> trace =
      trace_with({{"queries", "500"}, {"keys", "300"}, {"head_dim", "8"}}, "scaled-dot-product");
  const Figure figure = figure_of(*trace, "head", {}, 900, 700);
  EXPECT_TRUE(figure.bars.empty());
  const Tensor& weights = trace->tensor("weights");
  std::vector<double> entropies;
  std::vector<double> means(300);
  for (Index q = 0; q < 500; ++q) {
    double entropy = 0;
    for (Index k = 0; k < 300; ++k) {
      const double a = weights.at(std::vector<Index>{q, k});
      if (a > 0) entropy -= a * std::log(a);
      means[static_cast<std::size_t>(k)] += a / 500;
    }
    entropies.push_back(entropy);
  }
  const CurveMark* curve = curve_of(figure, "entropy");
  ASSERT_NE(curve, nullptr);
  EXPECT_LE(curve->points.size(), 256U);
  const LineMark* start = mark(figure.lines, "entropy.start");
  const LineMark* end = mark(figure.lines, "entropy.end");
  const auto [low, high] = std::minmax_element(entropies.begin(), entropies.end());
  const auto [left, right] = std::minmax_element(curve->points.begin(), curve->points.end(),
                                                 [](const Point& a, const Point& b) { return a.x < b.x; });
  const double full = end->from.x - start->from.x;
  EXPECT_NEAR(left->x, start->from.x + *low / std::log(300.0) * full, 1e-6);
  EXPECT_NEAR(right->x, start->from.x + *high / std::log(300.0) * full, 1e-6);
  EXPECT_EQ(text_of(figure, "mean.largest"), fixed_text(*std::max_element(means.begin(), means.end()), 3));
  // From the first row of the matrix to the last.
  const Rect& box = figure.heatmaps.front().box;
  EXPECT_GE(curve->points.front().y, box.y);
  EXPECT_LE(curve->points.back().y, box.bottom());
  EXPECT_TRUE(std::is_sorted(curve->points.begin(), curve->points.end(),
                             [](const Point& a, const Point& b) { return a.y < b.y; }));
}

TEST(HeadView, OfWeightsThatAreNotHeldThereAreNoSums) {
  const std::shared_ptr<const Trace> trace =
      trace_with({{"tokens", "40000"}, {"heads", "1"}, {"head_dim", "2"}, {"features", "2"}, {"cross_queries", "0"}});
  ASSERT_EQ(trace->find("weights")->tensor, nullptr);
  const Figure figure = figure_of(*trace, "head", {}, 900, 700);
  EXPECT_EQ(figure.heatmaps.size(), 1U);
  EXPECT_TRUE(figure.bars.empty());
  EXPECT_TRUE(figure.curves.empty());
  EXPECT_TRUE(text_of(figure, "left_out"));
  EXPECT_FALSE(text_of(figure, "entropy"));
}

TEST(HeadView, LeavesALowWindowToTheCells) {
  const std::shared_ptr<const Trace> trace = trace_with({{"cross_queries", "0"}});
  // What is left of 1280 × 720 pixels where a class is shown it.
  const Figure low = figure_of(*trace, "head", {}, 850, 340);
  EXPECT_GE(low.heatmaps.front().box.height, 6 * 28.0);
  EXPECT_FALSE(text_of(low, "mean"));
  EXPECT_LE(low.height, 340);
  EXPECT_TRUE(text_of(figure_of(*trace, "head", {}, 850, 560), "mean"));
}

TEST(HeadView, IsTheSameFromTheCache) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const std::shared_ptr<const Trace> other = trace_with({{"temperature", "3"}});
  ViewCache cache;
  for (const auto& each : {trace, trace, other, trace}) {
    for (const Index head : {1, 2, 1}) {
      ViewOptions options = *view_options({"head", {{"head", head}}});
      options.cache = &cache;
      EXPECT_EQ(describe(build_view("head", *each, options)), describe(figure_of(*each, "head", {{"head", head}})));
    }
  }
}

TEST(HeadView, HasSomethingToShowOfEverySystem) {
  for (const std::shared_ptr<const Trace>& trace : small_traces()) {
    EXPECT_EQ(missing_for(*find_view("head"), *trace), "");
    EXPECT_EQ(figure_of(*trace, "head").heatmaps.size(), 1U) << trace->experiment().system;
  }
}

}  // namespace
}  // namespace attnscope::test
