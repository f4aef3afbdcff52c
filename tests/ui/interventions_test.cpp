// Interventions on a trained model in the window: X, the list below the model, the text to patch from.
#include "interface_test.h"
#include "io/models/model_texts.h"

namespace attnscope::test {
namespace {

const std::filesystem::path kBundled = std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models";

using Kind = Intervention::Kind;

class Interventions : public Interface {
 protected:
  void open(const std::string& name) {
    Result<Experiment> experiment = experiment_of_model(kBundled / name);
    ASSERT_TRUE(experiment) << experiment.error().message;
    InterfaceOptions options;
    options.experiment = std::move(*experiment);
    start(options);
    screen().settle();
  }

  [[nodiscard]] const std::vector<Intervention>& all() { return screen().experiment().interventions; }

  void choose(const ItemPath& list, const std::string& item) {
    screen().click_item("Parameters", list);
    screen().frame(2);
    screen().click_item("##Combo_00", {item});
    screen().settle();
  }

  void press(const std::string& button) {
    screen().click_item("Parameters", {button});
    screen().settle();
  }
};

TEST_F(Interventions, XSwitchesOffTheHeadThatThePinnedWeightIsOf) {
  open("stories");
  screen().state().pinned = ui::NamedCell{"layer2.weights", {3, 4, 1}};
  screen().frame(2);
  screen().key('X');
  screen().settle();
  EXPECT_EQ(all(), (std::vector<Intervention>{{"layer2.head_outputs", 3, {}, Kind::off}}));
  EXPECT_EQ(screen().trace().tensor("layer2.changed_head_outputs").at(std::vector<Index>{3, 4, 1}), 0.0F);
  EXPECT_EQ(screen().state().message.text, "Layer 2, head 4: off");
  screen().key('X');
  screen().settle();
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(screen().state().message.text, "Layer 2, head 4: on again");
  undo();
  EXPECT_EQ(screen().state().message.text, "") << "no longer so";
  EXPECT_EQ(all().size(), 1U);
  undo();
  EXPECT_TRUE(all().empty());
}

TEST_F(Interventions, MMasksTheScoreThatThePinnedWeightIsMadeFrom) {
  open("stories");
  screen().state().pinned = ui::NamedCell{"layer2.weights", {3, 4, 1}};
  screen().frame(2);
  screen().key('M');
  screen().settle();
  EXPECT_EQ(all(), (std::vector<Intervention>{{"layer2.scores", 3, 4, Kind::masked, 1}}));
  EXPECT_EQ(screen().trace().tensor("layer2.weights").at(std::vector<Index>{3, 4, 1}), 0.0F);
  EXPECT_EQ(screen().state().message.text, "Layer 2, head 4, query 5, key 2: masked");
  choose({0, std::string("is"), std::string("##choice")}, "remove");
  EXPECT_TRUE(all().empty());
  undo();
  screen().key('M');
  screen().settle();
  EXPECT_TRUE(all().empty()) << "a second time, it is unmasked";
  screen().state().pinned = ui::NamedCell{"layer2.weights", {3, 4, 7}};
  screen().frame(2);
  screen().key('M');
  EXPECT_EQ(screen().state().message.text,
            "Layer 2, head 4, query 5, key 8: masked already, by the model or for every query");
  EXPECT_TRUE(all().empty());
  screen().state().pinned = ui::NamedCell{"layer2.head_outputs", {3, 4, 1}};
  screen().frame(2);
  screen().key('M');
  EXPECT_EQ(screen().state().message.text, "M masks a query–key pair: point at a score or a weight first");
}

TEST_F(Interventions, AWeightOfTheModelIsEditedInTheInspector) {
  open("stories");
  open_view("next");
  const ui::NamedCell cell = {"layer2.w_qkv", {3, 4}};
  screen().state().pinned = cell;
  screen().settle();
  const float stored = screen().trace().tensor(cell.tensor).at(cell.index);
  const Rect number = screen().item("Inspector", {std::string("##number")});
  screen().drag(number.center(), {number.center().x + 60, number.center().y});
  screen().release();
  screen().settle();
  ASSERT_EQ(screen().experiment().edits.size(), 1U);
  const float edited = screen().trace().tensor(cell.tensor).at(cell.index);
  EXPECT_GT(edited, stored);
  EXPECT_EQ(static_cast<double>(edited), static_cast<double>(static_cast<float>(screen().experiment().edits[0].value)));
  screen().click_item("Inspector", {std::string("stored value")});
  screen().settle();
  EXPECT_TRUE(screen().experiment().edits.empty());
  EXPECT_EQ(screen().trace().tensor(cell.tensor).at(cell.index), stored);
}

TEST_F(Interventions, XSwitchesOffTheHeadThatAViewShows) {
  open("stories");
  open_view("head");
  screen().key('X');
  screen().settle();
  ASSERT_EQ(all().size(), 1U);
  EXPECT_EQ(part_name(all()[0]), "layer1.head1");
}

TEST_F(Interventions, TheButtonsActOnTheHeadThatAViewShows) {
  InterfaceOptions options;
  options.experiment =
      experiment_of_model(std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/models/stories").value();
  options.experiment->view = {"head", {{"layer", Index{3}}, {"head", Index{2}}}};
  start(options);
  screen().settle();
  press("Off##add");
  EXPECT_EQ(all(), (std::vector<Intervention>{{"layer3.head_outputs", 1, {}, Kind::off}}));
  choose({std::string("Part"), std::string("##choice")}, "MLP");
  press("Mean##add");
  EXPECT_EQ(all().back(), (Intervention{"layer3.mlp_out", {}, {}, Kind::mean})) << "until the view shows another one";
}

TEST_F(Interventions, XSaysWhatItNeeds) {
  open("stories");
  open_view("next");
  screen().state().pinned.reset();
  screen().key('X');
  screen().settle();
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(screen().state().message.text, "X switches a head off: point at its weights, or open it, first");
}

TEST_F(Interventions, AreAddedChangedAndRemovedInTheirList) {
  open("stories");
  choose({std::string("Layer"), std::string("##choice")}, "Layer 3");
  choose({std::string("Part"), std::string("##choice")}, "MLP");
  press("Mean##add");
  EXPECT_EQ(all(), (std::vector<Intervention>{{"layer3.mlp_out", {}, {}, Kind::mean}}));
  const ItemPath in_list = {0, std::string("Layer 3, MLP"), std::string("##choice")};
  choose(in_list, "off");
  EXPECT_EQ(all(), (std::vector<Intervention>{{"layer3.mlp_out", {}, {}, Kind::off}}));
  choose(in_list, "remove");
  EXPECT_TRUE(all().empty());
  undo();
  undo();
  EXPECT_EQ(all(), (std::vector<Intervention>{{"layer3.mlp_out", {}, {}, Kind::mean}}));
}

TEST_F(Interventions, WhatIsPatchedHasATextOfItsOwn) {
  open("stories");
  EXPECT_FALSE(screen().is_open("Text/tokens_3"));
  const std::string text = screen().experiment().text.text;
  press("Patched##add");
  ASSERT_EQ(all().size(), 1U);
  EXPECT_EQ(all()[0].kind, Kind::patched);
  EXPECT_EQ(screen().experiment().patch_text.text, text) << "at first it changes nothing";
  screen().click_item("Text", {3, std::string("##text")});
  screen().frame(2);
  screen().key_with_control('A');
  screen().retype("the dogs run");
  screen().settle();
  EXPECT_EQ(screen().experiment().patch_text.text, "the dogs run");
  EXPECT_EQ(screen().experiment().text.text, text);
  EXPECT_EQ(screen().trace().find("patch.token_ids")->axes[0].size, 3);
}

TEST_F(Interventions, APictureHasNoOtherTextToPatchFrom) {
  open("digits");
  press("Off##add");
  ASSERT_EQ(all().size(), 1U);
  EXPECT_EQ(all()[0].kind, Kind::off);
  EXPECT_THROW(press("Patched##add"), std::exception);
}

}  // namespace
}  // namespace attnscope::test
