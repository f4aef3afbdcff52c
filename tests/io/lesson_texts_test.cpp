// Files of translated texts: valid ones, and invalid ones, each of which is one change to the valid file with the expected
// message.

#include "io/experiments/lesson_texts.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "io/experiments/lesson_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

using nlohmann::ordered_json;

/// A lesson of two steps.
std::string short_lesson() {
  return R"({"format": "attnscope-lesson/1", "title": "T", "source": "S", "summary": "Sum", "steps": [
    {"title": "one", "text": "first", "look": "here", "cell": "weights[0,1]",
     "experiment": {"format": "attnscope-experiment/1", "system": "scaled-dot-product"}},
    {"title": "two", "text": "second", "look": "there",
     "experiment": {"format": "attnscope-experiment/1", "system": "scaled-dot-product"}}]})";
}

ordered_json right_texts() {
  return ordered_json::parse(
      R"({"format": "attnscope-lesson-texts/1", "language": "de", "name": "Deutsch", "lessons": {
    "hot": {"title": "Heiß", "summary": "Zwei Schritte", "steps": [
      {"title": "eins", "text": "erstens", "look": "hier"}, {"title": "zwei", "text": "zweitens", "look": "dort"}]}}})");
}

/// The valid file with `raw` (JSON, or what should be) in place of the value at `pointer`.
std::string texts_with(const std::string& pointer, const std::string& raw) {
  ordered_json document = right_texts();
  document[ordered_json::json_pointer(pointer)] = "@";
  std::string text = document.dump();
  return text.replace(text.find("\"@\""), 3, raw);
}

std::string texts_without(const std::string& pointer) {
  ordered_json document = right_texts();
  const ordered_json::json_pointer whole(pointer);
  document[whole.parent_pointer()].erase(whole.back());
  return document.dump();
}

class TranslatedFolder : public testing::Test {
 protected:
  void write(const std::string& texts, const std::string& name = "de.json") {
    std::filesystem::create_directories(folder_ / "translations");
    folder_.file("hot.json", short_lesson());
    folder_.file("translations/" + name, texts);
  }

  /// What is wrong with the only translation of the lesson.
  std::string trouble(const std::string& texts, const std::string& name = "de.json") {
    write(texts, name);
    const Result<Lesson> lesson = read_lesson(folder_ / "hot.json");
    if (!lesson) return "the lesson itself: " + lesson.error().message;
    if (lesson->translations.size() != 1) return std::to_string(lesson->translations.size()) + " translations";
    const Result<LessonTexts>& read = lesson->translations[0].texts;
    return read ? "" : read.error().message;
  }

  TemporaryFolder folder_;
};

TEST_F(TranslatedFolder, HasTheTextsAndNothingElse) {
  write(right_texts().dump());
  const Result<Lesson> lesson = read_lesson(folder_ / "hot.json");
  ASSERT_TRUE(lesson) << lesson.error().message;
  ASSERT_EQ(lesson->translations.size(), 1U);
  EXPECT_EQ(lesson->translations[0].language, "de");
  EXPECT_EQ(lesson->translations[0].name, "Deutsch");
  EXPECT_EQ(lesson->title, "T");
  const auto english = std::make_shared<const Lesson>(*lesson);
  EXPECT_EQ(in_language(english, "es"), english) << "there is none";
  EXPECT_EQ(in_language(english, "en"), english);
  const std::shared_ptr<const Lesson> german = in_language(english, "de");
  EXPECT_EQ(german->title, "Heiß");
  EXPECT_EQ(german->summary, "Zwei Schritte");
  EXPECT_EQ(german->source, "S");
  ASSERT_EQ(german->steps.size(), 2U);
  EXPECT_EQ(german->steps[0].title, "eins");
  EXPECT_EQ(german->steps[1].text, "zweitens");
  EXPECT_EQ(german->steps[1].look, "dort");
  EXPECT_EQ(german->steps[0].experiment, english->steps[0].experiment);
  EXPECT_EQ(german->steps[0].cell->tensor, "weights");
}

TEST_F(TranslatedFolder, MayHaveTheWordsAroundTheTexts) {
  EXPECT_EQ(place_text(LessonWords{}, 1, 8), "step 2 of 8");
  for (const bool has_words : {false, true}) {
    write(has_words ? texts_with("/words", R"({"look": "SCHAU HIN", "place": "Schritt {} von {}."})")
                    : right_texts().dump());
    const Result<Lesson> lesson = read_lesson(folder_ / "hot.json");
    ASSERT_TRUE(lesson) << lesson.error().message;
    const std::shared_ptr<const Lesson> german = in_language(std::make_shared<const Lesson>(*lesson), "de");
    EXPECT_EQ(german->words.look, has_words ? "SCHAU HIN" : "LOOK AT");
    EXPECT_EQ(place_text(german->words, 0, 12), has_words ? "Schritt 1 von 12." : "step 1 of 12");
  }
}

