// Lessons that do not come along, opened by the user.
#include <regex>

#include "interface_test.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class OwnLessons : public Interface {
 protected:
  TemporaryFolder folder_;
};

TEST_F(OwnLessons, OpenLikeAnyFile) {
  const std::string step = R"("text": "t", "look": "l", "cell": "weights[0,1]",
      "experiment": {"format": "attnscope-experiment/1", "system": "scaled-dot-product"})";
  const std::filesystem::path path =
      folder_.file("own.json", R"({"format": "attnscope-lesson/1", "title": "Own", "source": "a class", "summary": "s",
      "steps": [{"title": "one", )" +
                                   step + R"(}, {"title": "two", )" + step + "}]}");
  screen().workbench().open_files({path.string()});
  screen().settle();
  const Lesson* lesson = screen().workbench().session().lesson();
  ASSERT_NE(lesson, nullptr) << screen().state().message.text;
  EXPECT_EQ(lesson->title, "Own");
  EXPECT_EQ(screen().experiment().system, "scaled-dot-product");
  EXPECT_EQ(screen().state().pinned, (ui::NamedCell{"weights", {0, 1}}));
  EXPECT_FALSE(screen().state().message.is_error);
  EXPECT_EQ(screen().workbench().session().file(), "") << "the experiment is not saved over the lesson";
}

TEST_F(OwnLessons, AnEditedLessonIsAskedAboutFirst) {
  const auto file = [&](const std::string& title) {
    const std::string text =
        R"({"format": "attnscope-lesson/1", "title": "TITLE", "source": "s", "summary": "s", "steps":
      [{"title": "one", "text": "t", "look": "l", "experiment": {"format": "attnscope-experiment/1",
      "system": "worked-example"}}]})";
    return folder_.file(title + ".json", std::regex_replace(text, std::regex("TITLE"), title)).string();
  };
  screen().workbench().open_files({file("first")});
  screen().settle();
  change_tokens();
  screen().workbench().open_files({file("second")});
  screen().settle();
  ASSERT_EQ(screen().state().dialog.open, ui::Dialog::unsaved);
  EXPECT_EQ(screen().state().message.text.find("second"), std::string::npos) << "it is not open yet";
  screen().click_item("Unsaved edits", {std::string("Cancel")});
  screen().settle();
  EXPECT_EQ(screen().workbench().session().lesson()->title, "first");
  screen().workbench().open_files({file("second")});
  screen().settle();
  screen().click_item("Unsaved edits", {std::string("Don’t save")});
  screen().settle();
  EXPECT_EQ(screen().workbench().session().lesson()->title, "second");
  EXPECT_NE(screen().state().message.text.find("opened"), std::string::npos) << screen().state().message.text;
}

TEST_F(OwnLessons, AWrongOneIsRefusedWithItsFieldAndTheDocumentStays) {
  const Experiment before = screen().experiment();
  screen().workbench().open_files(
      {folder_.file("own.json", R"({"format": "attnscope-lesson/1", "titel": "x"})").string()});
  screen().settle();
  EXPECT_EQ(screen().workbench().session().lesson(), nullptr);
  EXPECT_EQ(screen().experiment(), before);
  EXPECT_NE(screen().state().message.text.find("\"titel\""), std::string::npos) << screen().state().message.text;
}

}  // namespace
}  // namespace attnscope::test
