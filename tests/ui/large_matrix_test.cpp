// A matrix that is too large to be read within a frame.
#include "interface_test.h"

namespace attnscope::test {
namespace {

class LargeMatrix : public Interface {
 protected:
  void SetUp() override {
    Experiment experiment = *default_experiment("scaled-dot-product");
    experiment.parameters["queries"] = Index{1500};
    experiment.parameters["keys"] = Index{1200};
    experiment.view.name = "heads";
    InterfaceOptions options;
    options.experiment = experiment;
    start(options);
    screen().set_drawn(true);
    screen().settle();
  }

  [[nodiscard]] const HeatmapMark& weights() { return screen().workbench().shown_figure().figure().heatmaps.front(); }
};

TEST_F(LargeMatrix, IsReadOnceForAllFiguresOfATrace) {
  const std::shared_ptr<const MatrixSource> source = weights().source;
  const std::uint64_t figures = screen().workbench().shown_figure().built();
  screen().resize(900, 650);
  screen().settle();
  EXPECT_GT(screen().workbench().shown_figure().built(), figures);
  EXPECT_EQ(weights().source, source);
}

TEST_F(LargeMatrix, IsDividedByTheLargestOfEachRowInTheBackground) {
  screen().click_item("Figure", {std::string("Colour scale"), 1, std::string("per query")});
  screen().settle();
  ASSERT_NE(weights().shares, nullptr);
  EXPECT_FALSE(weights().shares->held());
  EXPECT_EQ(weights().shares->progress(), 1) << "every row has been read";
  const std::uint64_t uploads = screen().workbench().shown_figure().heatmaps().uploads();
  screen().frame(5);
  EXPECT_EQ(screen().workbench().shown_figure().heatmaps().uploads(), uploads);
  EXPECT_FALSE(screen().workbench().busy());
}

TEST_F(LargeMatrix, IsAtRestOnceItIsThere) {
  const std::uint64_t uploads = screen().workbench().shown_figure().heatmaps().uploads();
  EXPECT_GT(uploads, 0U);
  screen().frame(5);
  EXPECT_EQ(screen().workbench().shown_figure().heatmaps().uploads(), uploads);
  EXPECT_FALSE(screen().workbench().busy());
  EXPECT_FALSE(screen().workbench().animating());
}

TEST_F(LargeMatrix, ShowsItsCellsWhenZoomedInto) {
  screen().move(screen().picture_place().center());
  for (int i = 0; i < 12; ++i) screen().wheel(2);
  screen().settle();
  const Point at = screen().picture_place().center();
  screen().move(at);
  screen().settle();
  const std::optional<ui::NamedCell>& cell = screen().state().hovered;
  ASSERT_TRUE(cell);
  const float weight = screen().trace().tensor("weights").at(cell->index);
  const Point center = screen().cell_center(0, cell->index[0], cell->index[1]);
  const platform::Image picture = screen().picture();
  const auto pixel = picture.pixel(static_cast<int>(center.x), static_cast<int>(center.y));
  const Rgb wanted = cell_color(weight, weights().scale);
  EXPECT_NEAR(pixel[0], wanted.red, 2);
  EXPECT_NEAR(pixel[1], wanted.green, 2);
  EXPECT_NEAR(pixel[2], wanted.blue, 2);
}

}  // namespace
}  // namespace attnscope::test
