// The heads beside each other: what has room, and what is seen of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "figure/model/canvas.h"
#include "figure/model/figure_content.h"
#include "layout_faults.h"
#include "traces.h"

namespace attnscope::test {
namespace {

/// How many of its row labels stand beside a matrix.
std::ptrdiff_t shown_labels(Figure figure, const std::string& id) {
  const HeatmapMark matrix = *mark(figure.heatmaps, id);
  figure.heatmaps = {matrix};
  figure.texts.clear();
  RecordingCanvas canvas;
  paint(figure, palette(Theme::paper), {}, {0, 0, figure.width, figure.height}, canvas);
  return std::ranges::count_if(canvas.texts, [&](const RecordingCanvas::Text& text) {
    return text.box.right() < matrix.box.x &&
           std::ranges::find(matrix.row_labels, text.text) != matrix.row_labels.end();
  });
}

TEST(HeadsView, FewLabelsAreShownAllOrNotAtAll) {
  for (const char* const heads : {"1", "4", "12", "32"}) {
    const std::shared_ptr<const Trace> trace = trace_with({{"heads", heads}});
    for (const double width : {317.0, 672.0}) {
      const Figure figure = figure_of(*trace, "heads", {}, width);
      const std::ptrdiff_t shown = shown_labels(figure, "weights.0");
      EXPECT_TRUE(shown == 0 || shown == 6) << heads << " heads, width " << width << ": " << shown;
      EXPECT_EQ(mark(figure.heatmaps, "weights.0")->row_labels.size(), 6U) << "tooltips name them";
      // The room that they would need is there for the cells.
      if (width < 600) continue;
      EXPECT_GE(mark(figure.heatmaps, "weights.0")->box.width, 6 * 9) << heads << " heads";
    }
  }
}

TEST(HeadsView, LabelsOfAllHeadsStandOutsideWhereMatricesHaveNoRoomForThem) {
  const std::shared_ptr<const Trace> trace = trace_with({{"tokens", "16"}, {"heads", "8"}, {"cross_queries", "0"}});
  const Figure figure = figure_of(*trace, "heads", {}, 780, 600);
  const HeatmapMark& first = *mark(figure.heatmaps, "weights.0");
  EXPECT_EQ(shown_labels(figure, "weights.0"), 16);
  Index outside = 0;
  for (const HeatmapMark& each : figure.heatmaps) {
    EXPECT_EQ(each.row_labels.shown() != Labels::Shown::none, each.box.x == first.box.x) << each.id;
    EXPECT_EQ(each.column_labels.shown() != Labels::Shown::none, each.box.y == first.box.y) << each.id;
    EXPECT_EQ(each.row_labels.size(), 16U) << "tooltips name them: " << each.id;
    outside += each.box.x == first.box.x ? 1 : 0;
  }
  EXPECT_GE(outside, 2);
  EXPECT_EQ(layout_faults(figure), std::vector<std::string>());
}

TEST(HeadsView, NumbersStandOutsideWhereThereIsNoRoomForWords) {
  const std::shared_ptr<const Trace> trace = trace_with({{"tokens", "16"}, {"heads", "8"}});
  const Figure figure = figure_of(*trace, "heads", {}, 750, 560);
  Figure first = figure;
  first.heatmaps = {*mark(figure.heatmaps, "weights.0")};
  first.texts.clear();
  RecordingCanvas canvas;
  paint(first, palette(Theme::paper), {}, {0, 0, figure.width, figure.height}, canvas);
  std::set<std::string> shown;
  for (const RecordingCanvas::Text& text : canvas.texts) shown.insert(text.text);
  EXPECT_TRUE(shown.contains("1") || shown.contains("2"));
  EXPECT_FALSE(shown.contains("cat"));
  EXPECT_EQ(layout_faults(figure), std::vector<std::string>());
}

TEST(HeadsView, LongLabelsLeaveRoomForTheCells) {
  Experiment experiment = experiment_with({});
  experiment.labels = std::vector<std::string>(6, "a label that is much longer than any word");
  const Figure figure = figure_of(**run(experiment), "heads");
  EXPECT_GE(mark(figure.heatmaps, "weights.0")->box.width, 6 * 12);
}

TEST(HeadsView, HeadsAlignWithThoseOfCrossAttention) {
  for (const char* const heads : {"3", "4", "32"}) {
    const std::shared_ptr<const Trace> trace = trace_with({{"heads", heads}});
    for (const double width : {317.0, 672.0, 1400.0}) {
      const Figure figure = figure_of(*trace, "heads", {}, width);
      for (int head = 0; head < std::stoi(heads); ++head) {
        const std::string number = std::to_string(head);
        EXPECT_EQ(mark(figure.heatmaps, "weights." + number)->box.x,
                  mark(figure.heatmaps, "cross_weights." + number)->box.x)
            << heads << " heads, width " << width;
      }
    }
  }
}

TEST(HeadsView, ManyHeadsFitIntoASmallWindow) {
  Experiment experiment = experiment_with({{"heads", "32"}});
  experiment.heads_off = {1, 20};
  const auto trace = *run(experiment);
  const Figure figure = figure_of(*trace, "heads", {}, 560, 560);
  EXPECT_LE(figure.width, 560 * 1.4) << "more would make the type too small to read";
  EXPECT_EQ(layout_faults(figure), std::vector<std::string>());
  EXPECT_EQ(mark(figure.texts, "weights.20.title")->markup, "21, off");
}

TEST(Heatmaps, OfZerosAreSeenOnPaper) {
  const auto outlines = [&](const Figure& figure, const FigureContent& content, Theme theme) {
    RecordingCanvas canvas;
    paint(with_content(figure, content), palette(theme), {}, {0, 0, figure.width, figure.height}, canvas);
    return canvas.outlines.size();
  };
  const Figure heads = figure_of(*trace_with({}), "heads");
  for (const Theme theme : {Theme::paper, Theme::light})
    EXPECT_EQ(outlines(heads, {.map = ColorMap::greys}, theme), heads.heatmaps.size());
  for (const Theme theme : {Theme::paper, Theme::light, Theme::dark}) EXPECT_EQ(outlines(heads, {}, theme), 0U);
  // Numbers of both signs, with 0 between blue and red.
  const Figure signs = figure_of(*trace_with({}, "packed-multihead"), "qkv");
  ASSERT_EQ(signs.heatmaps.front().scale.map, ColorMap::red_blue);
  EXPECT_EQ(outlines(signs, {}, Theme::paper), signs.heatmaps.size());
}

}  // namespace
}  // namespace attnscope::test
