// Where to begin: the offers above the first figure.
#include "interface_test.h"
#include "io/desktop/user_state.h"
#include "io/models/bundled_models.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class StartOffers : public Interface {
 protected:
  void SetUp() override { start_anew(); }
  /// As at the program's start.
  void start_anew() {
    InterfaceOptions options;
    options.user_folder = folder_ / "user";
    options.lessons = find_lessons();
    start(options);
    screen().workbench().offer_beginnings();
    screen().settle();
  }
  void choose(const std::string& offer, const std::string& entry) {
    screen().click_item("Start", {"##" + offer});
    screen().frame(2);
    screen().click_item("##Popup_", {entry});
    screen().settle();
  }
  [[nodiscard]] bool shown() { return screen().is_open("Start"); }

  TemporaryFolder folder_;
};

TEST_F(StartOffers, ASentenceIsReadByAModelThatComesAlong) {
  ASSERT_TRUE(shown());
  choose("Read a sentence", "stories");
  ASSERT_NE(screen().experiment().model, nullptr);
  EXPECT_EQ(screen().experiment().model->name(), "stories");
  EXPECT_FALSE(shown());
  EXPECT_TRUE(screen().is_open("Text"));
}

TEST_F(StartOffers, ASystemOrALessonTakesTheirPlace) {
  const System& last = systems().back();
  choose("Drag the sliders", last.title);
  EXPECT_EQ(screen().experiment().system, last.name);
  EXPECT_FALSE(shown());
  start_anew();
  const std::vector<LessonFile> lessons = find_lessons();
  const Lesson& lesson = **lessons.front().lesson;
  choose("Lessons", lesson.title);
  ASSERT_NE(screen().workbench().session().lesson(), nullptr);
  EXPECT_EQ(screen().workbench().session().lesson()->title, lesson.title);
  EXPECT_FALSE(shown());
}

TEST_F(StartOffers, WhatIsOnesOwnIsAskedFor) {
  choose("Open your own", "Model folder…");
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::open_model);
  screen().key(platform::KeyPress::kEscape);
  screen().settle();
  EXPECT_TRUE(shown()) << "nothing was opened";
}

TEST_F(StartOffers, ClosedTheyStayAwayUntilSomethingNewIsBegun) {
  screen().click_item("Start", {std::string("×##start")});
  screen().frame(2);
  EXPECT_FALSE(shown());
  EXPECT_FALSE(read_user_state(folder_ / "user").state.start_offers);
  start_anew();
  EXPECT_FALSE(shown());
  screen().key_with_control('N');
  screen().settle();
  EXPECT_TRUE(shown());
  start_anew();
  EXPECT_TRUE(shown());
}

TEST_F(StartOffers, BeginningAnewAsksAboutUnsavedEdits) {
  screen().key('X');
  screen().settle();
  ASSERT_TRUE(screen().workbench().session().modified());
  screen().key_with_control('N');
  screen().settle();
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::unsaved);
  screen().click_item("Unsaved edits", {std::string("Don\u2019t save")});
  screen().settle();
  EXPECT_EQ(screen().experiment(), first_experiment());
  EXPECT_FALSE(screen().workbench().session().modified());
}

TEST_F(StartOffers, TheFigureHasTheRestOfTheRoom) {
  const Rect row = screen().window_place("Start");
  const Rect figure = screen().window_place("Figure");
  EXPECT_GE(figure.y, row.bottom());
  EXPECT_LE(figure.y, row.bottom() + 2);
}

}  // namespace
}  // namespace attnscope::test
