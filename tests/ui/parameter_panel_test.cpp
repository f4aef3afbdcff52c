// The left side: sliders, typing, seed, mask, labels.
#include <algorithm>
#include <cmath>

#include "core/plan/validate.h"
#include "interface_test.h"
#include "io/experiments/experiment_file.h"

namespace attnscope::test {
namespace {

double number(const Experiment& experiment, const Parameter& parameter) {
  return parameter.kind == Parameter::Kind::integer ? static_cast<double>(experiment.integer(parameter.name))
                                                    : experiment.real(parameter.name);
}

bool showing(OffscreenInterface& screen) { return screen.trace().experiment() == screen.experiment(); }

class Slider : public Interface, public ::testing::WithParamInterface<const char*> {};

// Inside the slider's ends and away from its value: the knob is 14 pixels wide.
constexpr double kLow = 0.15;
constexpr double kHigh = 0.85;

TEST_P(Slider, DraggingItChangesItsParameterAndThePictureFollows) {
  const Parameter& moved = parameter(GetParam());
  const Rect slider = screen().slider(moved.label);
  screen().settle();
  const Experiment before = screen().experiment();
  const platform::Image picture_before = screen().picture();

  // Taken hold of where the value is not, and moved on without letting go.
  screen().drag(across(slider, kLow), across(slider, kHigh));
  Experiment expected = before;
  expected.parameters[moved.name] = screen().experiment().parameters.at(moved.name);
  EXPECT_EQ(screen().experiment(), expected) << "something else changed too";
  const double share =
      (number(screen().experiment(), moved) - moved.slider_minimum) / (moved.slider_maximum - moved.slider_minimum);
  EXPECT_NE(screen().experiment(), before);
  if (moved.slider_minimum <= 0 || moved.kind == Parameter::Kind::integer) {
    EXPECT_NEAR(share, kHigh, 0.1);
  }

  // The picture is that of the new value while the button is still down.
  screen().settle();
  EXPECT_TRUE(showing(screen()));
  EXPECT_EQ(screen().trace().experiment().parameters.at(moved.name), expected.parameters.at(moved.name));
  EXPECT_TRUE(ImGui::IsMouseDown(0));
  EXPECT_GT(different_pixels(picture_before, screen().picture(), screen().picture_place()), 500);

  screen().release();
  undo();
  EXPECT_EQ(screen().experiment(), before) << "one drag is one step";
  EXPECT_FALSE(screen().workbench().session().can_undo());
  screen().move({-100, -100});
  screen().settle();
  EXPECT_EQ(different_pixels(picture_before, screen().picture(), screen().picture_place()), 0);
  redo();
  EXPECT_EQ(screen().experiment(), expected);
}

TEST_P(Slider, EveryStepOfADragIsShownWithinAFewFrames) {
  const Parameter& moved = parameter(GetParam());
  const Rect slider = screen().slider(moved.label);
  screen().drag(across(slider, kLow), across(slider, kLow), 1);
  int seen = 0;
  for (double share = kLow; share < kHigh; share += 0.1) {
    screen().move(across(slider, share));
    // The worker may take its time; once it is done, the next frame shows what it made.
    for (int wait = 0; screen().workbench().busy() && wait < 100000; ++wait) screen().frame();
    screen().frame(2);
    ASSERT_TRUE(showing(screen())) << "at " << share;
    seen += screen().workbench().session().can_undo() ? 1 : 0;
  }
  EXPECT_GE(seen, 7);
  screen().release();
  undo();
  EXPECT_FALSE(screen().workbench().session().can_undo());
}

TEST_P(Slider, ReachesBothEnds) {
  const Parameter& moved = parameter(GetParam());
  const Rect slider = screen().slider(moved.label);
  screen().drag(across(slider, 0.5), across(slider, -0.5));
  screen().release();
  screen().settle();
  EXPECT_DOUBLE_EQ(number(screen().experiment(), moved), moved.slider_minimum);
  screen().drag(across(slider, 0.5), across(slider, 1.5));
  screen().release();
  screen().settle();
  EXPECT_DOUBLE_EQ(number(screen().experiment(), moved), moved.slider_maximum);
}

TEST_P(Slider, ADragGivesTheDigitsThatAreShown) {
  const Parameter& moved = parameter(GetParam());
  const Rect slider = screen().slider(moved.label);
  screen().drag(across(slider, 0.3), across(slider, 0.617), 3);
  screen().release();
  const double value = number(screen().experiment(), moved);
  const double unit = moved.kind == Parameter::Kind::integer ? 1 : 0.01;
  EXPECT_EQ(value, std::round(value / unit) / std::round(1 / unit));
}

INSTANTIATE_TEST_SUITE_P(Parameters, Slider,
                         ::testing::Values("tokens", "features", "head_dim", "heads", "cross_queries", "temperature",
                                           "dropout"),
                         [](const auto& each) { return std::string(each.param); });

class Typing : public Interface {
 protected:
  /// Ctrl+click on the slider, the text, nothing more.
  void begin(const std::string& name, std::string_view text) {
    screen().control_click(screen().slider(parameter(name).label).center());
    screen().retype(text);
  }

