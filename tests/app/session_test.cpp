#include "app/session/session.h"

#include <gtest/gtest.h>

#include "core/experiment/mask.h"
#include "core/plan/plan.h"
#include "session_support.h"

namespace attnscope {
namespace {

Action put(const char* tensor, std::vector<Index> index, std::optional<double> value, std::uint64_t gesture = 0) {
  return {SetCell{tensor, std::move(index), value}, gesture};
}

TEST(Session, StartsUnmodifiedAndWithoutHistory) {
  const Session session(example_to_edit(), "a.json");
  EXPECT_EQ(session.experiment(), example_to_edit());
  EXPECT_EQ(session.file(), "a.json");
  EXPECT_FALSE(session.modified());
  EXPECT_FALSE(session.can_undo());
  EXPECT_FALSE(session.can_redo());
}

TEST(Session, AppliesEdits) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply(set("heads", Index{2})));
  ASSERT_TRUE(session.apply(set("temperature", 0.5)));
  ASSERT_TRUE(session.apply(set("scale", std::string("sqrt_head_dim"))));
  ASSERT_TRUE(session.apply(set("mask", *parse_mask("causal"))));
  ASSERT_TRUE(session.apply({SetSeed{7}, 0}));
  ASSERT_TRUE(session.apply({SetLabels{{"a", "b"}}, 0}));
  ASSERT_TRUE(session.apply({SetView{"heads"}, 0}));
  ASSERT_TRUE(session.apply({SetViewOption{"attention", std::string("self")}, 0}));
  const Experiment& e = session.experiment();
  EXPECT_EQ(e.integer("heads"), 2);
  EXPECT_EQ(e.real("temperature"), 0.5);
  EXPECT_EQ(e.choice("scale"), "sqrt_head_dim");
  EXPECT_EQ(e.mask().kind, Mask::Kind::causal);
  EXPECT_EQ(e.seed, 7U);
  EXPECT_EQ(e.labels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(e.integer("tokens"), 2);
  EXPECT_EQ(e.view.name, "heads");
  EXPECT_EQ(std::get<std::string>(e.view.options.at("attention")), "self");
  EXPECT_EQ(undo_all(session), 8);
  EXPECT_EQ(session.experiment(), example_to_edit());
}

TEST(Session, WhatIsRefusedLeavesTheDocument) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply(set("heads", Index{2})));
  ASSERT_TRUE(session.apply(set("heads", Index{3})));
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  const Experiment before = session.experiment();
  const std::vector<Action> refused = {
      set("heads", Index{0}),
      set("heads", 2.0),
      set("no_such", Index{1}),
      set("tokens", Index{1000000000}),
      set("mask", *parse_mask("padding:99")),
      {SetSystem{"no-such-system"}, 0},
      {SetView{"no-such-view"}, 0},
      {SetViewOption{"no_such", Index{1}}, 0},
      {SetViewOption{"head", Index{0}}, 0},
      {SetViewOption{"stage", std::string("no such stage")}, 0},
  };
  for (const Action& action : refused) {
    const Result<void> result = session.apply(action);
    ASSERT_FALSE(result) << "edit " << action.edit.index();
    EXPECT_FALSE(result.error().message.empty());
    EXPECT_EQ(result.error().message.find('\n'), std::string::npos) << result.error().message;
    EXPECT_EQ(session.experiment(), before);
    EXPECT_TRUE(session.can_undo());
    EXPECT_TRUE(session.can_redo());
  }
  EXPECT_EQ(undo_all(session), 1);
}

TEST(Session, KeepsToItsMemoryBudget) {
  const double bytes = cost_of(example_to_edit()).bytes;
  Session session(example_to_edit(), "", bytes);
  const Result<void> larger = session.apply(set("heads", Index{5}));
  ASSERT_FALSE(larger);
  EXPECT_NE(larger.error().message.find("allowed: 0 MB"), std::string::npos) << larger.error().message;
  EXPECT_TRUE(session.apply(set("heads", Index{3})));
}

TEST(Session, AShorterSequenceMustStillFitTheMask) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply(set("mask", *parse_mask("padding:6"))));
  EXPECT_FALSE(session.apply(set("tokens", Index{5})));
  ASSERT_TRUE(session.apply(set("mask", *parse_mask("padding:5"))));
  EXPECT_TRUE(session.apply(set("tokens", Index{5})));
}

