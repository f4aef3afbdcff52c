// Valid lesson files, and invalid ones: each is one change to the valid file, with the expected message.

#include "io/experiments/lesson_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

using nlohmann::ordered_json;

ordered_json right_lesson() {
  return ordered_json::parse(
      R"({"format": "attnscope-lesson/1", "title": "T", "source": "S", "summary": "Sum", "steps": [
    {"title": "one", "text": "text", "look": "look", "cell": "weights[0,1]",
     "experiment": {"format": "attnscope-experiment/1", "system": "scaled-dot-product", "params": {"queries": 2}},
     "printed": [{"tensor": "weights", "printed": [["0.1", "-0.2"], ["1", "2.50"]]},
                 {"tensor": "weights", "index": [1], "printed": ["0.5"]},
                 {"tensor": "q", "statistic": "std", "printed": "1.25"}]},
    {"title": "two", "text": "text", "look": "look", "equivalence": "token-order",
     "experiment": {"format": "attnscope-experiment/1", "system": "stacked-multihead"}}]})");
}

/// The valid file with `raw` (JSON, or what should be) in place of the value at `pointer`.
std::string lesson_with(const std::string& pointer, const std::string& raw) {
  ordered_json document = right_lesson();
  document[ordered_json::json_pointer(pointer)] = "@";
  std::string text = document.dump();
  return text.replace(text.find("\"@\""), 3, raw);
}

std::string without(const std::string& pointer) {
  ordered_json document = right_lesson();
  const ordered_json::json_pointer whole(pointer);
  document[whole.parent_pointer()].erase(whole.back());
  return document.dump();
}

TEST(LessonFileReader, ReadsEveryField) {
  const Result<Lesson> lesson = parse_lesson(right_lesson().dump(), "x.json");
  ASSERT_TRUE(lesson) << lesson.error().message;
  EXPECT_EQ(lesson->title, "T");
  EXPECT_EQ(lesson->source, "S");
  EXPECT_EQ(lesson->summary, "Sum");
  ASSERT_EQ(lesson->steps.size(), 2U);
  const LessonStep& step = lesson->steps[0];
  EXPECT_EQ(step.title, "one");
  EXPECT_EQ(step.experiment.integer("queries"), 2);
  EXPECT_EQ(step.cell->tensor, "weights");
  EXPECT_EQ(step.cell->index, (std::vector<Index>{0, 1}));
  ASSERT_EQ(step.printed.size(), 3U);
  EXPECT_EQ(step.printed[0].rows, (std::vector<std::vector<std::string>>{{"0.1", "−0.2"}, {"1", "2.50"}}));
  EXPECT_EQ(reference_title(step.printed[0]), "weights");
  EXPECT_EQ(step.printed[1].index, std::vector<Index>{1});
  EXPECT_EQ(reference_title(step.printed[2]), "std of q");
  EXPECT_EQ(step.printed[2].rows, (std::vector<std::vector<std::string>>{{"1.25"}}));
  EXPECT_EQ(step.equivalence, "");
  EXPECT_EQ(lesson->steps[1].equivalence, "token-order");
  EXPECT_FALSE(lesson->steps[1].cell);
}

struct WrongText {
  const char* what;
  std::string text;
  std::vector<std::string> fragments;  ///< of the message
};

void PrintTo(const WrongText& wrong, std::ostream* out) { *out << wrong.what; }

class WrongLesson : public testing::TestWithParam<WrongText> {};

TEST_P(WrongLesson, IsRefusedInOneLine) {
  const Result<Lesson> lesson = parse_lesson(GetParam().text, "x.json");
  ASSERT_FALSE(lesson);
  EXPECT_TRUE(is_one_line(lesson.error().message));
  EXPECT_TRUE(lesson.error().message.starts_with("x.json: ")) << lesson.error().message;
  for (const std::string& fragment : GetParam().fragments)
    EXPECT_NE(lesson.error().message.find(fragment), std::string::npos) << lesson.error().message;
}

