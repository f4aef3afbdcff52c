// The picture under the mouse: what a cell says, pinning, zooming.
#include <algorithm>
#include <cmath>
#include <set>

#include "interface_test.h"

namespace attnscope::test {
namespace {

class FigurePicture : public Interface {
 protected:
  [[nodiscard]] const std::vector<HeatmapMark>& heatmaps() {
    return screen().workbench().shown_figure().figure().heatmaps;
  }

  [[nodiscard]] std::size_t heatmap(const std::string& id) {
    for (std::size_t i = 0; i < heatmaps().size(); ++i) {
      if (heatmaps()[i].id == id) return i;
    }
    ADD_FAILURE() << "no heatmap " << id;
    return 0;
  }

  /// The cell that the mouse is on says so itself.
  void expect_hovered(std::size_t which, Index row, Index column) {
    const HeatmapMark& mark = heatmaps()[which];
    const std::optional<ui::NamedCell>& hovered = screen().state().hovered;
    ASSERT_TRUE(hovered) << mark.id << " " << row << ", " << column;
    EXPECT_EQ(hovered->tensor, screen().trace().steps()[static_cast<std::size_t>(mark.step)].name) << mark.id;
    EXPECT_EQ(hovered->index, mark.index_of(row, column)) << mark.id;
    const float value = screen().trace().tensor(hovered->tensor).at(hovered->index);
    EXPECT_EQ(value, mark.source->held()->at(row, column));
    const std::optional<ui::Inspection> inspection = ui::inspect(screen().trace(), *hovered);
    ASSERT_TRUE(inspection);
    EXPECT_EQ(inspection->explanation.value, static_cast<double>(value));
  }
};

TEST_F(FigurePicture, EveryCellIsWhatItSaysAndHasTheColourOfItsNumber) {
  int with_cells = 0;
  for (const View& view : views()) {
    if (view.name != screen().experiment().view.name) open_view(view.name);
    const platform::Image image = screen().picture();
    std::set<std::string> tensors;
    for (std::size_t i = 0; i < heatmaps().size(); ++i) {
      const HeatmapMark& mark = heatmaps()[i];
      if (mark.step < 0) continue;  // numbers of the view's own explain themselves in their tooltips
      for (const auto& [row, column] : {std::pair<Index, Index>{0, 0},
                                        {mark.rows() - 1, mark.columns() - 1},
                                        {mark.rows() / 2, 0},
                                        {0, mark.columns() - 1}}) {
        const Point at = screen().cell_center(i, row, column);
        screen().move(at);
        expect_hovered(i, row, column);
        const double share = (static_cast<double>(mark.source->held()->at(row, column)) - mark.scale.low) /
                             (mark.scale.high - mark.scale.low);
        const Rgb wanted = color_at(mark.scale.map, static_cast<float>(share));
        // Beside the middle, where a number may stand: a third of the way to the upper edge of the cell.
        const double cell = mark.box.height / static_cast<double>(mark.rows()) * screen().transform().scale;
        const auto found = image.pixel(static_cast<int>(at.x), static_cast<int>(at.y - cell / 3));
        EXPECT_LE(std::abs(int{found[0]} - int{wanted.red}), 6) << mark.id << " " << row << ", " << column;
        EXPECT_LE(std::abs(int{found[1]} - int{wanted.green}), 6) << mark.id;
        EXPECT_LE(std::abs(int{found[2]} - int{wanted.blue}), 6) << mark.id;
      }
      tensors.insert(screen().trace().steps()[static_cast<std::size_t>(mark.step)].name);
    }
    const bool of_trace = std::any_of(heatmaps().begin(), heatmaps().end(), [](const auto& m) { return m.step >= 0; });
    EXPECT_EQ(tensors.empty(), !of_trace) << view.name;
    if (view.name == "flow" || view.name == "qkv" || view.name == "heads") {
      EXPECT_GE(tensors.size(), 2U) << view.name;
    }
    if (!heatmaps().empty()) ++with_cells;
  }
  EXPECT_GE(with_cells, 3);
}

TEST_F(FigurePicture, OnlyOneCellOfTheHoveredTensorChangesItsFrame) {
  const std::size_t weights = heatmap("weights");
  screen().move({-100, -100});
  screen().settle();
  const platform::Image before = screen().picture();
  screen().move(screen().cell_center(weights, 1, 2));
  screen().settle();
  const platform::Image after = screen().picture();
  // Its row of scores lights up: that is what the softmax takes.
  const Point first = screen().cell_center(heatmap("scores"), 1, 0);
  EXPECT_GT(different_pixels(before, after, {first.x - 16, first.y - 16, 32, 32}), 10);
  // The numbers of X are none of its business.
  const Rect x = heatmaps()[heatmap("x")].box;
  const Point corner = screen().on_screen({x.x, x.y});
  const Point end = screen().on_screen({x.right(), x.bottom()});
  EXPECT_EQ(different_pixels(before, after, {corner.x + 3, corner.y + 3, end.x - corner.x - 6, end.y - corner.y - 6}),
            0);
}

TEST_F(FigurePicture, BesideTheCellsThereIsNothing) {
  screen().move(screen().cell_center(heatmap("weights"), 0, 0));
  EXPECT_TRUE(screen().state().hovered);
  const Rect place = screen().picture_place();
  screen().move({place.x + 12, place.y + 12});
  EXPECT_FALSE(screen().state().hovered);
  screen().move({place.x - 40, place.center().y});
  EXPECT_FALSE(screen().state().hovered);
}

TEST_F(FigurePicture, AClickPinsAndAClickOrEscapeLetsGo) {
  const std::size_t weights = heatmap("weights");
  const Point cell = screen().cell_center(weights, 2, 3);
  screen().click(cell);
  const ui::NamedCell wanted = {"weights", heatmaps()[weights].index_of(2, 3)};
  EXPECT_EQ(screen().state().pinned, wanted);
  screen().move({-100, -100});
  EXPECT_EQ(screen().state().inspected(), wanted);
  EXPECT_FALSE(screen().state().hovered);
  // Hovering shows another one for as long as it lasts.
  screen().move(screen().cell_center(weights, 0, 0));
  EXPECT_EQ(screen().state().inspected()->index, heatmaps()[weights].index_of(0, 0));
  screen().move({-100, -100});
  EXPECT_EQ(screen().state().inspected(), wanted);
  screen().key(kEscape);
  EXPECT_FALSE(screen().state().inspected());

  screen().click(cell);
  EXPECT_EQ(screen().state().pinned, wanted);
  screen().click(cell);
  EXPECT_FALSE(screen().state().pinned);

  screen().click(cell);
  const Rect place = screen().picture_place();
  screen().click({place.x + 12, place.y + 12});
  EXPECT_FALSE(screen().state().pinned);
}

TEST_F(FigurePicture, APinnedCellStaysThroughOtherParameters) {
  const std::size_t weights = heatmap("weights");
  screen().click(screen().cell_center(weights, 2, 3));
  const Rect slider = screen().slider(parameter("features").label);
  screen().drag(across(slider, 0.2), across(slider, 0.7));
  screen().release();
  screen().settle();
  EXPECT_EQ(screen().state().inspected(), (ui::NamedCell{"weights", {0, 2, 3}}));
  // With two tokens there is no such cell; with more there is again.
  const Rect tokens = screen().slider(parameter("tokens").label);
  screen().drag(across(tokens, 0.5), across(tokens, 0.08));
  screen().settle();
  EXPECT_FALSE(ui::inspect(screen().trace(), *screen().state().inspected()));
  for (int i = 1; i <= 4; ++i) screen().move(across(tokens, 0.08 + 0.1 * i));
  screen().release();
  screen().settle();
  EXPECT_TRUE(ui::inspect(screen().trace(), *screen().state().inspected()));
}

TEST_F(FigurePicture, TheWheelZoomsAtTheCursor) {
  for (const std::string id : {"weights", "x", "out"}) {
    const std::size_t which = heatmap(id);
    const Point center = screen().cell_center(which, 1, 2);
    const Point at = {std::floor(center.x), std::floor(center.y)};  // ImGui's mouse is at whole pixels
    screen().move(at);
    expect_hovered(which, 1, 2);
    const Point held = screen().transform().invert(at);
    const double scale = screen().transform().scale;
    for (int notch = 0; notch < 12; ++notch) {
      screen().wheel(1);
      expect_hovered(which, 1, 2);
      const Point now = screen().on_screen(held);
      EXPECT_LT(std::hypot(now.x - at.x, now.y - at.y), 0.1) << id << " after " << notch + 1;
    }
    EXPECT_GT(screen().transform().scale, 5 * scale);
    screen().key('F');
    EXPECT_EQ(screen().state().camera.zoom, 1);
    EXPECT_EQ(screen().state().camera.pan, Point{});
  }
}

TEST_F(FigurePicture, WheelingOutEndsWithAllOfIt) {
  screen().move(screen().cell_center(heatmap("weights"), 1, 2));
  screen().wheel(5);
  EXPECT_GT(screen().state().camera.zoom, 2);
  for (int i = 0; i < 20; ++i) screen().wheel(-1);
  EXPECT_EQ(screen().state().camera.zoom, 1);
  EXPECT_EQ(screen().state().camera.pan, Point{});
}

TEST_F(FigurePicture, ADragMovesItAndPinsNothing) {
  const std::size_t weights = heatmap("weights");
  const Point at = screen().cell_center(weights, 1, 2);
  screen().move(at);
  screen().wheel(6);
  const Point to = {at.x + 60, at.y - 40};
  screen().drag(at, to);
  screen().release();
  const Point now = screen().cell_center(weights, 1, 2);
  EXPECT_NEAR(now.x, to.x, 8);  // ImGui takes the first pixels for a click
  EXPECT_NEAR(now.y, to.y, 8);
  EXPECT_FALSE(screen().state().pinned);
  screen().double_click(to);
  EXPECT_EQ(screen().state().camera.zoom, 1);
}

TEST_F(FigurePicture, TheLargestZoomWritesNumbersIntoCells) {
  const std::size_t weights = heatmap("weights");
  const Point at = screen().cell_center(weights, 1, 2);
  screen().move(at);
  screen().wheel(40);
  EXPECT_LE(screen().state().camera.zoom, 64);
  expect_hovered(weights, 1, 2);
  screen().wheel(-40);
  expect_hovered(weights, 1, 2);
}

TEST_F(FigurePicture, AnotherViewStartsWithAllOfIt) {
  screen().move(screen().cell_center(heatmap("weights"), 1, 2));
  screen().wheel(6);
  open_view("heads");
  EXPECT_EQ(screen().state().camera.zoom, 1);
}

TEST_F(FigurePicture, AWindowTooSmallForItStillShowsSomething) {
  for (const auto& [width, height] : {std::pair{320, 240}, {200, 120}, {64, 48}, {1, 1}, {1000, 60}, {60, 1000}}) {
    screen().resize(width, height);
    screen().settle();
    screen().move({width / 2.0, height / 2.0});
    screen().frame(3);
  }
  screen().resize(1000, 700);
  screen().settle();
  screen().move(screen().cell_center(heatmap("weights"), 1, 2));
  expect_hovered(heatmap("weights"), 1, 2);
}

TEST_F(FigurePicture, IsAsLargeAsItWasLaidOutAndOnWholePixels) {
  for (const auto& [width, height] : {std::pair{1500, 1100}, {1537, 1083}, {1321, 950}}) {
    screen().resize(width, height);
    screen().settle();
    const FigureTransform transform = screen().transform();
    EXPECT_NEAR(transform.scale, 1, 1e-9) << width << " × " << height;
    EXPECT_NEAR(transform.offset.x, std::round(transform.offset.x), 1e-6) << width;
    EXPECT_NEAR(transform.offset.y, std::round(transform.offset.y), 1e-6) << height;
  }
}

TEST_F(FigurePicture, AtTwiceTheScaleTheSameCellsAreTwiceAsLarge) {
  screen().resize(2000, 1400);
  screen().set_scale(2);
  screen().settle();
  const std::size_t weights = heatmap("weights");
  screen().move(screen().cell_center(weights, 4, 5));
  expect_hovered(weights, 4, 5);
}

TEST_F(FigurePicture, APinnedDrawnNumberIsChangedByHand) {
  screen().click(screen().cell_center(heatmap("x"), 2, 3));
  screen().settle();
  ASSERT_TRUE(screen().state().pinned);
  const Rect number = screen().item("Inspector", {std::string("##number")});
  screen().drag(number.center(), {number.center().x + 60, number.center().y});
  screen().release();
  screen().settle();
  ASSERT_EQ(screen().experiment().edits.size(), 1U);
  const CellEdit edit = screen().experiment().edits.front();
  EXPECT_EQ(edit.tensor, "x");
  EXPECT_EQ(edit.index, (std::vector<Index>{2, 3}));
  EXPECT_EQ(screen().trace().tensor("x").at(edit.index), static_cast<float>(edit.value));
  EXPECT_EQ(screen().workbench().shown_figure().figure().heatmaps[heatmap("x")].by_hand,
            (std::vector<std::vector<Index>>{{2, 3}}));
  undo();
  EXPECT_TRUE(screen().experiment().edits.empty()) << "a drag is one step";
  redo();
  ASSERT_EQ(screen().experiment().edits.size(), 1U);
  screen().click_item("Inspector", {std::string("random value")});
  screen().settle();
  EXPECT_TRUE(screen().experiment().edits.empty());
}

TEST_F(FigurePicture, AComputedNumberIsNot) {
  screen().click(screen().cell_center(heatmap("scores"), 1, 1));
  screen().settle();
  ASSERT_TRUE(screen().state().pinned);
  EXPECT_THROW(screen().item("Inspector", {std::string("##number")}), std::runtime_error);
}

}  // namespace
}  // namespace attnscope::test
