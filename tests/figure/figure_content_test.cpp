// Leaving parts out of a figure, and changing its colours.
#include "figure/model/figure_content.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "figure/model/canvas.h"
#include "layout_faults.h"
#include "traces.h"

namespace attnscope::test {
namespace {

/// A figure of the worked example, laid out as for a file.
Figure view_of(const std::string& name) { return figure_of(*trace_with({}), name, {}); }

bool has_text(const Figure& figure, const std::string& id) {
  return std::ranges::any_of(figure.texts, [&](const TextMark& mark) { return mark.id == id; });
}

TEST(FigureContent, AsItIsChangesNothing) {
  for (const View& view : views()) {
    const Figure figure = view_of(view.name);
    EXPECT_EQ(describe(with_content(figure, {})), describe(figure)) << view.name;
  }
}

TEST(FigureContent, WhatIsLeftHasTheSameFaultsAsBefore) {
  for (const View& view : views()) {
    const Figure figure = view_of(view.name);
    for (const FigureContent& content : {FigureContent{.title = false}, FigureContent{.color_bars = false},
                                         FigureContent{.labels = false}, FigureContent{false, false, false, false}}) {
      const Figure less = with_content(figure, content);
      EXPECT_EQ(layout_faults(less).size(), 0U) << view.name << ": " << layout_faults(less).front();
      EXPECT_LE(less.height, figure.height);
      EXPECT_EQ(less.width, figure.width);
      EXPECT_EQ(less.color_bars.empty(), !content.color_bars || figure.color_bars.empty());
      EXPECT_EQ(less.heatmaps.size(), figure.heatmaps.size());
    }
  }
}

TEST(FigureContent, ATitleLeavesItsLineToTheRest) {
  const Figure figure = view_of("head");
  ASSERT_TRUE(has_text(figure, "title"));
  const Figure less = with_content(figure, {.title = false});
  EXPECT_FALSE(has_text(less, "title"));
  const double by = figure.height - less.height;
  EXPECT_GT(by, 10);
  EXPECT_NEAR(less.heatmaps[0].box.y, figure.heatmaps[0].box.y - by, 1e-9);
  EXPECT_NEAR(less.bars.back().box.y, figure.bars.back().box.y - by, 1e-9);
  EXPECT_NEAR(less.color_bars[0].box.y, figure.color_bars[0].box.y - by, 1e-9);
  EXPECT_EQ(less.title, figure.title) << "the file still has its title";
  // Both sections lose their titles, the heads keep their names.
  const Figure heads = with_content(view_of("heads"), {.title = false});
  EXPECT_FALSE(has_text(heads, "weights.title") || has_text(heads, "cross_weights.title"));
  EXPECT_TRUE(has_text(heads, "weights.0.title"));
  EXPECT_LT(heads.height, view_of("heads").height - 40);
}

TEST(FigureContent, ColorBarsLeaveTheirLineToo) {
  const Figure figure = view_of("heads");
  const Figure less = with_content(figure, {.color_bars = false});
  EXPECT_LT(less.height, figure.height - 20);
  EXPECT_EQ(less.heatmaps[0].box, figure.heatmaps[0].box);
  // Next to other marks they leave a gap and nothing else moves.
  const Figure metrics = with_content(view_of("metrics"), {.color_bars = false});
  EXPECT_TRUE(metrics.color_bars.empty());
  EXPECT_EQ(metrics.heatmaps[0].box, view_of("metrics").heatmaps[0].box);
}

TEST(FigureContent, WhatStandsBesideKeepsItsPlace) {
  Figure figure;
  figure.width = 200;
  figure.height = 100;
  figure.texts.push_back(title_mark("title", {10, 20}, "Title"));
  figure.lines.push_back({"beside", {150, 5}, {150, 60}, Ink::line, 1, false, false});
  const Figure less = with_content(figure, {.title = false});
  EXPECT_TRUE(less.texts.empty());
  EXPECT_EQ(less.height, 100);
  EXPECT_EQ(less.lines[0].from, (Point{150, 5}));
}

TEST(FigureContent, NumbersAndLabelsAreNotPainted) {
  const Figure figure = view_of("head");
  const auto painted = [](const Figure& shown) {
    RecordingCanvas canvas;
    paint(shown, palette(Theme::paper), {}, {0, 0, shown.width, shown.height}, canvas);
    return canvas;
  };
  EXPECT_EQ(painted(figure).numbers.size(), 36U);
  EXPECT_EQ(painted(with_content(figure, {.values = false})).numbers.size(), 0U);
  EXPECT_EQ(painted(with_content(figure, {.values = false})).texts.size(), painted(figure).texts.size());
  EXPECT_EQ(painted(with_content(figure, {.labels = false})).texts.size(), painted(figure).texts.size() - 12);
}

TEST(FigureContent, WeightsAreColouredOtherwise) {
  const FigureContent content = {.map = ColorMap::greys, .range = ColorRange{0.1, 0.6}};
  const Figure figure = with_content(view_of("flow"), content);
  const Figure before = view_of("flow");
  int weights = 0;
  for (std::size_t i = 0; i < figure.heatmaps.size(); ++i) {
    const bool is_weights = before.heatmaps[i].scale.map == ColorMap::viridis;
    weights += is_weights ? 1 : 0;
    EXPECT_EQ(figure.heatmaps[i].scale, is_weights ? (ColorScale{ColorMap::greys, 0.1, 0.6}) : before.heatmaps[i].scale)
        << figure.heatmaps[i].id;
  }
  EXPECT_GE(weights, 1);
  EXPECT_EQ(figure.color_bars[0].scale, (ColorScale{ColorMap::greys, 0.1, 0.6}));
  EXPECT_EQ(figure.color_bars[0].low_text, "0.1");
  EXPECT_EQ(figure.color_bars[0].high_text, "0.6");
  EXPECT_EQ(figure.color_bars[1].scale, before.color_bars[1].scale);
  // Without weights, all matrices change.
  for (const HeatmapMark& mark : with_content(view_of("qkv"), {.map = ColorMap::viridis}).heatmaps)
    EXPECT_EQ(mark.scale.map, ColorMap::viridis);
}

/// What says that masked scores are grey goes with their grey.
TEST(FigureContent, MaskedScoresAreInTheLegendWhereTheyAreGrey) {
  const auto trace = trace_with({{"mask", "causal"}, {"random_numbers", "signed"}});
  const Index masked = trace->find("masked_scores") - trace->steps().data();
  const Figure tensor = figure_of(*trace, "tensor", {{"tensor", masked + 1}});
  const auto bar = [](const Figure& figure) { return mark(figure.color_bars, "scale.masked"); };
  ASSERT_NE(bar(tensor), nullptr);
  for (const ColorMap map : color_maps()) {
    const Figure other = with_content(tensor, {.map = map, .range = ColorRange{-1, 2}});
    EXPECT_EQ(bar(other) != nullptr, masked_color(other.heatmaps.front().scale.map).has_value()) << color_map_name(map);
    if (bar(other) == nullptr) continue;
    EXPECT_EQ(bar(other)->low_text + bar(other)->high_text, "");
  }
  const Figure flow = figure_of(*trace, "flow");
  EXPECT_NE(bar(with_content(flow, {.map = ColorMap::greys})), nullptr) << "only the weights are greys";
  EXPECT_EQ(bar(with_content(flow, {.map = ColorMap::blue_brown})), nullptr);
  EXPECT_EQ(bar(figure_of(*trace_with({}), "flow")), nullptr) << "nothing is masked";
}

}  // namespace
}  // namespace attnscope::test