TEST(Session, OneGestureIsOneStep) {
  Session session(example_to_edit());
  for (const Index heads : {5, 6, 7, 8}) ASSERT_TRUE(session.apply(set("heads", heads, 1)));
  for (const Index heads : {7, 6}) ASSERT_TRUE(session.apply(set("heads", heads, 2)));
  EXPECT_FALSE(session.apply(set("heads", Index{0}, 2)));
  ASSERT_TRUE(session.apply(set("heads", Index{5}, 2)));
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.experiment().integer("heads"), 8);
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.experiment().integer("heads"), 4);
  EXPECT_FALSE(session.can_undo());
  ASSERT_TRUE(session.apply({Redo{}, 0}));
  ASSERT_TRUE(session.apply({Redo{}, 0}));
  EXPECT_EQ(session.experiment().integer("heads"), 5);
  EXPECT_FALSE(session.can_redo());
}

TEST(Session, EditsWithoutAGestureAreStepsOfTheirOwn) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply(set("heads", Index{5})));
  ASSERT_TRUE(session.apply(set("heads", Index{6})));
  EXPECT_EQ(undo_all(session), 2);
}

TEST(Session, AGestureGoesNotOnBehindAnUndo) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply(set("heads", Index{5}, 1)));
  ASSERT_TRUE(session.apply(set("heads", Index{6}, 2)));
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  ASSERT_TRUE(session.apply(set("heads", Index{7}, 2)));
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.experiment().integer("heads"), 5);
}

TEST(Session, AGestureBackToWhereItBeganLeavesNoStep) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply({SetSeed{1}, 0}));
  for (const Index heads : {5, 6, 5, 4}) ASSERT_TRUE(session.apply(set("heads", heads, 1)));
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.experiment().seed, 42U);
}

TEST(Session, AnEditThatChangesNothingIsNoStep) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply(set("heads", Index{4})));
  ASSERT_TRUE(session.apply({SetSeed{42}, 0}));
  ASSERT_TRUE(session.apply({SetView{"flow"}, 0}));
  EXPECT_FALSE(session.can_undo());
  ASSERT_TRUE(session.apply(set("heads", Index{5})));
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  ASSERT_TRUE(session.apply(set("heads", Index{4})));
  EXPECT_TRUE(session.can_redo()) << "nothing was changed, so there is still something to redo";
}

TEST(Session, AnEditForgetsWhatWasUndone) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply(set("heads", Index{5})));
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_TRUE(session.can_redo());
  ASSERT_TRUE(session.apply(set("heads", Index{6})));
  EXPECT_FALSE(session.can_redo());
}

TEST(Session, UndoAndRedoOfNothingDoNothing) {
  Session session(example_to_edit());
  EXPECT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_TRUE(session.apply({Redo{}, 0}));
  EXPECT_EQ(session.experiment(), example_to_edit());
}

TEST(Session, AnotherSystemKeepsSeedAndView) {
  Experiment e = example_to_edit();
  e.discard = 5;
  Session session(e);
  ASSERT_TRUE(session.apply({SetSeed{7}, 0}));
  ASSERT_TRUE(session.apply({SetView{"heads"}, 0}));
  ASSERT_TRUE(session.apply({SetViewOption{"attention", std::string("self")}, 0}));
  ASSERT_TRUE(session.apply(set("heads", Index{2})));
  ASSERT_TRUE(session.apply({SetSystem{"worked-example"}, 0}));
  Experiment expected = example_to_edit();
  expected.seed = 7;
  expected.view.name = "heads";
  EXPECT_EQ(session.experiment(), expected);
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.experiment().discard, 5U);
  EXPECT_EQ(session.experiment().integer("heads"), 2);
}

TEST(Session, AnotherViewKeepsTheOptionsItShares) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply({SetViewOption{"stage", std::string("single")}, 0}));
  ASSERT_TRUE(session.apply({SetViewOption{"head", Index{3}}, 0}));
  ASSERT_TRUE(session.apply({SetViewOption{"attention", std::string("cross")}, 0}));
  ASSERT_TRUE(session.apply({SetView{"qkv"}, 0}));
  EXPECT_EQ(session.experiment().view.options, (ParameterValues{{"stage", std::string("single")}}));
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  // "cross" is a choice of both views.
  ASSERT_TRUE(session.apply({SetView{"heads"}, 0}));
  EXPECT_EQ(session.experiment().view.options, (ParameterValues{{"attention", std::string("cross")}}));
}