INSTANTIATE_TEST_SUITE_P(
    Files, WrongLesson,
    testing::Values(
        WrongText{"empty", "", {"empty", "attnscope-lesson/1"}}, WrongText{"no JSON", "hello", {"line 1, column 1"}},
        WrongText{"half", right_lesson().dump().substr(0, 200), {"column"}},
        WrongText{"a list", "[]", {"an empty list"}}, WrongText{"no format", without("/format"), {"format is missing"}},
        WrongText{"another format", lesson_with("/format", "\"attnscope-lesson/2\""), {"format", "attnscope-lesson/2"}},
        WrongText{"an experiment", R"({"format": "attnscope-experiment/1", "system": "worked-example"})", {"format"}},
        WrongText{"unknown key", lesson_with("/titel", "1"), {"\"titel\"", "did you mean title"}},
        WrongText{"no title", without("/title"), {"title is missing"}},
        WrongText{"empty title", lesson_with("/title", "\"\""), {"title", "1 to 200 bytes"}},
        WrongText{"number as source", lesson_with("/source", "3"), {"source: 3"}},
        WrongText{"no steps", without("/steps"), {"steps is missing"}},
        WrongText{"not one step", lesson_with("/steps", "[]"), {"steps", "1 to 60"}},
        WrongText{"steps as text", lesson_with("/steps", "\"x\""), {"steps: \"x\""}},
        WrongText{"a step as number", lesson_with("/steps/1", "5"), {"steps[1]: 5"}},
        WrongText{"unknown key in a step", lesson_with("/steps/1/txt", "1"), {"steps[1]: ", "did you mean text"}},
        WrongText{"no text", without("/steps/1/text"), {"steps[1]: text is missing"}},
        WrongText{"long text",
                  lesson_with("/steps/0/text", "\"" + std::string(4001, 'x') + "\""),
                  {"steps[0]: text", "4000"}},
        WrongText{"no experiment", without("/steps/0/experiment"), {"steps[0]: experiment is missing"}},
        WrongText{"experiment as text", lesson_with("/steps/0/experiment", "\"x\""), {"steps[0]: experiment: \"x\""}},
        WrongText{"unknown system",
                  lesson_with("/steps/0/experiment/system", "\"nope\""),
                  {"steps[0]: experiment: system", "nope"}},
        WrongText{"a value out of range",
                  lesson_with("/steps/0/experiment/params/queries", "0"),
                  {"steps[0]: experiment: params.queries", "0"}},
        WrongText{"too much memory",
                  lesson_with("/steps/0/experiment/params/queries", "2000000000"),
                  {"steps[0]: experiment: ", "MB"}},
        WrongText{"unknown view",
                  lesson_with("/steps/0/experiment/view", R"({"name": "nope"})"),
                  {"steps[0]: experiment: view", "nope"}},
        WrongText{"unknown tensor",
                  lesson_with("/steps/0/cell", "\"weight[0,1]\""),
                  {"steps[0]: cell", "did you mean weights"}},
        WrongText{"no cell", lesson_with("/steps/0/cell", "\"weights\""), {"steps[0]: cell", "\"weights\""}},
        WrongText{"a cell outside", lesson_with("/steps/0/cell", "\"weights[2,0]\""), {"steps[0]: cell", "query < 2"}},
        WrongText{"a cell as number", lesson_with("/steps/0/cell", "4"), {"steps[0]: cell: 4"}},
        WrongText{"printed as text", lesson_with("/steps/0/printed", "\"x\""), {"steps[0]: printed: \"x\""}},
        WrongText{"printed of what",
                  lesson_with("/steps/0/printed/1/tensor", "\"nope\""),
                  {"steps[0]: printed[1]: tensor: \"nope\"", "weights"}},
        WrongText{"an index outside",
                  lesson_with("/steps/0/printed/1/index", "[7]"),
                  {"printed[1]: index: [7]", "query < 2"}},
        WrongText{"a negative index", lesson_with("/steps/0/printed/1/index", "[-1]"), {"printed[1]: index: -1"}},
        WrongText{"no statistic",
                  lesson_with("/steps/0/printed/2/statistic", "\"median\""),
                  {"statistic: \"median\"", "mean"}},
        WrongText{"a statistic of rows",
                  lesson_with("/steps/0/printed/2/printed", R"(["1"])"),
                  {"printed[2]: printed", "statistic"}},
        WrongText{"numbers that are no texts",
                  lesson_with("/steps/0/printed/1/printed", "[0.5]"),
                  {"printed[1]: printed: 0.5"}},
        WrongText{
            "texts that are no numbers", lesson_with("/steps/0/printed/1/printed", R"(["a"])"), {"printed: \"a\""}},
        WrongText{"more rows than there are",
                  lesson_with("/steps/0/printed/0/printed", R"([["1"],["2"],["3"]])"),
                  {"3 rows"}},
        WrongText{"more columns than there are",
                  lesson_with("/steps/0/printed/1/printed", R"(["1","2","3","4"])"),
                  {"4 numbers"}},
        WrongText{"no numbers", lesson_with("/steps/0/printed/1/printed", "[]"), {"printed[1]: printed"}},
        WrongText{"unknown equivalence",
                  lesson_with("/steps/1/equivalence", "\"nope\""),
                  {"steps[1]: equivalence: \"nope\"", "separate-chunked"}},
        WrongText{"an equivalence of another system",
                  lesson_with("/steps/1/equivalence", "\"split-order\""),
                  {"steps[1]: equivalence", "image-multihead"}}));

