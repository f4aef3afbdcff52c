// The computation of a query played in the window.
#include <imgui_internal.h>

#include <algorithm>

#include "figure/slices/moments.h"
#include "interface_test.h"
#include "io/desktop/user_state.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class Playing : public Interface {
 protected:
  /// The moment on screen; 0: all of the computation.
  [[nodiscard]] Index moment() { return chosen_moment(screen().trace().experiment().view.options); }

  /// Frames until so many seconds have passed.
  void pass(double seconds) {
    for (const double end = ImGui::GetTime() + seconds; ImGui::GetTime() < end;) screen().frame();
  }

  [[nodiscard]] Index count() {
    const ViewChoice& choice = screen().experiment().view;
    return find_view(choice.name)->moments(screen().trace(), view_options(choice)->values);
  }
};

TEST_F(Playing, PresentedWithoutALessonTheAttentionIsAllThatIsShown) {
  const auto shown = [&] {
    std::vector<std::string> ids;
    for (const HeatmapMark& mark : screen().workbench().shown_figure().figure().heatmaps) ids.push_back(mark.id);
    return ids;
  };
  screen().key_with_shift(kF11);
  screen().settle();
  const std::vector<std::string> whole = shown();
  screen().key('.');
  screen().settle();
  EXPECT_EQ(shown(), (std::vector<std::string>{"attend.q", "attend.k.transposed", "scores", "weights", "attend.v",
                                               "head_outputs"}));
  screen().key(kEscape);
  screen().settle();
  EXPECT_EQ(shown(), whole);
}

TEST_F(Playing, SpaceStartsAndPausesAndEscapeShowsAllOfIt) {
  EXPECT_EQ(moment(), 0);
  screen().key(' ');
  screen().frame(2);
  EXPECT_EQ(moment(), 1);
  EXPECT_TRUE(screen().workbench().shown_figure().playback().due_in());
  // Two moments a second.
  pass(1.2);
  EXPECT_EQ(moment(), 3);
  screen().key(' ');
  pass(2);
  EXPECT_EQ(moment(), 3);
  EXPECT_FALSE(screen().workbench().shown_figure().playback().due_in());
  screen().key(' ');
  pass(0.7);
  EXPECT_EQ(moment(), 4);
  screen().key(kEscape);
  screen().settle();
  EXPECT_EQ(moment(), 0);
  EXPECT_FALSE(screen().workbench().session().can_undo());
  EXPECT_FALSE(screen().workbench().session().modified());
}

TEST_F(Playing, AViewThatOpensInTheSameFrameHasNothingToPlay) {
  ASSERT_GT(count(), 0);
  for (const int key : {static_cast<int>(' '), static_cast<int>('.')}) {
    open_view("flow");
    screen().workbench().press({platform::KeyPress::kPageDown, true, false});
    screen().workbench().press({key, false, false});
    screen().settle();
    EXPECT_EQ(screen().experiment().view.name, "qkv");
    EXPECT_TRUE(view_options(screen().trace().experiment().view)) << "it has no option for moments";
  }
}

TEST_F(Playing, EndsAtTheLastMomentAndStartsAgainFromThere) {
  screen().key(' ');
  pass(0.5 * static_cast<double>(count()) + 1);
  EXPECT_EQ(moment(), count());
  EXPECT_FALSE(screen().workbench().shown_figure().playback().due_in());
  screen().key(' ');
  screen().frame(2);
  EXPECT_EQ(moment(), 1);
}

TEST_F(Playing, ArrowsGoThroughTheMomentsOnceItPlays) {
  screen().key(kRight);
  screen().settle();
  EXPECT_EQ(moment(), 0);
  screen().key(' ');
  screen().frame(2);
  screen().key(kRight);
  screen().settle();
  EXPECT_EQ(moment(), 2);
  EXPECT_FALSE(screen().workbench().shown_figure().playback().due_in());
  screen().key(kLeft);
  screen().settle();
  EXPECT_EQ(moment(), 1);
}