TEST(Session, TheHeadStaysChosenWhereAViewBetweenHasNone) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply({SetViewOption{"head", Index{3}}, 0}));
  ASSERT_TRUE(session.apply({SetView{"scaling"}, 0}));
  EXPECT_TRUE(session.experiment().view.options.empty());
  ASSERT_TRUE(session.apply({SetView{"metrics"}, 0}));
  EXPECT_EQ(session.experiment().view.options, (ParameterValues{{"head", Index{3}}}));
  ASSERT_TRUE(session.apply({SetViewOption{"head", Index{2}}, 0}));
  ASSERT_TRUE(session.apply({SetView{"head"}, 0}));
  EXPECT_EQ(session.experiment().view.options, (ParameterValues{{"head", Index{2}}}));
  // What was undone is chosen no more.
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  ASSERT_TRUE(session.apply({SetView{"lines"}, 0}));
  EXPECT_EQ(session.experiment().view.options, (ParameterValues{{"head", Index{3}}}));
}

TEST(Session, APaintedMaskFollowsTheNumberOfTokens) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply({PaintMask{{0, 0, 2, 5}, false}, 1}));
  ASSERT_TRUE(session.apply({PaintMask{{0, 0, 2, 4}, false}, 1}));
  EXPECT_EQ(mask_text(session.experiment().mask()), "array[6 × 6]");
  EXPECT_EQ(is_kept(session.experiment(), {0, 3, 2, 5}), false) << "for all heads";
  EXPECT_EQ(is_kept(session.experiment(), {0, 0, 5, 2}), true);
  ASSERT_TRUE(session.apply(set("tokens", Index{5})));
  EXPECT_EQ(mask_text(session.experiment().mask()), "array[5 × 5]");
  EXPECT_EQ(is_kept(session.experiment(), {0, 0, 2, 4}), false);
  ASSERT_TRUE(session.apply(set("tokens", Index{9})));
  EXPECT_EQ(mask_text(session.experiment().mask()), "array[9 × 9]");
  EXPECT_EQ(undo_all(session), 3) << "a drag of the brush is one step";
  EXPECT_EQ(session.experiment(), example_to_edit());
}

TEST(Session, HeadsAreSwitchedOffAndOnAgain) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply({SwitchHead{3, false}, 0}));
  ASSERT_TRUE(session.apply({SwitchHead{1, false}, 0}));
  EXPECT_EQ(session.experiment().heads_off, (std::vector<Index>{1, 3}));
  ASSERT_TRUE(session.apply({SwitchHead{1, false}, 0})) << "it is off already";
  ASSERT_TRUE(session.apply(set("heads", Index{3})));
  EXPECT_EQ(session.experiment().heads_off, (std::vector<Index>{1})) << "the other one is gone";
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.experiment().heads_off, (std::vector<Index>{1, 3}));
  ASSERT_TRUE(session.apply({SwitchHead{3, true}, 0}));
  EXPECT_EQ(session.experiment().heads_off, (std::vector<Index>{1}));
  EXPECT_FALSE(session.apply({SwitchHead{4, false}, 0}));
  EXPECT_EQ(undo_all(session), 3);
  ASSERT_TRUE(session.apply({SetSystem{"scaled-dot-product"}, 0}));
  EXPECT_FALSE(session.apply({SwitchHead{0, false}, 0}));
}

TEST(Session, ASentenceSaysHowManyTokensThereAre) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply({PaintMask{{0, 0, 5, 5}, false}, 0}));
  ASSERT_TRUE(session.apply(put("x", {5, 1}, 2.0)));
  const Experiment before = session.experiment();
  // As it is typed, word by word.
  std::vector<std::string> words;
  for (const char* word : {"one", "two", "three", "four", "five", "six", "seven"}) {
    words.emplace_back(word);
    ASSERT_TRUE(session.apply({SetLabels{words}, 9}));
    EXPECT_EQ(session.experiment().integer("tokens"), static_cast<Index>(words.size()));
  }
  EXPECT_EQ(mask_text(session.experiment().mask()), "array[7 × 7]");
  EXPECT_EQ(is_kept(session.experiment(), {0, 0, 5, 5}), false) << "what was painted is there again";
  EXPECT_EQ(session.experiment().edits, before.edits);
  ASSERT_TRUE(session.apply({SetLabels{{}}, 9}));
  EXPECT_EQ(session.experiment().integer("tokens"), 6) << "without words there are as many as before";
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.experiment(), before);
  // Pixels are not counted by words.
  Session pixels(*default_experiment("packed-multihead"));
  ASSERT_TRUE(pixels.apply({SetLabels{{"a"}}, 0}));
  EXPECT_EQ(pixels.experiment().labels.size(), 1U);
}

