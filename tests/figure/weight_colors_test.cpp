// The option that says how attention weights become colours, in the views that have it.
#include "figure/slices/weight_colors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "figure/model/figure_content.h"
#include "figure/slices/matrix.h"
#include "figure/style/palette.h"
#include "layout_faults.h"
#include "traces.h"

namespace attnscope::test {
namespace {

ParameterValues scale_of(const std::string& kind) { return {{std::string(kColorScale), kind}}; }

const ColorBarMark& bar(const Figure& figure) { return *mark(figure.color_bars, "scale"); }

/// The colour of a cell as files and the window show it.
Rgb color_of(const HeatmapMark& mark, Index row, Index column) {
  return cell_color(colored(mark)->held()->at(row, column), mark.scale);
}

TEST(WeightColors, PerQueryTheLargestWeightHasTheLastColour) {
  const std::shared_ptr<const Trace> trace = trace_with({{"mask", "causal"}, {"scale", "sqrt_head_dim"}});
  const Rgb last = lut(ColorMap::viridis).back();
  for (const char* view : {"heads", "head"}) {
    const Figure linear = figure_of(*trace, view);
    const Figure shares = figure_of(*trace, view, scale_of("row"));
    ASSERT_EQ(linear.heatmaps.size(), shares.heatmaps.size());
    for (std::size_t i = 0; i < shares.heatmaps.size(); ++i) {
      const HeatmapMark& mark = shares.heatmaps[i];
      const MatrixView weights = *mark.source->held();
      EXPECT_TRUE(same_numbers(*mark.source, *linear.heatmaps[i].source)) << "numbers in cells stay the weights";
      for (Index row = 0; row < mark.rows(); ++row) {
        float most = 0;
        for (Index key = 0; key < mark.columns(); ++key) most = std::max(most, weights.at(row, key));
        for (Index key = 0; key < mark.columns(); ++key) {
          EXPECT_EQ(color_of(mark, row, key), cell_color(weights.at(row, key) / most, {ColorMap::viridis, 0, 1}));
          if (weights.at(row, key) == most) {
            EXPECT_EQ(color_of(mark, row, key), last);
          }
        }
      }
    }
    EXPECT_EQ(bar(shares).title, "attention weight ÷ largest of its query");
    EXPECT_EQ(bar(shares).low_text + " " + bar(shares).high_text, "0 1");
    EXPECT_EQ(bar(linear).title, "attention weight");
  }
}

TEST(WeightColors, OnALogarithmicScaleEqualRatiosAreEquallyFarApart) {
  const ColorScale scale = {ColorMap::viridis, 0.001, 1, ScaleKind::logarithmic};
  EXPECT_EQ(cell_color(1, scale), lut(ColorMap::viridis).back());
  EXPECT_EQ(cell_color(0.001F, scale), lut(ColorMap::viridis).front());
  EXPECT_EQ(cell_color(0, scale), lut(ColorMap::viridis).front());
  EXPECT_EQ(cell_color(-1, scale), lut(ColorMap::viridis).front());
  // A third of the way, and a little beside: the third itself is no number of the machine.
  EXPECT_EQ(cell_color(0.0101F, scale), color_at(ColorMap::viridis, std::log(10.1F) / std::log(1000.0F)));
  EXPECT_EQ(cell_color(0.11F, scale), color_at(ColorMap::viridis, std::log(110.0F) / std::log(1000.0F)));
  EXPECT_EQ(cell_color(std::nanf(""), scale), *special_color(std::nanf("")));
}

TEST(WeightColors, TheLogarithmicScaleReachesBelowWhatManyKeysShare) {
  for (const auto& [keys, low] : {std::pair("5", 0.001), {"100", 0.001}, {"101", 0.0001}, {"1000", 0.0001}}) {
    const std::shared_ptr<const Trace> trace = trace_with({{"queries", "3"}, {"keys", keys}}, "scaled-dot-product");
    for (const char* view : {"heads", "head"}) {
      const Figure figure = figure_of(*trace, view, scale_of("logarithmic"));
      EXPECT_NEAR(figure.heatmaps.front().scale.low, low, low * 1e-9) << keys;
      EXPECT_EQ(figure.heatmaps.front().scale.high, 1);
      EXPECT_EQ(bar(figure).title, "attention weight, logarithmic");
      EXPECT_EQ(bar(figure).low_text, low == 0.001 ? "≤ 0.001" : "≤ 0.0001");
    }
  }
}

TEST(WeightColors, GridsOfManyHeadsHaveThemToo) {
  const std::shared_ptr<const Trace> many = trace_with({{"heads", "300"}, {"tokens", "5"}});
  for (const char* kind : {"row", "logarithmic"}) {
    const Figure figure = figure_of(*many, "heads", scale_of(kind));
    ASSERT_GT(figure.heatmaps.size(), 20U);
    for (const HeatmapMark& mark : figure.heatmaps) {
      EXPECT_EQ(mark.scale, figure.heatmaps.front().scale);
      EXPECT_EQ(mark.shares != nullptr, std::string(kind) == "row");
    }
    EXPECT_EQ(bar(figure).scale, figure.heatmaps.front().scale);
  }
}

TEST(WeightColors, SectionsShareOneScale) {
  const std::shared_ptr<const Trace> trace =
      trace_with({{"tokens", "100"}, {"scale", "sqrt_head_dim"}, {"cross_queries", "4"}});
  const auto own = [&](const char* tensor) { return matrix_mark(*trace, tensor, {})->scale; };
  ASSERT_NE(own("weights"), own("cross_weights")) << "each alone";
  for (const char* kind : {"linear", "row", "logarithmic"}) {
    const Figure figure = figure_of(*trace, "heads", scale_of(kind));
    for (const HeatmapMark& mark : figure.heatmaps) EXPECT_EQ(mark.scale, bar(figure).scale) << kind;
  }
  EXPECT_EQ(bar(figure_of(*trace, "heads")).scale.high, std::max(own("weights").high, own("cross_weights").high));
}

TEST(WeightColors, KeepSharesOfSoManyCellsOnly) {
  const std::shared_ptr<const Trace> trace = trace_with({{"tokens", "500"}, {"heads", "40"}, {"cross_queries", "0"}});
  const Figure figure = figure_of(*trace, "heads", scale_of("row"));
  Index kept = 0;
  for (const HeatmapMark& mark : figure.heatmaps) kept += mark.shares->held() ? mark.rows() * mark.columns() : 0;
  EXPECT_GT(kept, 0);
  EXPECT_LE(kept, (Index{1} << 22U) + 500 * 500);
  EXPECT_LT(kept, 40 * 500 * 500) << "not all";
}

TEST(WeightColors, NumbersInCellsAreAsPreciseAsOnALinearScale) {
  HeatmapMark mark = heatmap_of("m", {0, 0, 200, 60}, {{"query", 1}, {"key", 2}}, {0.0004F, 0.9996F});
  mark.scale = {ColorMap::viridis, 0.0001, 1, ScaleKind::logarithmic};
  RecordingCanvas canvas;
  Figure figure;
  figure.width = 200;
  figure.height = 60;
  figure.heatmaps = {mark};
  paint(figure, palette(Theme::paper), {}, {0, 0, 200, 60}, canvas);
  ASSERT_EQ(canvas.numbers.size(), 2U);
  EXPECT_EQ(canvas.numbers[0].text, "0.000400");
  EXPECT_EQ(canvas.numbers[1].text, "1.00");
}

TEST(WeightColors, ScoresHaveNoChoice) {
  const View& head = *find_view("head");
  const std::shared_ptr<const Trace> trace = trace_with({});
  ParameterValues values = view_options({"head", {{"of", std::string("scores")}}})->values;
  EXPECT_FALSE(head.applies(*trace, values, kColorScale));
  values["of"] = std::string("weights");
  EXPECT_TRUE(head.applies(*trace, values, kColorScale));
  ParameterValues options = scale_of("logarithmic");
  options["of"] = std::string("scores");
  EXPECT_EQ(describe(figure_of(*trace, "head", options)),
            describe(figure_of(*trace, "head", {{"of", std::string("scores")}})));
}

TEST(WeightColors, OtherEndsStayLogarithmic) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const Figure figure = figure_of(*trace, "head", scale_of("logarithmic"));
  FigureContent content;
  content.range = {0.01, 0.5};
  const Figure narrow = with_content(figure, content);
  EXPECT_EQ(narrow.heatmaps.front().scale, (ColorScale{ColorMap::viridis, 0.01, 0.5, ScaleKind::logarithmic}));
  EXPECT_EQ(bar(narrow).low_text, "0.01");
  content.range = {0, 1};
  const Figure from_zero = with_content(figure, content);
  EXPECT_EQ(from_zero.heatmaps.front().scale.low, 1e-4) << "0 has no logarithm";
  EXPECT_EQ(bar(from_zero).low_text, "0.0001");
}

TEST(WeightColors, SharesThatAreTheSameAreKeptForTheNextFigure) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const Figure first = figure_of(*trace, "heads", scale_of("row"));
  Figure again = figure_of(*trace, "heads", scale_of("row"));
  share_sources(first, again);
  EXPECT_EQ(first.heatmaps[2].shares, again.heatmaps[2].shares);
  Figure linear = figure_of(*trace, "heads");
  share_sources(first, linear);
  EXPECT_EQ(linear.heatmaps[2].shares, nullptr);
}