TEST_F(TranslatedFolder, BelongsToTheMenuAsWell) {
  write(right_texts().dump());
  folder_.file("cold.json", short_lesson());
  const std::vector<LessonFile> files = lessons_in(folder_.path());
  ASSERT_EQ(files.size(), 2U) << "the folder of translations is no lesson";
  EXPECT_EQ(files[0].name, "cold");
  EXPECT_TRUE((*files[0].lesson)->translations.empty());
  EXPECT_NE(texts_in(**files[1].lesson, "de"), nullptr);
  EXPECT_EQ(texts_in(**files[1].lesson, "es"), nullptr);
}

TEST_F(TranslatedFolder, AWrongFileLeavesTheLessonAsItWasWritten) {
  EXPECT_NE(trouble("{"), "");
  const auto lesson = std::make_shared<const Lesson>(*read_lesson(folder_ / "hot.json"));
  EXPECT_EQ(lesson->translations[0].name, "de");
  EXPECT_EQ(in_language(lesson, "de"), lesson);
}

TEST_F(TranslatedFolder, HasAsManyStepsAsTheLesson) {
  const std::string steps = R"([{"title": "eins", "text": "erstens", "look": "hier"}])";
  const std::string message = trouble(texts_with("/lessons/hot/steps", steps));
  EXPECT_NE(message.find("translations/de.json: lessons: \"hot\": steps: there are 1, but the lesson has 2"),
            std::string::npos)
      << message;
  EXPECT_TRUE(is_one_line(message));
}

TEST_F(TranslatedFolder, HasOnlyLessonsThatAreThere) {
  ordered_json document = right_texts();
  document["lessons"]["hott"] = document["lessons"]["hot"];
  const std::string message = trouble(document.dump());
  EXPECT_NE(message.find("translations/de.json: lessons: \"hott\": there is no such lesson; did you mean hot?"),
            std::string::npos)
      << message;
  document["lessons"].erase("hott");
  document["lessons"]["../hot\n"] = document["lessons"]["hot"];
  EXPECT_TRUE(is_one_line(trouble(document.dump())));
}

TEST_F(TranslatedFolder, IsCalledLikeItsLanguage) {
  const std::string message = trouble(right_texts().dump(), "fr.json");
  EXPECT_NE(message.find("translations/fr.json: language: \"de\" is not allowed; allowed: \"fr\""), std::string::npos)
      << message;
  std::filesystem::remove(folder_ / "translations/fr.json");
  EXPECT_TRUE(is_one_line(trouble(right_texts().dump(), "\xff\n.json")));
}

TEST_F(TranslatedFolder, ReadsALessonOfTheCurrentFolder) {
  write(right_texts().dump());
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const Result<Lesson> lesson = read_lesson("hot.json");
  std::filesystem::current_path(before);
  ASSERT_TRUE(lesson);
  EXPECT_NE(texts_in(*lesson, "de"), nullptr);
}

struct WrongTexts {
  const char* what;
  std::string text;
  std::vector<std::string> fragments;  ///< of the message
};

void PrintTo(const WrongTexts& wrong, std::ostream* out) { *out << wrong.what; }

class WrongLessonTexts : public testing::TestWithParam<WrongTexts> {};