  void enter(const std::string& name, std::string_view text) {
    begin(name, text);
    screen().key(kEnter);
    screen().settle();
  }

  [[nodiscard]] const std::string& message() { return screen().state().message.text; }
};

TEST_F(Typing, GoesBeyondTheSlider) {
  const Experiment before = screen().experiment();
  enter("tokens", "40");
  EXPECT_EQ(screen().experiment().integer("tokens"), 40);
  EXPECT_EQ(screen().trace().tensor("x").size(0), 40);
  undo();
  EXPECT_EQ(screen().experiment(), before);
}

TEST_F(Typing, CountsWhenItEnds) {
  begin("tokens", "40");
  EXPECT_EQ(screen().experiment().integer("tokens"), 6) << "4 was never meant";
  screen().key(kEnter);
  EXPECT_EQ(screen().experiment().integer("tokens"), 40);
}

TEST_F(Typing, CountsWhenAnotherControlIsTakenHoldOf) {
  const Rect above = screen().slider(parameter("tokens").label);
  const Rect below = screen().slider(parameter("cross_queries").label);
  begin("heads", "12");
  screen().click(across(below, 0.5));
  EXPECT_EQ(screen().experiment().integer("heads"), 12);
  begin("heads", "13");
  screen().click(across(above, 0.5));
  EXPECT_EQ(screen().experiment().integer("heads"), 13);
}

TEST_F(Typing, IsAStepOfItsOwnBesideTheDragThatEndsIt) {
  const Rect above = screen().slider(parameter("tokens").label);
  const Index tokens = screen().experiment().integer("tokens");
  begin("heads", "13");
  screen().drag(across(above, 0.5), across(above, 0.8), 4);
  EXPECT_EQ(screen().experiment().integer("heads"), 13);
  screen().release();
  EXPECT_EQ(screen().experiment().integer("heads"), 13);
  EXPECT_GT(screen().experiment().integer("tokens"), tokens);
}

TEST_F(Typing, EscapeLeavesTheValueAlone) {
  const Experiment before = screen().experiment();
  begin("tokens", "40");
  screen().key(kEscape);
  screen().settle();
  EXPECT_EQ(screen().experiment(), before);
  EXPECT_FALSE(screen().workbench().session().can_undo());
}

TEST_F(Typing, BackToTheOldValueChangesNothing) {
  const Experiment before = screen().experiment();
  begin("tokens", "4");
  screen().key(kBackspace);
  screen().type("6");
  screen().key(kEnter);
  screen().settle();
  EXPECT_EQ(screen().experiment(), before);
}

TEST_F(Typing, KeepsEveryDigit) {
  enter("dropout", "0.0625");
  EXPECT_EQ(screen().experiment().real("dropout"), 0.0625);
  enter("temperature", "0.125");
  EXPECT_EQ(screen().experiment().real("temperature"), 0.125);
}

TEST_F(Typing, IsNotTakenForShortcuts) {
  screen().resize(1000, 800);  // so high that nothing is scrolled away
  screen().settle();
  screen().click_item("Parameters", {std::string("##labels")});
  screen().retype("if 3 ?");
  EXPECT_EQ(screen().experiment().labels, (std::vector<std::string>{"if", "3", "?"}));
  EXPECT_TRUE(screen().experiment().view.options.empty()) << "3 chose a head";
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::none);
  EXPECT_TRUE(screen().is_open("Inspector"));
}

struct Refused {
  const char* parameter;
  const char* text;
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.parameter << " " << refused.text; }

class Refusal : public Typing, public ::testing::WithParamInterface<Refused> {};

TEST_P(Refusal, KeepsTheDocumentAndSaysWhy) {
  const Experiment before = screen().experiment();
  const platform::Image picture = screen().picture();
  enter(GetParam().parameter, GetParam().text);
  EXPECT_EQ(screen().experiment(), before);
  EXPECT_FALSE(screen().workbench().session().can_undo());
  EXPECT_TRUE(screen().state().message.is_error);
  EXPECT_FALSE(message().empty());
  EXPECT_EQ(message().find('\n'), std::string::npos);
  screen().move({-100, -100});
  EXPECT_EQ(different_pixels(picture, screen().picture(), screen().picture_place()), 0);
}

INSTANTIATE_TEST_SUITE_P(Values, Refusal,
                         ::testing::Values(Refused{"tokens", "0"}, Refused{"tokens", "-3"},
                                           Refused{"tokens", "2147483648"}, Refused{"features", "0"},
                                           Refused{"heads", "0"}, Refused{"head_dim", "-1"},
                                           Refused{"cross_queries", "-1"}, Refused{"temperature", "0"},
                                           Refused{"temperature", "-1"}, Refused{"dropout", "1.5"},
                                           Refused{"dropout", "-0.1"},
                                           // more memory than allowed
                                           Refused{"tokens", "200000000"}));

TEST_F(Typing, AMessageNamesWhatWasTypedAndTheLimit) {
  enter("tokens", "0");
  EXPECT_NE(message().find("tokens"), std::string::npos) << message();
  EXPECT_NE(message().find("0"), std::string::npos) << message();
  enter("tokens", "99999999999999999999");
  EXPECT_NE(message().find("tokens"), std::string::npos) << message();
  EXPECT_EQ(message().find('-'), std::string::npos) << "it was positive: " << message();
  EXPECT_EQ(screen().experiment().integer("tokens"), 6);
}

class Panel : public Interface {};

TEST_F(Panel, RerollTakesAnotherSeedAndNothingElse) {
  const Experiment before = screen().experiment();
  const platform::Image picture = screen().picture();
  // One seed in ten thousand is the old one.
  for (int i = 0; i < 3 && screen().experiment().seed == before.seed; ++i) {
    screen().click_item("Parameters", {std::string("↻##new seed")});
    screen().settle();
  }
  Experiment expected = before;
  expected.seed = screen().experiment().seed;
  EXPECT_NE(expected.seed, before.seed);
  EXPECT_EQ(screen().experiment(), expected);
  EXPECT_EQ(screen().trace().experiment().seed, expected.seed);
  EXPECT_GT(different_pixels(picture, screen().picture(), screen().picture_place()), 500);
  undo();
  EXPECT_EQ(screen().experiment(), before);
}

TEST_F(Panel, SeedIsTyped) {
  screen().click_item("Parameters", {std::string("##seed")});
  screen().retype("18446744073709551615");
  screen().key(kEnter);
  screen().settle();
  EXPECT_EQ(screen().experiment().seed, 18446744073709551615U);
  undo();
  EXPECT_EQ(screen().experiment().seed, 42U);
}

TEST_F(Panel, MaskIsChosenFromTheList) {
  const Experiment before = screen().experiment();
  const std::string label = parameter("mask").label;
  screen().click_item("Parameters", {label, std::string("##choice")});
  screen().click_item("##Combo_00", {std::string("causal")});
  screen().settle();
  EXPECT_EQ(screen().experiment().mask().kind, Mask::Kind::causal);
  // No query attends to a later key.
  const Tensor& weights = screen().trace().tensor("weights");
  const MatrixView first_head = weights.matrix(std::vector<Index>{0});
  EXPECT_LT(first_head.at(0, 1), 1e-30F);
  EXPECT_GT(first_head.at(5, 0), 0.0F);
  undo();
  EXPECT_EQ(screen().experiment(), before);
}

TEST_F(Panel, AWindowMaskHasASliderOfItsOwn) {
  screen().click_item("Parameters", {parameter("mask").label, std::string("##choice")});
  screen().click_item("##Combo_00", {std::string("window")});
  screen().settle();
  const Rect radius = screen().slider("Window radius");
  screen().drag(across(radius, 0.1), across(radius, 0.6));
  screen().release();
  screen().settle();
  EXPECT_EQ(screen().experiment().mask().kind, Mask::Kind::window);
  EXPECT_EQ(screen().experiment().mask().radius, 3);
  EXPECT_EQ(screen().trace().experiment().mask(), screen().experiment().mask());
}

TEST_F(Panel, AMaskThatFitsNoMoreIsRefusedOrFollows) {
  screen().click_item("Parameters", {parameter("mask").label, std::string("##choice")});
  screen().click_item("##Combo_00", {std::string("padding")});
  screen().settle();
  ASSERT_EQ(screen().experiment().mask().lengths, std::vector<Index>{5});
  const Rect tokens = screen().slider(parameter("tokens").label);
  screen().drag(across(tokens, 0.5), across(tokens, 0));
  screen().release();
  screen().settle();
  // Whatever was made of it can be computed, and is what is shown.
  EXPECT_TRUE(validate(screen().experiment()));
  EXPECT_TRUE(showing(screen()));
}

TEST_F(Panel, ASentenceBecomesTheTokens) {
  const Experiment before = screen().experiment();
  screen().resize(1000, 800);  // so high that nothing is scrolled away
  screen().settle();
  screen().click_item("Parameters", {std::string("##labels")});
  screen().retype("one two three");
  screen().key(kEnter);
  screen().settle();
  EXPECT_EQ(screen().experiment().labels, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_EQ(screen().trace().find("weights")->axes.back().size, 3);
  const auto& heatmaps = screen().workbench().shown_figure().figure().heatmaps;
  const auto labelled =
      std::find_if(heatmaps.begin(), heatmaps.end(), [](const auto& mark) { return !mark.row_labels.empty(); });
  ASSERT_NE(labelled, heatmaps.end());
  EXPECT_EQ(labelled->row_labels.front(), "one");
  EXPECT_EQ(labelled->row_labels.back(), "three");
  undo();
  EXPECT_EQ(screen().experiment(), before) << "one typing is one step";
}

TEST_F(Panel, LabelsThatNoFileCanHoldAreRefused) {
  screen().set_drawn(false);
  screen().resize(1000, 800);  // so high that nothing is scrolled away
  screen().settle();
  screen().click_item("Parameters", {std::string("##labels")});
  screen().retype(std::string(300, 'a'));
  screen().key(kEnter);
  screen().settle();
  EXPECT_EQ(screen().experiment().labels, std::vector<std::string>{std::string(256, 'a')});
  EXPECT_TRUE(screen().state().message.is_error);
  EXPECT_TRUE(parse_experiment(experiment_json(screen().experiment()), "typed"));
}

TEST_F(Panel, UndoAndRedoWalkThroughManySteps) {
  std::vector<Experiment> steps = {screen().experiment()};
  for (const char* name : {"tokens", "features", "head_dim", "heads"}) {
    const Rect slider = screen().slider(parameter(name).label);
    screen().drag(across(slider, 0.2), across(slider, 0.9), 3);
    screen().release();
    screen().settle();
    steps.push_back(screen().experiment());
  }
  for (std::size_t i = steps.size() - 1; i-- > 0;) {
    undo();
    EXPECT_EQ(screen().experiment(), steps[i]);
    EXPECT_TRUE(showing(screen()));
  }
  undo();
  EXPECT_EQ(screen().experiment(), steps.front());
  for (std::size_t i = 1; i < steps.size(); ++i) {
    redo();
    EXPECT_EQ(screen().experiment(), steps[i]);
    EXPECT_TRUE(showing(screen()));
  }
  redo();
  EXPECT_EQ(screen().experiment(), steps.back());
}

}  // namespace
}  // namespace attnscope::test
