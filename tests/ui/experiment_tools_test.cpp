// What is done to the experiment in the picture: painting the mask, pinning, switching heads off.
#include <algorithm>

#include "app/session/mask_cell.h"
#include "figure/slices/matrix.h"
#include "interface_test.h"

namespace attnscope::test {
namespace {

class MaskBrush : public Interface {
 protected:
  /// Where a cell of the large head's weights is on the screen.
  [[nodiscard]] Point cell(Index query, Index key) {
    const std::vector<HeatmapMark>& marks = screen().workbench().shown_figure().figure().heatmaps;
    const auto found = std::find_if(marks.begin(), marks.end(), [](const auto& mark) { return mark.id == "matrix"; });
    const Rect& box = found->box;
    return screen().on_screen({box.x + box.width * (static_cast<double>(key) + 0.5) / 6,
                               box.y + box.height * (static_cast<double>(query) + 0.5) / 6});
  }
  [[nodiscard]] bool keeps(Index query, Index key) { return *is_kept(screen().experiment(), {0, 0, query, key}); }
};

TEST_F(MaskBrush, ADragHidesTheKeysItPasses) {
  open_view("head");
  screen().click_item("Parameters", {std::string("Paint")});
  screen().drag(cell(1, 2), cell(1, 5), 2);
  screen().release();
  screen().settle();
  for (Index query = 0; query < 6; ++query) {
    for (Index key = 0; key < 6; ++key) EXPECT_EQ(keeps(query, key), query != 1 || key < 2) << query << " " << key;
  }
  EXPECT_EQ(screen().trace().tensor("weights").matrix(std::vector<Index>{0}).at(1, 4), 0.0F);
  EXPECT_FALSE(screen().state().pinned) << "what is painted is not pinned";
  EXPECT_EQ(screen().state().camera, ui::Camera{}) << "and the picture stays";
  // What begins on a hidden key shows keys again.
  screen().drag(cell(1, 5), cell(1, 3), 2);
  screen().release();
  screen().settle();
  EXPECT_FALSE(keeps(1, 2));
  EXPECT_TRUE(keeps(1, 3) && keeps(1, 4) && keeps(1, 5));
  undo();
  EXPECT_FALSE(keeps(1, 4));
  undo();
  EXPECT_EQ(screen().experiment().mask(), Mask{}) << "each drag is one step";
  screen().click_item("Parameters", {std::string("Paint")});
  screen().click(cell(1, 2));
  screen().settle();
  EXPECT_EQ(screen().experiment().mask(), Mask{});
  EXPECT_TRUE(screen().state().pinned);
}

TEST_F(MaskBrush, MChangesThePairUnderTheMouseOrPinned) {
  open_view("head");
  screen().move(cell(4, 0));
  screen().key('M');
  screen().settle();
  EXPECT_FALSE(keeps(4, 0));
  screen().key('M');
  screen().settle();
  EXPECT_TRUE(keeps(4, 0));
  screen().click(cell(3, 1));
  screen().move({-100, -100});
  screen().key('M');
  screen().settle();
  EXPECT_FALSE(keeps(3, 1));
  EXPECT_TRUE(keeps(4, 0));
}

// The cell stays pinned while there are fewer tokens, and is no pair of theirs.
TEST_F(MaskBrush, MLeavesTheMaskWhereThePinnedPairIsNoMore) {
  open_view("head");
  screen().click(cell(5, 5));
  screen().move({-100, -100});
  ASSERT_TRUE(screen().state().pinned);
  for (const char* const mask : {"causal", "array"}) {
    Experiment fewer = screen().experiment();
    fewer.parameters["tokens"] = Index{3};
    fewer.parameters["mask"] = *parse_mask("causal");
    if (mask == std::string("array")) fewer.parameters["mask"] = *with_pair(Mask{}, {1, 1, 3, 3}, 0, 0, 0, 1, false);
    screen().workbench().workspace().open(fewer, {}, {});
    screen().settle();
    screen().state().pinned = ui::NamedCell{"weights", {0, 5, 5}};
    screen().settle();
    screen().key('M');
    screen().settle();
    EXPECT_EQ(screen().experiment().mask(), fewer.mask()) << mask;
  }
}

TEST_F(MaskBrush, AwayFromScoresMSaysWhatItIsFor) {
  screen().key('M');
  EXPECT_EQ(screen().experiment().mask(), Mask{});
}

TEST_F(MaskBrush, PPinsTheExperimentAndShowsWhatChanges) {
  const std::shared_ptr<const Tensor> before = screen().trace().find("weights")->tensor;
  screen().key('P');
  screen().settle();
  EXPECT_EQ(screen().experiment().view.name, "compare");
  const auto difference = [&] { return *screen().workbench().shown_figure().figure().heatmaps.front().source->held(); };
  for (Index i = 0; i < 36; ++i) EXPECT_EQ(difference().at(i / 6, i % 6), 0.0F);
  const Rect temperature = screen().slider(parameter("temperature").label);
  screen().drag(across(temperature, 0.5), across(temperature, 0.9));
  screen().release();
  screen().settle();
  const MatrixView now = screen().trace().tensor("weights").matrix(std::vector<Index>{0});
  float largest = 0;
  for (Index i = 0; i < 36; ++i) {
    EXPECT_EQ(difference().at(i / 6, i % 6),
              now.at(i / 6, i % 6) - before->matrix(std::vector<Index>{0}).at(i / 6, i % 6));
    largest = std::max(largest, std::abs(difference().at(i / 6, i % 6)));
  }
  EXPECT_GT(largest, 0.01F);
}

class HeadSwitch : public Interface {};

TEST_F(HeadSwitch, AClickOnAHeadsNameSwitchesItOffAndOn) {
  open_view("heads");
  const auto click_name = [&] {
    const std::vector<TargetMark>& targets = screen().workbench().shown_figure().figure().targets;
    const auto found = std::find_if(targets.begin(), targets.end(),
                                    [](const auto& t) { return t.click == ClickIntent(ToggleHead{2}); });
    ASSERT_NE(found, targets.end());
    screen().click(screen().on_screen(found->box.center()));
    screen().settle();
  };
  const std::shared_ptr<const Tensor> before = screen().trace().find("out")->tensor;
  click_name();
  EXPECT_EQ(screen().experiment().heads_off, (std::vector<Index>{2}));
  const auto out = screen().trace().find("out")->tensor->values();
  EXPECT_FALSE(std::equal(out.begin(), out.end(), before->values().begin()));
  click_name();
  EXPECT_TRUE(screen().experiment().heads_off.empty());
  undo();
  EXPECT_EQ(screen().experiment().heads_off, (std::vector<Index>{2}));
}

TEST_F(HeadSwitch, XSwitchesTheChosenHead) {
  screen().key('3');
  screen().key('X');
  screen().settle();
  EXPECT_EQ(screen().experiment().heads_off, (std::vector<Index>{2}));
  EXPECT_EQ(screen().state().message.text, "head 3: off, its output is 0");
  open_view("flow");
  const std::vector<TextMark> texts = screen().workbench().shown_figure().figure().texts;
  EXPECT_EQ(std::ranges::find(texts, std::string("head_outputs.symbol"), &TextMark::id)->markup, "head, off");
  open_view("heads");
  screen().key('X');
  EXPECT_EQ(screen().experiment().heads_off, (std::vector<Index>{2})) << "no head is chosen there";
  open_view("head");
  screen().key('X');
  screen().settle();
  EXPECT_TRUE(screen().experiment().heads_off.empty());
}

TEST_F(HeadSwitch, XSwitchesTheHeadUnderTheCursor) {
  open_view("heads");
  const std::vector<HeatmapMark>& marks = screen().workbench().shown_figure().figure().heatmaps;
  const auto third = std::ranges::find(marks, std::string("weights.2"), &HeatmapMark::id);
  ASSERT_NE(third, marks.end());
  screen().move(screen().on_screen(third->box.center()));
  screen().settle();
  screen().key('X');
  screen().settle();
  EXPECT_EQ(screen().experiment().heads_off, (std::vector<Index>{2}));
}

TEST_F(MaskBrush, ArrowsMoveTheKeptCell) {
  using platform::KeyPress;
  screen().key('2');
  screen().key(KeyPress::kDown);
  ASSERT_TRUE(screen().state().pinned);
  EXPECT_EQ(screen().state().pinned->tensor, "weights");
  EXPECT_EQ(screen().state().pinned->index, (std::vector<Index>{1, 0, 0}));
  for (const int key :
       {KeyPress::kDown, KeyPress::kDown, KeyPress::kRight, KeyPress::kUp, KeyPress::kLeft, KeyPress::kLeft})
    screen().key(key);
  EXPECT_EQ(screen().state().pinned->index, (std::vector<Index>{1, 1, 0})) << "it stays in the matrix";
  screen().key('M');
  screen().settle();
  EXPECT_FALSE(keeps(1, 0));
}

TEST_F(MaskBrush, ArrowsChooseACellWhereverTheMouseLies) {
  open_view("head");
  screen().move(cell(4, 4));
  screen().settle();
  ASSERT_EQ(screen().state().inspected()->index, (std::vector<Index>{0, 4, 4}));
  screen().key(platform::KeyPress::kDown);
  screen().key(platform::KeyPress::kDown);
  screen().settle();
  EXPECT_EQ(screen().state().inspected()->index, (std::vector<Index>{0, 1, 0}));
  screen().key('M');
  screen().settle();
  EXPECT_FALSE(keeps(1, 0));
  EXPECT_TRUE(keeps(4, 4));
  screen().move(cell(3, 4));
  screen().settle();
  EXPECT_EQ(screen().state().inspected()->index, (std::vector<Index>{0, 3, 4})) << "the mouse points again";
}

TEST_F(MaskBrush, TheDotProductIsThatOfTheKeptPair) {
  open_view("head");
  screen().key('3');
  screen().settle();
  screen().click(cell(4, 1));
  screen().settle();
  const Experiment before = screen().experiment();
  open_view("dot");
  const ViewOptions options = *view_options(screen().experiment().view);
  EXPECT_EQ(options.integer("query"), 5);
  EXPECT_EQ(options.integer("key"), 2);
  EXPECT_EQ(options.integer("head"), 3);
  undo();
  EXPECT_EQ(screen().experiment(), before) << "opening it is one step";
}

class TokenOrder : public Interface {
 protected:
  [[nodiscard]] Point place(Index number) {
    const std::vector<TargetMark>& targets = screen().workbench().shown_figure().figure().targets;
    const auto found =
        std::find_if(targets.begin(), targets.end(), [&](const auto& t) { return t.drag && t.drag->place == number; });
    return screen().on_screen(found->box.center());
  }
  [[nodiscard]] std::string order() { return view_options(screen().experiment().view)->choice("order"); }
};

TEST_F(TokenOrder, ADraggedTokenChangesPlaces) {
  open_view("permutation");
  const ui::Camera before = screen().state().camera;
  screen().drag(place(0), place(3), 4);
  screen().release();
  screen().settle();
  // From "2 1 3 4 5 6".
  EXPECT_EQ(order(), "4 1 3") << "the others follow: 2 5 6";
  EXPECT_EQ(screen().state().camera, before) << "the picture stays";
  undo();
  EXPECT_EQ(order(), "2 1");
  // Beside all tokens nothing happens.
  screen().drag(place(0), {place(0).x + 400, place(0).y}, 4);
  screen().release();
  screen().settle();
  EXPECT_EQ(order(), "2 1");
  EXPECT_FALSE(screen().state().dragged.token);
}

TEST_F(TokenOrder, ButtonsOfferTheUsualOrders) {
  open_view("permutation");
  screen().click_item("Figure", {std::string("Order"), 2, std::string("reversed")});
  screen().settle();
  EXPECT_EQ(order(), "6 5 4 3 2");
}

TEST_F(TokenOrder, ControlArrowsMoveTheTokenOfTheKeptCell) {
  using platform::KeyPress;
  screen().key(KeyPress::kDown);
  screen().key(KeyPress::kDown);
  screen().settle();
  ASSERT_EQ(screen().state().pinned->index, (std::vector<Index>{0, 1, 0}));
  screen().key_with_control(KeyPress::kDown);
  screen().settle();
  EXPECT_EQ(screen().experiment().view.name, "permutation");
  EXPECT_EQ(order(), "1 3");
  screen().key_with_control(KeyPress::kDown);
  screen().settle();
  EXPECT_EQ(order(), "1 3 4");
  screen().key_with_control(KeyPress::kUp);
  screen().settle();
  EXPECT_EQ(order(), "1 3");
  undo();
  undo();
  undo();
  EXPECT_EQ(screen().experiment().view.name, "flow") << "opening the view and moving are one step";
}

TEST_F(TokenOrder, ControlPageKeysGoThroughTheViews) {
  using platform::KeyPress;
  std::vector<std::string> names;
  for (const View& view : views()) {
    if (missing_for(view, screen().trace()).empty()) names.push_back(view.name);
  }
  ASSERT_LT(names.size(), views().size()) << "no view is left out";
  ASSERT_EQ(screen().experiment().view.name, names.front());
  for (std::size_t i = 1; i <= names.size(); ++i) {
    screen().key_with_control(KeyPress::kPageDown);
    screen().settle();
    EXPECT_EQ(screen().experiment().view.name, names[i % names.size()]);
  }
  screen().key_with_control(KeyPress::kPageUp);
  screen().settle();
  EXPECT_EQ(screen().experiment().view.name, names.back());
}

}  // namespace
}  // namespace attnscope::test
