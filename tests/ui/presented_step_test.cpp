// What a step of a lesson speaks of, and how large it is shown.
#include "ui/parts/presented_step.h"

#include <gtest/gtest.h>

namespace attnscope::test {
namespace {

TEST(PresentedStep, SpeaksOfTheTensorsThatItQuotesThatOfItsCellFirst) {
  LessonStep step;
  step.text = "It gets weights[0,1] = 0.5, the other weights[0,2]; see layer2.cross_weights[0,1] and [1, 2].";
  step.look = "The first number of v[0,0].";
  step.cell = LessonCell{"out", {0, 0}};
  EXPECT_EQ(ui::tensors_of_step(step), (std::vector<std::string>{"out", "weights", "layer2.cross_weights", "v"}));
  step.look = "Q, K and V below W_Q, not “X”.";
  step.text = "";
  step.cell = LessonCell{"single.q", {0, 0}};
  EXPECT_EQ(ui::tensors_of_step(step), (std::vector<std::string>{"single.q", "single.k", "single.v"}));
  step.look = "Where Q comes from, X and K and V.";
  step.cell = LessonCell{"layer2.cross_weights", {0, 0}};
  EXPECT_EQ(ui::tensors_of_step(step),
            (std::vector<std::string>{"layer2.cross_weights", "x", "layer2.cross_q", "layer2.k", "layer2.v"}));
  step.look = "Q from X₂, K from X, not “X₂” or X₂₃.";
  step.cell = LessonCell{"cross_q", {0, 0}};
  EXPECT_EQ(ui::tensors_of_step(step), (std::vector<std::string>{"cross_q", "x", "x2", "k"}));
  step.look = "The upper half of each head in every layer.";
  EXPECT_EQ(ui::tensors_of_step(step), std::vector<std::string>()) << "all are lit";
  step.look = "“X₂” alone.";
  EXPECT_EQ(ui::tensors_of_step(step), std::vector<std::string>{"cross_q"});
  step.look = "The first number of v[0,0].";
  step.cell.reset();
  step.text = "No number, no [brackets].";
  EXPECT_EQ(ui::tensors_of_step(step), std::vector<std::string>{"v"});
}

TEST(PresentedStep, HasTheControlsThatItTellsToUse) {
  LessonStep step;
  step.experiment = *default_experiment("worked-example");
  const auto controls_for = [&](const char* look) {
    step.look = look;
    return ui::beside_step(step).controls;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(controls_for("Drag Temperature slowly from 0.1 to 10."), Names{"temperature"});
  EXPECT_EQ(controls_for("The weights. Set the mask to none, and they come back."), Names{"mask"});
  EXPECT_EQ(controls_for("Set Window radius to 2."), Names{"mask"});
  EXPECT_EQ(controls_for("Try other numbers of tokens or heads, or another seed."), (Names{"tokens", "heads", "seed"}));
  EXPECT_EQ(controls_for("Drag Cross-attention queries from 1 to 8."), Names{"cross_queries"});
  EXPECT_EQ(controls_for("Switch Scaling between none and √d_k."), Names{"scale"});
  EXPECT_EQ(controls_for("Change the first word of Labels."), Names{"labels"});
  EXPECT_EQ(controls_for("The mask hides tokens. Temperature and the seed of all heads."), Names{});
  EXPECT_EQ(controls_for("Heads: dragged tokens settle."), Names{});
  EXPECT_EQ(controls_for(""), Names{});
  EXPECT_EQ(controls_for("Switch head 2 off."), Names{});  // no model
  step.experiment = *default_experiment("hand-made-heads");
  EXPECT_EQ(controls_for("Drag Window radius and watch the last head."), Names{"radius"});
  step.experiment.system = "transformer";
  EXPECT_EQ(controls_for("Switch one of the two on again in Interventions."), Names{"interventions"});
  EXPECT_EQ(controls_for("The row. Then switch head 2 of layer 1 off, and look again."), Names{"interventions"});
  EXPECT_EQ(controls_for("Nothing is switched off. Switch Layer between 1 and 2."), Names{});
}

TEST(PresentedStep, SaysWhetherItTellsOfTheText) {
  LessonStep step;
  step.experiment = *default_experiment("worked-example");
  const auto tells = [&](const char* look) {
    step.look = look;
    return ui::beside_step(step).text;
  };
  EXPECT_TRUE(tells("The row. Change “dogs” to “dog” in the text: does the head still look there?"));
  EXPECT_TRUE(tells("Type a longer phrase."));
  EXPECT_FALSE(tells("Both texts. Choose another head and watch the text."));
  EXPECT_FALSE(tells("The types of heads."));
}

TEST(PresentedStep, SaysWhetherItTellsOfOptions) {
  LessonStep step;
  step.experiment = *default_experiment("worked-example");
  const auto tells = [&](const char* view, const char* look) {
    step.look = look;
    step.experiment.view.name = view;
    return ui::beside_step(step).options;
  };
  EXPECT_TRUE(tells("head", "One diagonal. Choose another head: does it know its place as well?"));
  EXPECT_TRUE(tells("dot", "Click another bar, or choose other words with Query and Key above the figure."));
  EXPECT_FALSE(tells("heads", "Choose another head."));  // that view shows all
  EXPECT_FALSE(tells("head", "The weights while you drag Head dimension."));
  EXPECT_FALSE(tells("head", "Change the text, and see whether the head follows."));
  EXPECT_FALSE(tells("head", "Drag Window radius and watch the last head of layer 1."));
  EXPECT_FALSE(tells("head", "The first head."));
  step.experiment.system = "projected-multihead";
  EXPECT_TRUE(tells("heads", "Switch Batch item between 1 and 2."));
  EXPECT_TRUE(ui::beside_step(step).controls.empty());  // not the size of the batch
  step.experiment.system = "transformer";
  EXPECT_FALSE(tells("head", "Switch head 2 of layer 1 off."));
}

TEST(PresentedStep, SaysWhetherItSpeaksOfTheInspector) {
  LessonStep step;
  const auto speaks = [&](const char* look) {
    step.look = look;
    return ui::beside_step(step).inspector;
  };
  EXPECT_TRUE(speaks("The inspector: 32 products."));
  EXPECT_TRUE(speaks("Two bright columns. Inspector, right."));
  EXPECT_FALSE(speaks("Inspectors are elsewhere."));
  EXPECT_FALSE(speaks(""));
}

TEST(PresentedStep, GrowsWithTheWindowAndNeverGetsSmaller) {
  const double least = ui::presenting_size(1280, 720);
  EXPECT_DOUBLE_EQ(least * TypeSize::kSmall, ui::kPresentedLetters);
  EXPECT_EQ(ui::presenting_size(800, 600), least);
  EXPECT_EQ(ui::presenting_size(1920, 720), least);
  EXPECT_DOUBLE_EQ(ui::presenting_size(1920, 1080), 1.5 * least);
}

}  // namespace
}  // namespace attnscope::test