TEST_P(WrongLessonTexts, AreRefusedInOneLine) {
  const Result<TranslatedLessons> texts = parse_lesson_texts(GetParam().text, "de.json");
  ASSERT_FALSE(texts);
  EXPECT_TRUE(is_one_line(texts.error().message));
  EXPECT_TRUE(texts.error().message.starts_with("de.json: ")) << texts.error().message;
  for (const std::string& fragment : GetParam().fragments)
    EXPECT_NE(texts.error().message.find(fragment), std::string::npos) << texts.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Files, WrongLessonTexts,
    testing::Values(
        WrongTexts{"empty", "", {"empty", "attnscope-lesson-texts/1"}},
        WrongTexts{"no JSON", "hello", {"line 1, column 1"}}, WrongTexts{"a list", "[]", {"an empty list"}},
        WrongTexts{"half", right_texts().dump().substr(0, 150), {"column"}},
        WrongTexts{"no UTF-8", texts_with("/name", "\"Espa\xf1ol\""), {"line 1, column"}},
        WrongTexts{"a lesson", short_lesson(), {"format", "attnscope-lesson/1", "attnscope-lesson-texts/1"}},
        WrongTexts{"no format", texts_without("/format"), {"format is missing"}},
        WrongTexts{"unknown key", texts_with("/nam", "1"), {"\"nam\"", "did you mean name"}},
        WrongTexts{"a key twice", texts_with("/name", R"("Deutsch", "name": "Deutsch")"), {"\"name\""}},
        WrongTexts{"a lesson twice", texts_with("/lessons", R"({"hot": {}, "hot": {}})"), {"\"hot\""}},
        WrongTexts{"no language", texts_without("/language"), {"language is missing"}},
        WrongTexts{"English", texts_with("/language", "\"en\""), {"language: \"en\"", "pt-BR"}},
        WrongTexts{"a language that is a path", texts_with("/language", "\"../de\""), {"language: \"../de\""}},
        WrongTexts{"a long language", texts_with("/language", "\"" + std::string(21, 'd') + "\""), {"language"}},
        WrongTexts{"a language as number", texts_with("/language", "1"), {"language: 1"}},
        WrongTexts{"no name", texts_without("/name"), {"name is missing"}},
        WrongTexts{"words as text", texts_with("/words", "\"x\""), {"words: \"x\"", "an object"}},
        WrongTexts{"unknown word", texts_with("/words", R"({"see": "x"})"), {"words: ", "\"see\""}},
        WrongTexts{"no place", texts_with("/words", R"({"look": "x"})"), {"words: place is missing"}},
        WrongTexts{"no numbers", texts_with("/words", R"({"look": "x", "place": "{} of"})"), {"place", "{} twice"}},
        WrongTexts{"a third number", texts_with("/words", R"({"look": "x", "place": "{}{}{}"})"), {"{} twice"}},
        WrongTexts{"no lessons", texts_without("/lessons"), {"lessons is missing"}},
        WrongTexts{"not one lesson", texts_with("/lessons", "{}"), {"lessons", "1 to 200"}},
        WrongTexts{"lessons as list", texts_with("/lessons", "[1]"), {"lessons", "an object"}},
        WrongTexts{"a lesson as text", texts_with("/lessons/hot", "\"x\""), {"lessons: \"hot\": \"x\""}},
        WrongTexts{"no title", texts_without("/lessons/hot/title"), {"lessons: \"hot\": title is missing"}},
        WrongTexts{"a source", texts_with("/lessons/hot/source", "\"x\""), {"lessons: \"hot\": ", "\"source\""}},
        WrongTexts{"no summary", texts_without("/lessons/hot/summary"), {"summary is missing"}},
        WrongTexts{"no steps", texts_with("/lessons/hot/steps", "[]"), {"lessons: \"hot\": steps", "1 to 60"}},
        WrongTexts{"a step as number", texts_with("/lessons/hot/steps/1", "5"), {"\"hot\": steps[1]: 5"}},
        WrongTexts{"no text", texts_without("/lessons/hot/steps/1/text"), {"\"hot\": steps[1]: text is missing"}},
        WrongTexts{"no look", texts_without("/lessons/hot/steps/0/look"), {"\"hot\": steps[0]: look is missing"}},
        WrongTexts{"an experiment", texts_with("/lessons/hot/steps/0/experiment", "{}"), {"\"experiment\""}},
        WrongTexts{"long title",
                   texts_with("/lessons/hot/steps/0/title", "\"" + std::string(201, 'x') + "\""),
                   {"\"hot\": steps[0]: title", "200"}},
        WrongTexts{"long text",
                   texts_with("/lessons/hot/steps/0/text", "\"" + std::string(4001, 'x') + "\""),
                   {"\"hot\": steps[0]: text", "4000"}},
        WrongTexts{"deep", texts_with("/lessons", std::string(40, '[') + std::string(40, ']')), {"32"}}));

TEST(LessonTextsReader, NoBytesBreakIt) {
  const std::string text = right_texts().dump();
  for (std::size_t i = 0; i < text.size(); i += 3) {
    std::string broken = text;
    broken[i] = static_cast<char>(broken[i] ^ 0x15);
    const Result<TranslatedLessons> texts = parse_lesson_texts(broken, "de.json");
    if (!texts) {
      EXPECT_TRUE(is_one_line(texts.error().message));
    }
  }
}

TEST(LessonTextsReader, KnowsLanguages) {
  for (const char* language : {"de", "es", "pt-BR", "zh-Hant", "nds"}) EXPECT_TRUE(is_translation_language(language));
  for (const char* language : {"", "en", "de_AT", "../x", "d e", "\xc3\xa4"})
    EXPECT_FALSE(is_translation_language(language)) << language;
}

}  // namespace
}  // namespace attnscope::test
