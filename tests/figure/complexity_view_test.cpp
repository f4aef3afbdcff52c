// The view "complexity": formulas, crossings of the curves, and no measurement unless asked for.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/stop.h"
#include "core/studies/attention_timing.h"
#include "traces.h"

namespace attnscope::test {
namespace {

Figure of_length(const char* tokens, Index kernel = 3, Index window = 16) {
  const std::shared_ptr<const Trace> trace =
      trace_with({{"queries", "2"}, {"keys", tokens}, {"head_dim", "64"}}, "scaled-dot-product");
  return figure_of(*trace, "complexity", {{"kernel", kernel}, {"window", window}});
}

TEST(ComplexityView, TheTableHasWhatTheFormulasGive) {
  const Figure figure = of_length("1000");
  EXPECT_EQ(words(figure, "table.attention.operations"), "n^{2}·d");
  EXPECT_EQ(words(figure, "table.attention.operations.value"), "6.40·10^{7}");
  EXPECT_EQ(words(figure, "table.window.operations.value"), "1,024,000");
  EXPECT_EQ(words(figure, "table.convolution.operations.value"), "1.23·10^{7}");
  EXPECT_EQ(words(figure, "table.recurrence.operations.value"), "4,096,000");
  EXPECT_EQ(words(figure, "table.attention.path"), "1");
  EXPECT_EQ(words(figure, "table.window.path.value"), "63");      // ⌈1000 / 16⌉
  EXPECT_EQ(words(figure, "table.convolution.path.value"), "7");  // 3⁶ = 729 < 1000
  EXPECT_EQ(words(figure, "table.recurrence.path.value"), "1,000");
  EXPECT_EQ(words(figure, "table.recurrence.steps.value"), "1,000");
  EXPECT_EQ(words(figure, "table.window.steps"), "1");
  EXPECT_EQ(words(figure, "table.sizes"), "n = 1,000, d = 64, k = 3, r = 16");
}

TEST(ComplexityView, PathsAreWhole) {
  EXPECT_EQ(words(of_length("729"), "table.convolution.path.value"), "6");
  EXPECT_EQ(words(of_length("730"), "table.convolution.path.value"), "7");
  EXPECT_EQ(words(of_length("1"), "table.convolution.path.value"), "1");
  EXPECT_EQ(words(of_length("1"), "table.window.path.value"), "1");
  EXPECT_EQ(words(of_length("1024", 2), "table.convolution.path.value"), "10");
  EXPECT_EQ(words(of_length("32"), "table.window.path.value"), "2");
}

TEST(ComplexityView, AWindowWiderThanTheSequenceCostsWhatAttentionCosts) {
  const Figure figure = of_length("6", 3, 16);
  EXPECT_EQ(words(figure, "table.window.operations"), "r·n·d");
  EXPECT_EQ(words(figure, "table.window.operations.value"), words(figure, "table.attention.operations.value"));
  const std::vector<Point>& window = mark(figure.curves, "operations.window")->points;
  const std::vector<Point>& attention = mark(figure.curves, "operations.attention")->points;
  ASSERT_EQ(window.size(), 3U);
  EXPECT_EQ(window[0], attention[0]);
  const double share = (window[1].x - attention[0].x) / (attention[1].x - attention[0].x);
  EXPECT_NEAR(window[1].y, attention[0].y + share * (attention[1].y - attention[0].y), 1e-6) << "up to n = r";
  EXPECT_GT(window[2].y, attention[1].y) << "and cheaper beyond";
}

TEST(ComplexityView, AllHeadsTogetherAreTheWidth) {
  EXPECT_EQ(words(figure_of(*trace_with({}), "complexity"), "table.sizes"),
            "n = 6, d = 28 (4 heads of 7), k = 3, r = 16");
}

TEST(ComplexityView, CurvesCrossWhereTheyAreSaidTo) {
  const Figure figure = of_length("300", 3, 200);
  const auto height = [&](const std::string& curve, double x) {
    const std::vector<Point>& ends = mark(figure.curves, "operations." + curve)->points;
    return ends[0].y + (x - ends[0].x) / (ends[1].x - ends[0].x) * (ends[1].y - ends[0].y);
  };
  for (const auto& [id, other, n] : {std::tuple("n_is_d", "recurrence", 64.0), std::tuple("n_is_r", "window", 200.0)}) {
    const std::vector<Point>& ends = mark(figure.curves, "operations.attention")->points;
    const double x = ends[0].x + std::log(n) / std::log(65536.0) * (ends[1].x - ends[0].x);
    EXPECT_NEAR(mark(figure.lines, "operations." + std::string(id))->from.x, x, 1e-6);
    const Point point = mark(figure.bars, "operations." + std::string(id))->box.center();
    EXPECT_NEAR(point.x, x, 1e-6);
    EXPECT_NEAR(point.y, height("attention", x), 1e-6);
    EXPECT_NEAR(point.y, height(other, x), 1e-6);
  }
  EXPECT_EQ(words(figure, "operations.own"), "n = 300 here");
  EXPECT_EQ(words(figure, "operations.n_is_r"), "n = r = 200");
}

TEST(ComplexityView, TooltipsHaveWhatAllOfThemCost) {
  EXPECT_EQ(mark(of_length("10").targets, "operations.at.1024")->about,
            "n = 1,024: self-attention 67,108,864; window 1,048,576; convolution 12,582,912; recurrence 4,194,304");
}

TEST(ComplexityView, WhatIsBeyondTheChartIsNotMarked) {
  const Figure figure = of_length("10", 3, 70000);
  EXPECT_EQ(mark(figure.lines, "operations.n_is_r"), nullptr);
  EXPECT_NE(mark(figure.lines, "operations.n_is_d"), nullptr);
}

TEST(ComplexityView, MeasuresOnlyWhenAsked) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  ViewCache cache;
  const Figure figure = figure_of(*trace, "complexity", {}, 672, 0, &cache);
  EXPECT_EQ(describe(figure), describe(figure_of(*trace, "complexity")));
  EXPECT_EQ(mark(figure.curves, "measured.times"), nullptr);
  using Times = std::vector<AttentionTime>;
  const auto key = std::tuple(std::string("attention times"), Index{28});
  cache.find_or_keep<Times>(key, [] {
    return std::make_shared<const Times>(Times{{16, 0.00001}, {32, 0.00004}, {64, 0.0001}});
  });
  const ParameterValues measured = {{"measured", std::string("yes")}};
  const Figure with = figure_of(*trace, "complexity", measured, 672, 0, &cache);
  EXPECT_EQ(mark(with.targets, "measured.32")->about, "n = 32: 40 µs");
  // n² through the last time: a sixteenth of it at a quarter of the length.
  const std::vector<Point>& times = mark(with.curves, "measured.times")->points;
  const std::vector<Point>& square = mark(with.curves, "measured.square")->points;
  EXPECT_NEAR(square[1].y, times[2].y, 1e-9);
  EXPECT_NEAR((square[0].y - times[2].y) / (times[0].y - times[2].y), std::log(16.0) / std::log(10.0), 1e-9);
  // Nothing is measured again when other options change.
  EXPECT_EQ(describe(figure_of(*trace, "complexity", measured, 672, 0, &cache)), describe(with));
}

TEST(ComplexityView, LeavesWhenStopped) {
  ViewOptions options = *view_options({"complexity", {{"measured", std::string("yes")}}});
  StopSource source;
  source.request_stop();
  options.stop = source.token();
  EXPECT_TRUE(build_view("complexity", *trace_with({}), options).curves.empty());
}

}  // namespace
}  // namespace attnscope::test
