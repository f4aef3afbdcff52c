// Lessons in other languages, chosen in the menu.
#include "interface_test.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

constexpr const char* kGerman = "Deutsch##de";

class LessonLanguage : public Interface {
 protected:
  void SetUp() override { start_with(lessons_in(ATTNSCOPE_SOURCE_DIR "/assets/lessons")); }

  void start_with(std::vector<LessonFile> lessons) {
    lessons_ = std::move(lessons);
    InterfaceOptions options;
    options.width = 1280;
    options.height = 800;
    options.lessons = lessons_;
    options.user_folder = folder_.path();
    start(options);
  }

  void open_menu(const std::string& item) {
    screen().click_item("##MainMenuBar", {std::string("##menubar"), std::string("Lessons")});
    screen().click_item("##Menu_00", {item});
    screen().settle();
  }
  void choose_language(const std::string& item) {
    open_menu("Language");
    screen().click_item("##Menu_01", {item});
    screen().settle();
  }

  [[nodiscard]] const Lesson& english(std::size_t number) const { return **lessons_[number].lesson; }
  [[nodiscard]] const LessonTexts& german(std::size_t number) const { return *texts_in(english(number), "de"); }
  [[nodiscard]] const Session& session() { return screen().workbench().session(); }

  TemporaryFolder folder_;
  std::vector<LessonFile> lessons_;
};

TEST_F(LessonLanguage, IsEnglishUntilAnotherIsChosen) {
  open_menu(english(1).title);
  EXPECT_EQ(screen().workbench().window_title(), english(1).title + " — attnscope");
  EXPECT_EQ(screen().workbench().lesson().shown()->steps[0].text, english(1).steps[0].text);
}

TEST_F(LessonLanguage, ChangesTheTextsAndNothingElse) {
  open_menu(english(1).title);
  screen().key(kRight);
  screen().settle();
  const std::uint64_t revision = session().revision();
  const platform::Image before = screen().picture();
  choose_language(kGerman);
  EXPECT_EQ(session().revision(), revision) << "the document is the same";
  EXPECT_EQ(session().lesson_step(), 1U);
  EXPECT_FALSE(session().away_from_lesson());
  EXPECT_EQ(screen().workbench().lesson().shown()->steps[1].text, german(1).steps[1].text);
  EXPECT_EQ(screen().workbench().window_title(), german(1).title + " — attnscope");
  EXPECT_GT(different_pixels(before, screen().picture(), screen().window_place("Lesson")), 100);
  screen().key(kRight);
  screen().settle();
  EXPECT_EQ(session().lesson_step(), 2U) << "the keys still go through the steps";
  choose_language("English##en");
  EXPECT_EQ(screen().workbench().lesson().shown()->steps[2].text, english(1).steps[2].text);
  EXPECT_EQ(session().lesson_step(), 2U);
}

TEST_F(LessonLanguage, IsThatOfTheMenuAndRemembered) {
  choose_language(kGerman);
  open_menu(german(2).title);
  EXPECT_EQ(session().lesson(), lessons_[2].lesson->get());
  start_with(lessons_);
  open_menu(german(3).title);
  EXPECT_EQ(screen().workbench().lesson().shown()->title, german(3).title);
}

TEST_F(LessonLanguage, ALessonWithoutATranslationStaysInEnglish) {
  auto own = std::make_shared<Lesson>(english(13));
  own->translations.clear();
  lessons_[13].lesson = std::shared_ptr<const Lesson>(own);
  start_with(lessons_);
  choose_language(kGerman);
  open_menu(own->title);
  EXPECT_EQ(screen().workbench().lesson().shown()->steps[0].text, own->steps[0].text);
}

TEST_F(LessonLanguage, AFileThatCannotBeReadIsNamedAndCannotBeChosen) {
  std::vector<LessonFile> lessons = lessons_;
  auto own = std::make_shared<Lesson>(english(13));
  own->translations = {{"de", "de", "translations/de.json", fail("translations/de.json: nonsense")}};
  lessons = {{"own", std::shared_ptr<const Lesson>(own)}};
  start_with(lessons);
  open_menu("Language");
  ASSERT_TRUE(screen().is_open("##Menu_01"));
  const Rect menu = screen().window_place("##Menu_01");
  screen().click({menu.x + 30, menu.y + menu.height * 3 / 4});
  screen().settle();
  EXPECT_FALSE(read_user_state(folder_.path()).state.language == "de");
  screen().key(kEscape);
  screen().key(kEscape);
  open_menu(own->title);
  EXPECT_EQ(screen().workbench().lesson().shown()->steps[0].text, own->steps[0].text);
}

TEST_F(LessonLanguage, TheAnimationOfALessonIsInIt) {
  choose_language(kGerman);
  open_menu(german(13).title);
  screen().click_item("##MainMenuBar", {std::string("##menubar"), std::string("File")});
  screen().click_item("##Menu_00", {std::string("Export animation…")});
  screen().state().animation_settings.lesson = true;
  screen().settle();
  const Animation* animation = screen().workbench().animation_export().animation();
  ASSERT_NE(animation, nullptr);
  EXPECT_NE(animation->note(0).text.find(german(13).steps[0].text), std::string::npos);
}

}  // namespace
}  // namespace attnscope::test
