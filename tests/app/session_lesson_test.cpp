// A lesson that is open in a session.
#include <gtest/gtest.h>

#include "app/session/session.h"
#include "core/plan/plan.h"
#include "session_support.h"

namespace attnscope {
namespace {

/// Three steps; the second shows the same as the first.
std::shared_ptr<const Lesson> lesson() {
  Lesson lesson;
  for (const Index heads : {2, 2, 3}) {
    LessonStep step;
    step.title = "heads " + std::to_string(heads);
    step.experiment = example_to_edit();
    step.experiment.parameters["heads"] = heads;
    step.experiment.view.name = "heads";
    lesson.steps.push_back(step);
  }
  return std::make_shared<const Lesson>(lesson);
}

TEST(SessionLesson, OpensAtItsFirstStep) {
  Session session(example_to_edit());
  EXPECT_EQ(session.lesson(), nullptr);
  EXPECT_FALSE(session.away_from_lesson());
  const auto opened = lesson();
  ASSERT_TRUE(session.apply({OpenLesson{opened}, 0}));
  EXPECT_EQ(session.lesson(), opened.get());
  EXPECT_EQ(session.lesson_step(), 0U);
  EXPECT_EQ(session.experiment(), opened->steps[0].experiment);
  EXPECT_FALSE(session.away_from_lesson());
  EXPECT_EQ(undo_all(session), 0) << "it is a document of its own";
  EXPECT_EQ(session.lesson(), opened.get());
}

TEST(SessionLesson, EveryStepCanBeUndone) {
  const auto opened = lesson();
  Session session(opened->steps[0].experiment);
  ASSERT_TRUE(session.apply({OpenLesson{opened}, 0}));
  EXPECT_FALSE(session.can_undo()) << "nothing has changed";
  ASSERT_TRUE(session.apply({GoToStep{1}, 0}));
  ASSERT_TRUE(session.apply({GoToStep{2}, 0}));
  EXPECT_EQ(session.experiment().integer("heads"), 3);
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.lesson_step(), 1U);
  EXPECT_FALSE(session.away_from_lesson());
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.lesson_step(), 0U);
  ASSERT_TRUE(session.apply({Redo{}, 0}));
  ASSERT_TRUE(session.apply({Redo{}, 0}));
  EXPECT_EQ(session.lesson_step(), 2U);
  EXPECT_EQ(session.experiment(), opened->steps[2].experiment);
}

TEST(SessionLesson, AnEditLeavesItOpenAndCanBeTakenBack) {
  Session session(example_to_edit());
  const auto opened = lesson();
  ASSERT_TRUE(session.apply({OpenLesson{opened}, 0}));
  ASSERT_TRUE(session.apply({GoToStep{2}, 0}));
  ASSERT_TRUE(session.apply(set("tokens", Index{9})));
  ASSERT_TRUE(session.apply({SetView{"flow"}, 0}));
  EXPECT_TRUE(session.away_from_lesson());
  EXPECT_EQ(session.lesson_step(), 2U);
  ASSERT_TRUE(session.apply({BackToLesson{}, 0}));
  EXPECT_FALSE(session.away_from_lesson());
  EXPECT_EQ(session.experiment(), opened->steps[2].experiment);
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.experiment().integer("tokens"), 9);
  EXPECT_TRUE(session.away_from_lesson());
}

TEST(SessionLesson, ClosingItBringsBackTheDocumentWithItsHistory) {
  Session session(example_to_edit(), "a.json", kDefaultMemoryBudget, "version");
  ASSERT_TRUE(session.apply(set("heads", Index{5})));
  const Experiment edited = session.experiment();
  const std::uint64_t document = session.document();
  const auto opened = lesson();
  ASSERT_TRUE(session.apply({OpenLesson{opened}, 0}));
  ASSERT_TRUE(session.apply({GoToStep{2}, 0}));
  ASSERT_TRUE(session.apply({CloseLesson{}, 0}));
  EXPECT_EQ(session.lesson(), nullptr);
  EXPECT_EQ(session.experiment(), edited);
  EXPECT_EQ(session.file(), "a.json");
  EXPECT_EQ(session.version(), "version");
  EXPECT_EQ(session.document(), document);
  EXPECT_TRUE(session.modified());
  ASSERT_TRUE(session.apply({BackToLesson{}, 0}));
  EXPECT_EQ(session.experiment(), edited);
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.lesson(), nullptr) << "undo opens nothing";
  EXPECT_EQ(session.experiment(), example_to_edit());
  ASSERT_TRUE(session.apply({CloseLesson{}, 0})) << "there is none";
}

TEST(SessionLesson, IsADocumentOfItsOwn) {
  Session session(example_to_edit(), "a.json");
  ASSERT_TRUE(session.apply(set("heads", Index{5})));
  ASSERT_TRUE(session.unsaved_under_lesson() == std::nullopt);
  ASSERT_TRUE(session.apply({OpenLesson{lesson()}, 0}));
  EXPECT_EQ(session.file(), "") << "nothing saves it over the user's file";
  EXPECT_FALSE(session.modified());
  ASSERT_TRUE(session.unsaved_under_lesson());
  EXPECT_EQ(session.unsaved_under_lesson()->file, "a.json");
  ASSERT_TRUE(session.apply({GoToStep{2}, 0}));
  EXPECT_FALSE(session.modified()) << "a step is no edit";
  ASSERT_TRUE(session.apply(set("tokens", Index{9})));
  EXPECT_TRUE(session.modified());
  session.mark_saved("copy.json");
  EXPECT_FALSE(session.modified());
  EXPECT_EQ(session.file(), "") << "the lesson goes on; what was saved is a copy";
  // Another lesson takes its place, and lies over the same document.
  const auto other = lesson();
  ASSERT_TRUE(session.apply({OpenLesson{other}, 0}));
  EXPECT_EQ(session.lesson(), other.get());
  ASSERT_TRUE(session.apply({CloseLesson{}, 0}));
  EXPECT_EQ(session.file(), "a.json");
}

TEST(SessionLesson, AStepThatIsNotThereIsRefused) {
  Session session(example_to_edit());
  EXPECT_FALSE(session.apply({GoToStep{0}, 0}));
  ASSERT_TRUE(session.apply({OpenLesson{lesson()}, 0}));
  const Result<void> beyond = session.apply({GoToStep{3}, 0});
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().message, "step 4 is not in the lesson; it has 3");
  EXPECT_EQ(session.lesson_step(), 0U);
}

TEST(SessionLesson, AStepBeyondTheMemoryBudgetIsRefused) {
  Session session(example_to_edit(), "", cost_of(lesson()->steps[0].experiment).bytes);
  Experiment small = example_to_edit();
  small.parameters["heads"] = Index{1};
  session.open(small, "");
  ASSERT_TRUE(session.apply({OpenLesson{lesson()}, 0}));
  EXPECT_FALSE(session.apply({GoToStep{2}, 0}));
  EXPECT_EQ(session.lesson_step(), 0U);
  EXPECT_EQ(session.experiment().integer("heads"), 2);
}

TEST(SessionLesson, OpeningAFileClosesIt) {
  Session session(example_to_edit(), "before.json");
  ASSERT_TRUE(session.apply({OpenLesson{lesson()}, 0}));
  session.open(example_to_edit(), "a.json");
  EXPECT_EQ(session.lesson(), nullptr);
  EXPECT_EQ(session.file(), "a.json");
  ASSERT_TRUE(session.apply({Undo{}, 0}));
  EXPECT_EQ(session.file(), "before.json");
}

}  // namespace
}  // namespace attnscope