TEST(LessonFileReader, NoBytesBreakIt) {
  const std::string text = right_lesson().dump();
  for (std::size_t i = 0; i < text.size(); i += 7) {
    std::string broken = text;
    broken[i] = static_cast<char>(broken[i] ^ 0x15);
    const Result<Lesson> lesson = parse_lesson(broken, "x.json");
    if (!lesson) {
      EXPECT_TRUE(is_one_line(lesson.error().message));
    }
  }
}

constexpr const char* kLessonsFolder = ATTNSCOPE_SOURCE_DIR "/assets/lessons";

/// A lesson of two steps that read the bundled model, named in two ways, or another path in the first.
std::string lesson_on_model(const std::string& first = "../models/induction") {
  ordered_json document = right_lesson();
  for (ordered_json& step : document["steps"]) {
    step = {{"title", "one"}, {"text", "text"}, {"look", "look"}};
    step["experiment"] = {{"format", "attnscope-experiment/1"},
                          {"system", "transformer"},
                          {"model", "../models/./induction/"},
                          {"text", "abcab"}};
  }
  document["steps"][0]["experiment"]["model"] = first;
  return document.dump();
}

TEST(LessonOnModel, SharesTheModelAmongItsSteps) {
  const Result<Lesson> lesson = parse_lesson(lesson_on_model(), "x.json", kLessonsFolder);
  ASSERT_TRUE(lesson) << lesson.error().message;
  const Experiment& first = lesson->steps[0].experiment;
  ASSERT_NE(first.model, nullptr);
  EXPECT_EQ(first.model->name(), "induction");
  EXPECT_EQ(first.text.ids.size(), 5U);
  EXPECT_TRUE(same_computation(first, lesson->steps[1].experiment));
}

TEST(LessonOnModel, KeepsDifferentModelsApart) {
  const Result<Lesson> lesson =
      parse_lesson(lesson_on_model("../models/induction/checkpoints/step-000050"), "x.json", kLessonsFolder);
  ASSERT_TRUE(lesson) << lesson.error().message;
  EXPECT_NE(lesson->steps[0].experiment.model, lesson->steps[1].experiment.model);
}

