// Arrows of vectors with two dimensions follow the mouse, and the attention follows them.
#include <algorithm>

#include "interface_test.h"

namespace attnscope::test {
namespace {

class Arrows : public Interface {
 protected:
  void SetUp() override {
    InterfaceOptions options;
    options.experiment = *default_experiment("scaled-dot-product");
    options.experiment->view.name = "vectors";
    start(options);
    screen().settle();
  }

  [[nodiscard]] const TargetMark& target(const std::string& id) {
    const std::vector<TargetMark>& targets = screen().workbench().shown_figure().figure().targets;
    return *std::find_if(targets.begin(), targets.end(), [&](const TargetMark& each) { return each.id == id; });
  }
  [[nodiscard]] Point tip(const std::string& id) { return screen().on_screen(target(id).box.center()); }

  [[nodiscard]] double number(const std::string& tensor, std::vector<Index> index) {
    return static_cast<double>(screen().trace().tensor(tensor).at(index));
  }
};

TEST_F(Arrows, ADraggedTipChangesItsNumbersAndTheAttention) {
  for (const auto& [id, tensor] : {std::pair("q.2", "q"), {"k.2", "k"}, {"v.0", "v"}}) {
    SCOPED_TRACE(id);
    const Experiment before = screen().experiment();
    const ui::Camera camera = screen().state().camera;
    const Index row = id[2] - '0';
    const double x = number(tensor, {row, 0});
    const double y = number(tensor, {row, 1});
    const double output = number("head_outputs", {2, 0});
    const double unit = target(id).moves->unit * screen().transform().scale;
    const Point from = tip(id);
    screen().drag(from, {from.x - 30, from.y - 18}, 5);
    screen().settle();
    EXPECT_NE(number("head_outputs", {2, 0}), output) << "it follows before the button is up";
    screen().release();
    screen().settle();
    EXPECT_NEAR(number(tensor, {row, 0}), x - 30 / unit, 1 / unit);
    EXPECT_NEAR(number(tensor, {row, 1}), y + 18 / unit, 1 / unit) << "up is positive";
    EXPECT_EQ(screen().state().camera, camera) << "the picture stays";
    EXPECT_EQ(screen().experiment().edits.size(), before.edits.size() + 2);
    undo();
    EXPECT_EQ(screen().experiment(), before) << "a drag is one step";
    redo();
  }
}

TEST_F(Arrows, EscapeRestoresTheNumbers) {
  const Point first = tip("k.1");
  screen().drag(first, {first.x + 20, first.y + 20}, 3);
  screen().release();
  screen().settle();
  const Experiment before = screen().experiment();
  ASSERT_EQ(before.edits.size(), 2U);
  // One arrow with edited numbers, one without.
  for (const char* const id : {"k.1", "q.0"}) {
    const Point from = tip(id);
    screen().drag(from, {from.x + 40, from.y - 10}, 4);
    screen().settle();
    ASSERT_NE(screen().experiment(), before);
    screen().key(platform::KeyPress::kEscape);
    screen().settle();
    EXPECT_EQ(screen().experiment(), before) << id;
    screen().move({from.x + 60, from.y});
    screen().settle();
    EXPECT_EQ(screen().experiment(), before) << "until the button is up";
    screen().release();
    screen().settle();
    EXPECT_EQ(screen().experiment(), before);
  }
  undo();
  EXPECT_TRUE(screen().experiment().edits.empty()) << "what was given up is no step";
}

TEST_F(Arrows, AClickChoosesAndPinsWithoutEdits) {
  screen().click(tip("k.2"));
  screen().settle();
  EXPECT_TRUE(screen().experiment().edits.empty());
  EXPECT_EQ(screen().experiment().view.options.at("key"), ParameterValue{Index{3}});
  EXPECT_EQ(screen().state().pinned->tensor, "k");
  EXPECT_EQ(screen().state().pinned->index, (std::vector<Index>{2, 0}));
}

TEST_F(Arrows, OfComputedNumbersStay) {
  Experiment computed = *default_experiment("worked-example");
  ASSERT_TRUE(set_parameter_text(computed, "head_dim", "2"));
  computed.view.name = "vectors";
  InterfaceOptions options;
  options.experiment = computed;
  start(options);
  screen().settle();
  const Point from = tip("k.2");
  screen().drag(from, {from.x - 30, from.y + 20}, 4);
  screen().release();
  screen().settle();
  EXPECT_EQ(screen().experiment(), computed);
}

}  // namespace
}  // namespace attnscope::test