TEST_F(Playing, KeysAndScrubberGoToAMoment) {
  screen().key('.');
  screen().key('.');
  screen().settle();
  EXPECT_EQ(moment(), 2);
  screen().key(',');
  screen().settle();
  EXPECT_EQ(moment(), 1);
  const ImGuiID scrubber = OffscreenInterface::id("Figure", {std::string("##moment")});
  const Rect place = screen().item("Figure", {std::string("##moment")});
  EXPECT_NE(scrubber, 0U);
  screen().click(across(place, 0.98));
  screen().settle();
  EXPECT_EQ(moment(), count());
  screen().click_item("Figure", {std::string("Whole")});
  screen().settle();
  EXPECT_EQ(moment(), 0);
}

TEST_F(Playing, PlaysTheQueryOfThePinnedCell) {
  screen().state().pinned = ui::NamedCell{"weights", {0, 3, 1}};
  screen().settle();
  screen().key(' ');
  screen().settle();
  EXPECT_EQ(std::get<Index>(screen().experiment().view.options.at("query")), 4);
}

TEST_F(Playing, AnotherViewEndsIt) {
  screen().key(' ');
  screen().frame(2);
  EXPECT_EQ(moment(), 1);
  open_view("heads");
  EXPECT_EQ(moment(), 0);
  EXPECT_FALSE(screen().workbench().shown_figure().playback().due_in());
  screen().key(' ');
  screen().settle();
  EXPECT_EQ(moment(), 0);
  EXPECT_NE(screen().state().message.text.find("nothing to play"), std::string::npos);
  open_view("dot");
  screen().key(' ');
  screen().settle();
  EXPECT_EQ(moment(), 1);
}

TEST_F(Playing, ALessonThatOpensAnotherViewEndsIt) {
  InterfaceOptions options;
  const std::vector<LessonFile> lessons = lessons_in(ATTNSCOPE_SOURCE_DIR "/assets/lessons");
  options.lessons = lessons;
  // Its numbers are computed in the frame that opens it.
  const auto other = std::find_if(lessons.begin(), lessons.end(), [](const LessonFile& file) {
    const Experiment& first = (*file.lesson)->steps.front().experiment;
    return first.view.name != "flow" && first.view.name != "dot" && first.model == nullptr;
  });
  ASSERT_NE(other, lessons.end());
  start(options);
  screen().key(' ');
  screen().frame(2);
  EXPECT_EQ(moment(), 1);
  screen().click_item("##MainMenuBar", {std::string("##menubar"), std::string("Lessons")});
  screen().click_item("##Menu_00", {(*other->lesson)->title});
  screen().settle();
  EXPECT_EQ(moment(), 0);
  EXPECT_EQ(screen().experiment().view.name, (*other->lesson)->steps.front().experiment.view.name);
}

TEST_F(Playing, ASliderMovedWhileItPlaysKeepsAMomentThatThereIs) {
  screen().key(' ');
  pass(0.5 * static_cast<double>(count()) + 1);
  const Index last = count();
  const Rect slider = screen().slider(parameter("tokens").label);
  screen().drag(across(slider, 0.5), across(slider, 0.01), 3);
  screen().release();
  screen().settle();
  ASSERT_LT(count(), last);
  EXPECT_LE(moment(), last);
  screen().key(',');
  screen().settle();
  EXPECT_LT(moment(), count() + 1);
}

TEST_F(Playing, WhatIsExportedHasTheMoment) {
  screen().key('.');
  screen().key('.');
  screen().settle();
  EXPECT_EQ(screen().workbench().shown_figure().target().title, "worked-example: from X to the output");
  EXPECT_NE(std::find_if(screen().workbench().shown_figure().target().texts.begin(),
                         screen().workbench().shown_figure().target().texts.end(),
                         [](const TextMark& text) { return text.markup.starts_with("2 of "); }),
            screen().workbench().shown_figure().target().texts.end());
}

TEST_F(Playing, ThePaceIsChosenAndRemembered) {
  const TemporaryFolder folder;
  InterfaceOptions options;
  options.user_folder = folder.path();
  start(options);
  screen().key('.');
  screen().settle();
  const Rect pace = screen().item("Figure", {std::string("##pace")});
  screen().click(across(pace, 0.98));
  screen().settle();
  EXPECT_GT(read_user_state(folder.path()).state.pace, 15);
  screen().key(' ');
  const Index before = moment();
  pass(0.5);
  EXPECT_GT(moment(), before + 6);
}

}  // namespace
}  // namespace attnscope::test
