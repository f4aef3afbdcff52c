// Labels of a matrix that the window has zoomed into.
#include "figure/model/label_painter.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "layout_faults.h"
#include "traces.h"

namespace attnscope::test {
namespace {

constexpr Rect kWindow = {0, 0, 500, 400};

std::shared_ptr<const Trace> labelled_trace() {
  Experiment experiment = experiment_with({{"tokens", "12"}, {"heads", "1"}});
  experiment.labels.clear();
  for (int i = 0; i < 12; ++i) experiment.labels.push_back("token" + std::to_string(i + 1));
  return *run(experiment);
}

/// The head view of `trace`, four times as large; (x, y) of the enlarged figure is at the corner of the window.
RecordingCanvas zoomed(const Figure& figure, double x, double y) {
  RecordingCanvas canvas;
  paint(figure, palette(Theme::dark), {4, 1, {-x, -y}}, kWindow, canvas);
  return canvas;
}

std::vector<Rect> boxes_of(const RecordingCanvas& canvas, const std::string& beginning) {
  std::vector<Rect> boxes;
  for (const auto& [text, box] : canvas.texts) {
    if (text.starts_with(beginning) && overlap(box, kWindow)) boxes.push_back(box);
  }
  return boxes;
}

TEST(LabelPainter, KeepsLabelsInSightWhereTheirPlacesAreNot) {
  const auto trace = labelled_trace();
  const Figure figure = figure_of(*trace, "head", {}, 900, 700);
  const Rect cells = figure.heatmaps.front().box;
  const double width = 4 * cells.width / 12;
  const double height = 4 * cells.height / 12;
  // In the middle of the matrix.
  const RecordingCanvas canvas = zoomed(figure, 4 * cells.x + 5 * width, 4 * cells.y + 5 * height);
  const std::vector<Rect> labels = boxes_of(canvas, "token");
  ASSERT_FALSE(labels.empty());
  const auto rows = std::ranges::count_if(labels, [](const Rect& box) { return box.x < 60; });
  const auto columns = std::ranges::count_if(labels, [](const Rect& box) { return box.y < 60; });
  EXPECT_GE(rows, 2);
  EXPECT_GE(columns, 2);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    EXPECT_GE(labels[i].x, 0);
    EXPECT_GE(labels[i].y, 0);
    for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(overlap(labels[i], labels[j])) << rect_text(labels[i]);
  }
  EXPECT_FALSE(canvas.fills.empty()) << "letters on cells cannot be read";
}

TEST(LabelPainter, LeavesThemInTheirPlacesWhereThoseAreInSight) {
  const auto trace = labelled_trace();
  const Figure figure = figure_of(*trace, "head", {}, 900, 700);
  const Rect cells = figure.heatmaps.front().box;
  const RecordingCanvas canvas = zoomed(figure, 4 * cells.x - 200, 4 * cells.y - 200);
  const std::vector<Rect> labels = boxes_of(canvas, "token1");
  ASSERT_FALSE(labels.empty());
  for (const Rect& box : labels) EXPECT_TRUE(box.right() <= 200 || box.bottom() <= 200) << rect_text(box);
  EXPECT_TRUE(canvas.fills.empty());
}

TEST(LabelPainter, ShowsNoneOfAMatrixThatIsOutOfSight) {
  const auto trace = labelled_trace();
  const Figure figure = figure_of(*trace, "head", {}, 900, 700);
  const Rect cells = figure.heatmaps.front().box;
  const RecordingCanvas canvas = zoomed(figure, 4 * cells.right() + 600, 4 * cells.y + 100);
  EXPECT_TRUE(boxes_of(canvas, "token").empty());
  EXPECT_TRUE(canvas.fills.empty());
}

TEST(LabelPainter, WordsOfTheOutputProjectionAreShownAllOrNotAtAll) {
  const auto trace = trace_with({});
  const auto rows_shown = [&](double width) {
    Figure figure = figure_of(*trace, "flow", {}, width);
    const HeatmapMark heads = *mark(figure.heatmaps, "merge.merged");
    EXPECT_EQ(heads.row_labels.size(), 6U) << "tooltips name them";
    figure.heatmaps = {heads};
    RecordingCanvas canvas;
    paint(figure, palette(Theme::dark), {}, {0, 0, figure.width, figure.height}, canvas);
    return std::ranges::count_if(canvas.texts, [&](const RecordingCanvas::Text& text) {
      return std::ranges::find(heads.row_labels, text.text) != heads.row_labels.end();
    });
  };
  EXPECT_EQ(rows_shown(672), 0) << "the, sat, the";
  EXPECT_EQ(rows_shown(1400), 6);
}

TEST(LabelPainter, OneNumberAloneIsTheFirstAndTheLast) {
  const auto trace = trace_with({});
  Figure figure = figure_of(*trace, "head", {}, 900, 700);
  figure.heatmaps = {figure.heatmaps.front()};
  figure.texts.clear();
  const HeatmapMark& weights = figure.heatmaps.front();
  ASSERT_EQ(weights.row_labels.size(), 6U);
  const auto rows_at = [&](double cell) {
    const double scale = cell * 6 / weights.box.height;
    RecordingCanvas canvas;
    paint(figure, palette(Theme::dark), {scale, 1, {100, 100}}, kWindow, canvas);
    std::vector<std::string> rows;
    for (const auto& [text, box] : canvas.texts) {
      if (box.right() < 100 + weights.box.x * scale && (text == "1" || text == "2" || text == "5" || text == "6"))
        rows.push_back(text);
    }
    return rows;
  };
  // Every fifth one would be a 5.
  EXPECT_EQ(rows_at(3.5), (std::vector<std::string>{"1", "6"}));
  EXPECT_EQ(rows_at(6.5), (std::vector<std::string>{"2", "6"}));
}

}  // namespace
}  // namespace attnscope::test