TEST(MaskedScores, AreGreyWhateverTheyAreFilledWith) {
  for (const float fill : {-9e15F, -2.5F, 0.0F, -INFINITY}) {
    const ColorScale scale = {ColorMap::red_blue, -3, 3, ScaleKind::linear, fill};
    EXPECT_EQ(cell_color(fill, scale), *masked_color(ColorMap::red_blue)) << fill;
    EXPECT_EQ(cell_color(-3, scale), lut(ColorMap::red_blue).front()) << fill;
    // Maps with greys have none to spare.
    const ColorScale grey = {ColorMap::greys, -3, 3, ScaleKind::linear, fill};
    EXPECT_EQ(cell_color(fill, grey), cell_color(fill, {ColorMap::greys, -3, 3})) << fill;
  }
}

TEST(MaskedScores, HaveNoGreyOfTheirOwnWhereTheFillIsAmongTheScores) {
  for (const auto& [fill, is_grey] : {std::pair("-9e15", true), std::pair("-inf", true), std::pair("0", false)}) {
    const auto trace = trace_with({{"mask", "causal"}, {"random_numbers", "signed"}, {"masked_fill", fill}});
    EXPECT_EQ(matrix_mark(*trace, "masked_scores", {0, 0})->scale.masked.has_value(), is_grey) << fill;
  }
}

}  // namespace
}  // namespace attnscope::test
