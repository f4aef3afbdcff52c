// The lessons that come with attnscope: they load, and their numbers are correct.

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>

#include "core/base/text.h"
#include "core/explain/explain.h"
#include "core/plan/validate.h"
#include "core/studies/equivalence.h"
#include "figure/views/view.h"
#include "io/experiments/lesson_file.h"

namespace attnscope::test {
namespace {

constexpr std::size_t kLessons = 17;

const std::vector<LessonFile>& lessons() {
  static const std::vector<LessonFile> files = lessons_in(ATTNSCOPE_SOURCE_DIR "/assets/lessons");
  return files;
}

std::size_t word_count(const std::string& text) {
  std::istringstream words(text);
  std::string word;
  std::size_t count = 0;
  while (words >> word) ++count;
  return count;
}

TEST(Lessons, LoadFromTheirFiles) {
  ASSERT_EQ(lessons().size(), kLessons);
  for (const LessonFile& file : lessons()) {
    ASSERT_TRUE(file.lesson) << file.lesson.error().message;
    const Lesson& lesson = **file.lesson;
    EXPECT_GE(lesson.steps.size(), 6U) << lesson.title;
    EXPECT_LE(lesson.steps.size(), 12U) << lesson.title;
    for (const LessonStep& step : lesson.steps) {
      EXPECT_GE(word_count(step.text), 40U) << step.title;
      EXPECT_LE(word_count(step.text), 111U) << step.title;
      EXPECT_TRUE(validate(step.experiment)) << step.title;
      EXPECT_TRUE(view_options(step.experiment.view)) << step.title;
    }
  }
}

TEST(Lessons, AreFoundWhereTheProgramLooks) {
  const std::vector<LessonFile> found = find_lessons();
  ASSERT_EQ(found.size(), lessons().size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].name, lessons()[i].name);
    EXPECT_TRUE(found[i].lesson) << found[i].lesson.error().message;
    // The tenth after the ninth, not after the first.
    EXPECT_TRUE(found[i].name.starts_with(std::to_string(i + 1) + "-")) << found[i].name;
  }
}

TEST(Lessons, ShowEveryEquivalence) {
  std::map<std::string, int> shown;
  for (const LessonFile& file : lessons()) {
    for (const LessonStep& step : (*file.lesson)->steps) ++shown[step.equivalence];
  }
  for (const Equivalence& equivalence : equivalences()) EXPECT_GT(shown[equivalence.name], 0) << equivalence.name;
}

/// Computes every experiment of the lessons once, and looks at each step in turn.
class LessonNumbers : public testing::TestWithParam<std::size_t> {
 protected:
  [[nodiscard]] static const Lesson& lesson() { return **lessons()[GetParam()].lesson; }

  const Trace& trace(const Experiment& experiment) {
    if (!trace_ || !same_computation(trace_->experiment(), experiment)) trace_ = *run(experiment);
    return *trace_;
  }

 private:
  std::shared_ptr<const Trace> trace_;
};

TEST_P(LessonNumbers, PrintedOnesAreMetToTheLastDigit) {
  for (const LessonStep& step : lesson().steps) {
    for (const ReferenceValues& printed : step.printed)
      EXPECT_EQ(computed_digits(trace(step.experiment), printed), printed.rows) << step.title;
  }
}

TEST_P(LessonNumbers, QuotedOnesAreThoseOfTheTrace) {
  // "weights[0,1] = 0.2886" in the texts; a cell without a number must at least exist.
  const std::regex quote(R"(([a-z_0-9.]+\[[0-9,]+\])( = ((?:−)?[0-9.]*[0-9]))?)");
  for (const LessonStep& step : lesson().steps) {
    const std::string text = step.text + " " + step.look;
    for (std::sregex_iterator found(text.begin(), text.end(), quote), end; found != end; ++found) {
      const Trace& numbers = trace(step.experiment);
      const Result<CellReference> cell = parse_cell(numbers, (*found)[1].str());
      ASSERT_TRUE(cell) << step.title << ": " << cell.error().message;
      if (!(*found)[2].matched) continue;
      const std::string said = (*found)[3].str();
      const std::size_t point = said.find('.');
      const auto decimals = point == std::string::npos ? 0 : static_cast<int>(said.size() - point - 1);
      const double value =
          static_cast<double>(numbers.steps()[static_cast<std::size_t>(cell->step)].tensor->at(cell->index));
      EXPECT_EQ(fixed_text(value, decimals), said) << step.title << ": " << (*found)[1].str();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, LessonNumbers, testing::Range(std::size_t{0}, kLessons));

TEST(Lessons, QuoteNumbersInEveryStepOnATrainedModel) {
  // What a step claims about a model is checked above only where it names the cell.
  const std::regex quote(R"([a-z_0-9.]+\[[0-9,]+\] = (?:−)?[0-9])");
  std::size_t steps = 0;
  for (const LessonFile& file : lessons()) {
    for (const LessonStep& step : (*file.lesson)->steps) {
      if (step.experiment.model == nullptr) continue;
      ++steps;
      EXPECT_TRUE(std::regex_search(step.text, quote)) << file.name << ": " << step.title;
    }
  }
  EXPECT_EQ(steps, 59U);
}

TEST(Lessons, HaveEveryPrintedNumber) {
  // As many as the sources print, and only in lessons with printed numbers.
  std::map<std::string, std::size_t> printed;
  for (const LessonFile& file : lessons()) {
    for (const LessonStep& step : (*file.lesson)->steps) printed[file.name] += step.printed.size();
  }
  EXPECT_EQ(printed["14-transformer"], 2U);
  EXPECT_EQ(printed["16-pixels"], 6U);
  EXPECT_EQ(
      printed["2-by-example"] + printed["15-queries-and-keys"] + printed["17-convolution"] + printed["8-what-heads-do"],
      0U);
}

}  // namespace
}  // namespace attnscope::test
