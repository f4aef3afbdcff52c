// The translations that come with attnscope say what the lessons say: every step, every number, every name of a cell.

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "io/experiments/lesson_file.h"

namespace attnscope::test {
namespace {

const std::vector<LessonFile>& bundled_lessons() {
  static const std::vector<LessonFile> files = lessons_in(ATTNSCOPE_SOURCE_DIR "/assets/lessons");
  return files;
}

/// Those that match, and the text without them.
std::multiset<std::string> take_all(std::string& text, const std::regex& wanted) {
  std::multiset<std::string> found;
  for (std::sregex_iterator each(text.begin(), text.end(), wanted), end; each != end; ++each) found.insert(each->str());
  text = std::regex_replace(text, wanted, " ");
  return found;
}

/// What no translation changes.
struct Fixed {
  explicit Fixed(std::string text) {
    static const std::regex cell(R"([a-z_0-9.]+\[[0-9,]+\])");
    static const std::regex thousand(R"(([0-9]),(?=[0-9]{3}(?:[^0-9]|$)))");
    static const std::regex number(R"((?:−)?[0-9]+(?:\.[0-9]+)?)");
    questions = std::count(text.begin(), text.end(), '?');
    paragraphs = 1;
    for (std::size_t at = text.find("\n\n"); at != std::string::npos; at = text.find("\n\n", at + 2)) ++paragraphs;
    cells = take_all(text, cell);
    // "65,536" is a number that other languages write in another way.
    text = std::regex_replace(text, thousand, "$1");
    numbers = take_all(text, number);
  }

  std::multiset<std::string> cells;
  std::multiset<std::string> numbers;
  std::ptrdiff_t questions = 0;
  int paragraphs = 0;
};

void expect_same(const std::string& translated, const std::string& english, const std::string& where) {
  const Fixed one(translated);
  const Fixed other(english);
  EXPECT_EQ(one.cells, other.cells) << where;
  EXPECT_EQ(one.numbers, other.numbers) << where;
  EXPECT_EQ(one.questions, other.questions) << where;
  EXPECT_EQ(one.paragraphs, other.paragraphs) << where;
}

class Translations : public testing::TestWithParam<const char*> {};

TEST_P(Translations, HaveEveryLesson) {
  ASSERT_FALSE(bundled_lessons().empty());
  for (const LessonFile& file : bundled_lessons()) {
    ASSERT_TRUE(file.lesson) << file.lesson.error().message;
    for (const LessonTranslation& each : (*file.lesson)->translations)
      EXPECT_TRUE(each.texts) << each.texts.error().message;
    EXPECT_NE(texts_in(**file.lesson, GetParam()), nullptr) << file.name;
  }
}

TEST_P(Translations, HaveTheNumbersCellsAndQuestionsOfTheLessons) {
  for (const LessonFile& file : bundled_lessons()) {
    const Lesson& lesson = **file.lesson;
    const LessonTexts* texts = texts_in(lesson, GetParam());
    ASSERT_NE(texts, nullptr) << file.name;
    expect_same(texts->title, lesson.title, file.name);
    expect_same(texts->summary, lesson.summary, file.name);
    ASSERT_EQ(texts->steps.size(), lesson.steps.size());
    for (std::size_t i = 0; i < texts->steps.size(); ++i) {
      const std::string where = std::string(GetParam()) + ", " + file.name + ", step " + std::to_string(i + 1);
      expect_same(texts->steps[i].title, lesson.steps[i].title, where + ", title");
      expect_same(texts->steps[i].text, lesson.steps[i].text, where + ", text");
      expect_same(texts->steps[i].look, lesson.steps[i].look, where + ", look");
    }
  }
}

TEST_P(Translations, AreInTheLanguage) {
  // A step that was forgotten would be there in English.
  for (const LessonFile& file : bundled_lessons()) {
    const LessonTexts* texts = texts_in(**file.lesson, GetParam());
    ASSERT_NE(texts, nullptr) << file.name;
    for (std::size_t i = 0; i < texts->steps.size(); ++i) {
      EXPECT_NE(texts->steps[i].text, (*file.lesson)->steps[i].text) << file.name << ", step " << i + 1;
      EXPECT_NE(texts->steps[i].look, (*file.lesson)->steps[i].look) << file.name << ", step " << i + 1;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bundled, Translations, testing::Values("de", "es"));

TEST(TranslationsCheck, FindsWhatDiffers) {
  EXPECT_EQ(Fixed("weights[0,1] = 0.25, um 65536").numbers, Fixed("weights[0,1] = 0.25, by 65,536").numbers);
  EXPECT_NE(Fixed("weights[0,1] = 0.25").numbers, Fixed("weights[0,1] = 0.26").numbers);
  EXPECT_NE(Fixed("weights[0,1] = −0.25").numbers, Fixed("weights[0,1] = 0.25").numbers);
  EXPECT_NE(Fixed("weights[0,1] = 0,25").numbers, Fixed("weights[0,1] = 0.25").numbers);
  EXPECT_NE(Fixed("weights[0,1]").cells, Fixed("weights[1,0]").cells);
  EXPECT_NE(Fixed("a\n\nb").paragraphs, Fixed("a b").paragraphs);
}

}  // namespace
}  // namespace attnscope::test