TEST(LessonOnModel, ReadsNoModelFromElsewhere) {
  const std::string absolute = ATTNSCOPE_SOURCE_DIR "/assets/models/induction";
  for (const std::string& path :
       {absolute, std::string("../models"), std::string("../models/"), std::string("../models/x/.."),
        std::string("../models/../models/../../assets/models/induction"), std::string("models/induction"),
        std::string("../modelsx/induction"), std::string("../../assets/models/induction"), std::string()}) {
    const Result<Lesson> lesson = parse_lesson(lesson_on_model(path), "x.json", kLessonsFolder);
    ASSERT_FALSE(lesson) << path;
    EXPECT_TRUE(is_one_line(lesson.error().message));
    EXPECT_NE(lesson.error().message.find("x.json: steps[0]: experiment: model: "), std::string::npos)
        << lesson.error().message;
    EXPECT_NE(lesson.error().message.find("like \"../models/stories\""), std::string::npos) << lesson.error().message;
  }
}

TEST(LessonOnModel, SaysWhichOneIsMissing) {
  for (const char* const path : {"../models/x.npz", "/etc/x.npz", "a/../../x.npz", ""}) {
    ordered_json tensors = ordered_json::parse(lesson_on_model());
    tensors["steps"][0]["experiment"] = {
        {"format", "attnscope-experiment/1"}, {"system", "own-tensors"}, {"tensors", path}};
    const Result<Lesson> other = parse_lesson(tensors.dump(), "x.json", kLessonsFolder);
    ASSERT_FALSE(other) << path;
    EXPECT_EQ(other.error().message,
              "x.json: steps[0]: experiment: tensors: \"" + std::string(path) +
                  "\" is not allowed; allowed: the path of a file in the lesson's folder, like \"weights.npz\"");
  }
  const Result<Lesson> lesson = parse_lesson(lesson_on_model("../models/nowhere"), "x.json", kLessonsFolder);
  ASSERT_FALSE(lesson);
  EXPECT_NE(lesson.error().message.find("nowhere"), std::string::npos) << lesson.error().message;
}

TEST(LessonFolder, HasOneEntryForEachFile) {
  const TemporaryFolder folder;
  folder.file("b.json", right_lesson().dump());
  folder.file("a.json", "{");
  folder.file("notes.txt", "no lesson");
  const std::vector<LessonFile> files = lessons_in(folder.path());
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].name, "a");
  ASSERT_FALSE(files[0].lesson);
  EXPECT_TRUE(is_one_line(files[0].lesson.error().message));
  EXPECT_NE(files[0].lesson.error().message.find("a.json"), std::string::npos);
  EXPECT_EQ(files[1].name, "b");
  EXPECT_TRUE(files[1].lesson);
  EXPECT_TRUE(lessons_in(folder / "nowhere").empty());
}

TEST(OwnLesson, HasTheModelsThatComeAlong) {
  const TemporaryFolder folder;
  const std::string text = R"({"format": "attnscope-lesson/1", "title": "T", "source": "S", "summary": "U",
    "steps": [{"title": "one", "text": "t", "look": "l", "experiment": {"format": "attnscope-experiment/1",
    "system": "transformer", "model": "../models/induction", "text": "a b a"}}]})";
  const std::filesystem::path path = folder.file("own.json", text);
  EXPECT_TRUE(is_lesson_file(path));
  const Result<Lesson> lesson = read_lesson(path);
  ASSERT_TRUE(lesson) << lesson.error().message;
  EXPECT_TRUE(lesson->steps[0].experiment.model->folder().ends_with("assets/models/induction"))
      << lesson->steps[0].experiment.model->folder();
}

TEST(OwnLesson, IsToldFromOtherFiles) {
  const TemporaryFolder folder;
  EXPECT_TRUE(is_lesson_file(folder.file("a.json", R"({"format": "attnscope-lesson/2"})")));
  EXPECT_FALSE(is_lesson_file(
      folder.file("b.json", R"({"format": "attnscope-experiment/1", "labels": ["attnscope-lesson/1"]})")));
  EXPECT_FALSE(is_lesson_file(folder.file("c.json", R"(["attnscope-lesson/1"])")));
  EXPECT_FALSE(is_lesson_file(folder.file("d.json", "attnscope-lesson/1")));
  EXPECT_FALSE(is_lesson_file(folder / "none.json"));
}

}  // namespace
}  // namespace attnscope::test