TEST(Session, TheHistoryHasAnEnd) {
  Session session(example_to_edit());
  for (std::uint64_t seed = 1000; seed < 1600; ++seed) ASSERT_TRUE(session.apply({SetSeed{seed}, 0}));
  const int steps = undo_all(session);
  EXPECT_EQ(steps, 500);
  EXPECT_EQ(session.experiment().seed, 1099U) << "the oldest steps are the ones forgotten";
  for (int i = 0; i < steps; ++i) ASSERT_TRUE(session.apply({Redo{}, 0}));
  EXPECT_EQ(session.experiment().seed, 1599U);
  EXPECT_FALSE(session.can_redo());
}

TEST(Session, NumbersArePutByHandAndTakenBack) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply(put("x", {0, 1}, 2.0, 5)));
  ASSERT_TRUE(session.apply(put("x", {0, 1}, 3.0, 5)));
  ASSERT_TRUE(session.apply(put("w_q", {0, 0, 0}, -1.0)));
  EXPECT_EQ(session.experiment().edits, (std::vector<CellEdit>{{"x", {0, 1}, 3.0}, {"w_q", {0, 0, 0}, -1.0}}));
  ASSERT_TRUE(session.apply(put("x", {0, 1}, std::nullopt)));
  EXPECT_EQ(session.experiment().edits, (std::vector<CellEdit>{{"w_q", {0, 0, 0}, -1.0}}));
  EXPECT_EQ(undo_all(session), 3) << "a drag is one step";
  EXPECT_EQ(session.experiment(), example_to_edit());
  const Result<void> computed = session.apply(put("scores", {0, 0, 0}, 1.0));
  ASSERT_FALSE(computed);
  EXPECT_EQ(session.experiment(), example_to_edit());
}

TEST(Session, APictureIsOneStepAndGoesWithTheOtherSystemsOfPixels) {
  Experiment experiment = *default_experiment("conv-attention");
  Session session(experiment);
  const ColorPicture picture = {1, 2, {230, 90, 40, 20, 60, 160}};
  ASSERT_FALSE(session.apply(set("picture", std::string("file")))) << "there is none yet";
  ASSERT_TRUE(session.apply({SetPicture{picture}, 0}));
  EXPECT_EQ(session.experiment().picture, picture);
  EXPECT_EQ(session.experiment().choice("picture"), "file");
  ASSERT_TRUE(session.apply(set("picture", std::string("shapes"))));
  ASSERT_TRUE(session.apply(set("picture", std::string("file")))) << "it is kept";
  ASSERT_TRUE(session.apply({SetSystem{"packed-multihead"}, 0}));
  EXPECT_EQ(session.experiment().picture, picture);
  EXPECT_EQ(session.experiment().choice("picture"), "file");
  ASSERT_TRUE(session.apply({SetSystem{"worked-example"}, 0}));
  EXPECT_TRUE(session.experiment().picture.empty());
  const Experiment before = session.experiment();
  const Result<void> refused = session.apply({SetPicture{picture}, 0});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.starts_with("picture: worked-example has no picture; allowed with "));
  EXPECT_EQ(session.experiment(), before);
  EXPECT_EQ(undo_all(session), 5);
  EXPECT_EQ(session.experiment(), experiment);
}

TEST(Session, NumbersWithoutAPlaceGoAndComeBackWithUndo) {
  Session session(example_to_edit());
  ASSERT_TRUE(session.apply(put("x", {5, 0}, 2.0)));
  ASSERT_TRUE(session.apply(put("x", {1, 0}, 3.0)));
  ASSERT_TRUE(session.apply(set("tokens", Index{4})));
  EXPECT_EQ(session.experiment().edits, (std::vector<CellEdit>{{"x", {1, 0}, 3.0}}));
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.experiment().edits.size(), 2U);
  // What is refused anyway takes nothing with it.
  EXPECT_FALSE(session.apply(set("tokens", Index{-1})));
  EXPECT_EQ(session.experiment().edits.size(), 2U);
}

}  // namespace
}  // namespace attnscope
