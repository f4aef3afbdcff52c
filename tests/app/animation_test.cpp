#include "app/animation/animation.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "app/animation/animation_job.h"
#include "io/figures/animation_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

Experiment example(const std::string& view = "heads") {
  Experiment experiment = *default_experiment("worked-example");
  experiment.view.name = view;
  return experiment;
}

Animation sweep(const std::string& text, const Experiment& experiment = example()) {
  Result<Animation> animation = Animation::of_sweep(experiment, text, kDefaultMemoryBudget);
  if (!animation) throw std::runtime_error(animation.error().message);
  return std::move(*animation);
}

TEST(Animation, SaysWhatEachFrameIs) {
  EXPECT_EQ(sweep("temperature=0.5:1:0.25").note(0).title, "Temperature = 0.50") << "as many digits in all of them";
  EXPECT_EQ(sweep("temperature=0.5:1:0.25").note(1).title, "Temperature = 0.75");
  EXPECT_EQ(sweep("heads=2:3").note(1).title, "Heads = 3");
  EXPECT_EQ(sweep("masked_fill=-1,-9e15,-inf").note(0).title, "Masked fill = −1");
  EXPECT_EQ(sweep("masked_fill=-1,-9e15,-inf").note(1).title, "Masked fill = −9.000e+15");
  EXPECT_EQ(sweep("masked_fill=-1,-9e15,-inf").note(2).title, "Masked fill = −∞");
  EXPECT_EQ(sweep("mask=none,window:2").note(1).title, "Mask = window:2");
  EXPECT_EQ(sweep("seed=8").note(0).title, "Seed = 8");
}

TEST(Animation, GoesAsFastAsOneCanFollow) {
  Animation smooth = sweep("temperature=0.1:2:0.1");
  EXPECT_EQ(smooth.rate(), 10);
  EXPECT_DOUBLE_EQ(smooth.seconds(), 2);
  EXPECT_EQ(sweep("heads=1:4").rate(), 2);
  smooth.set_rate(5);
  EXPECT_DOUBLE_EQ(smooth.seconds(), 4);
}

TEST(Animation, FramesOfALessonShowThePinnedCell) {
  auto lesson = std::make_shared<Lesson>();
  lesson->title = "Lesson";
  const LessonStep step = {"One", "short", "look", example("flow"), {}, {}, {}};
  lesson->steps = {step, step, step};
  lesson->steps[1].cell = LessonCell{"scores", {0, 1, 2}};
  const TemporaryFolder folder;
  AnimationTask task = {*Animation::of_lesson(lesson, kDefaultMemoryBudget), {}};
  task.file.dpi = 40;
  task.note = false;
  task.outputs = {folder / "a-%d.png"};
  const Result<WrittenAnimation> written = write_animation(task, {}, [](const AnimationProgress&) {});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(bytes_of(folder / "a-1.png"), bytes_of(folder / "a-3.png"));
  EXPECT_NE(bytes_of(folder / "a-1.png"), bytes_of(folder / "a-2.png")) << "nothing else differs";
}

TEST(Animation, StepsOfALessonAreHeldUntilTheyAreRead) {
  auto lesson = std::make_shared<Lesson>();
  lesson->title = "Lesson";
  lesson->steps = {{"One", "short", "look", example(), {}, {}, {}},
                   {"Two", std::string(500, 'x'), "look", example("head"), {}, {}, {}}};
  Animation animation = *Animation::of_lesson(lesson, kDefaultMemoryBudget);
  ASSERT_EQ(animation.size(), 2U);
  EXPECT_EQ(animation.note(1).title, "step 2 of 2 · Two");
  EXPECT_EQ(animation.note(0).text, "short\n\nLOOK AT: look");
  EXPECT_EQ(animation.experiment(1).view.name, "head");
  EXPECT_GE(animation.times(0) / animation.rate(), 3);
  EXPECT_GE(animation.times(1) / animation.rate(), 20);
  animation.set_rate(1);
  EXPECT_EQ(animation.times(1), 1);
  EXPECT_EQ(Animation::of_lesson(lesson, 10).error().message.find("step 1 of the lesson: the experiment takes"), 0U);
}

TEST(Animation, FramesAreWhatASliderMakesOfTheExperiment) {
  Experiment experiment = example();
  experiment.heads_off = {1, 3};
  experiment.edits = {{"x", {5, 0}, 2.0}};
  const Animation heads = sweep("heads=2:4", experiment);
  EXPECT_EQ(heads.experiment(0).heads_off, (std::vector<Index>{1}));
  EXPECT_EQ(heads.experiment(2).heads_off, (std::vector<Index>{1, 3}));
  const Animation tokens = sweep("tokens=5:6", experiment);
  EXPECT_TRUE(tokens.experiment(0).edits.empty()) << "there is no such token";
  EXPECT_EQ(tokens.experiment(1).edits.size(), 1U);
}

TEST(Animation, WhatDoesNotFitIsNamedBeforehand) {
  const auto animation = Animation::of_sweep(example(), "tokens=6,60", 20'000);
  ASSERT_FALSE(animation);
  EXPECT_EQ(animation.error().kind, Error::Kind::failure);
  EXPECT_EQ(animation.error().message.find("with tokens 60: the experiment takes"), 0U) << animation.error().message;
}

TEST(Animation, NoFileIsWrittenUnlessAllCanBe) {
  const TemporaryFolder folder;
  AnimationTask task = {sweep("heads=1:3"), {}};
  task.file.dpi = 20;
  task.outputs = {folder / "a-%d.png"};
  if (has_ffmpeg()) task.outputs.push_back(folder / "a.gif");
  folder.file("a.gif", "old");
  int reports = 0;
  const auto refused = [&](const std::function<void(const AnimationProgress&)>& report) {
    const Result<WrittenAnimation> written = write_animation(task, {}, report);
    EXPECT_FALSE(written);
    return written ? "" : written.error().message;
  };
  const auto take_name = [&](const AnimationProgress&) {
    ++reports;
    std::filesystem::create_directories(folder / "a-2.png");
  };
  const std::string message = (folder / "a-2.png").string() + ": is a folder, not a file";
  EXPECT_EQ(refused(take_name), message);
  EXPECT_GT(reports, 3);
  reports = 0;
  EXPECT_EQ(refused(take_name), message);
  EXPECT_EQ(reports, 0) << "known before anything is computed";
  EXPECT_EQ(bytes_of(folder / "a.gif"), "old");
  EXPECT_EQ(folder.size(), 2);
}

TEST(AnimationJob, WritesOrIsStopped) {
  const TemporaryFolder folder;
  AnimationTask task = {sweep("heads=1:2"), {}};
  task.file.dpi = 20;
  task.outputs = {folder / "a.png"};
  std::atomic<int> woken = 0;
  const auto wake = [&] { ++woken; };
  const auto wait = [](const AnimationJob& job) {
    while (!job.result()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return *job.result();
  };
  {
    const AnimationJob job(task, wake);
    const auto result = wait(job);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->files, (std::vector<std::filesystem::path>{folder / "a-0001.png", folder / "a-0002.png"}));
    EXPECT_GT(woken, 2);
    EXPECT_FALSE(job.cancelled());
  }
  task.animation = sweep("seed=1:999");
  task.outputs = {folder / "b.png"};
  {
    AnimationJob job(task, wake);
    while (folder.size() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    job.cancel();
    EXPECT_FALSE(wait(job));
    EXPECT_TRUE(job.cancelled());
  }
  { const AnimationJob job(task, wake); }
  EXPECT_EQ(folder.size(), 2) << "with its owner it ends, too";
}

/// What becomes of the request.
MadeFrame made_by(FrameMaker& maker, const FrameRequest& request) {
  maker.request(request);
  while (true) {
    if (auto frame = maker.take(); frame && !maker.busy()) return std::move(*frame);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(FrameMaker, LeavesTheRoomThatTheFileHasForTheNote) {
  FrameMaker maker([] {});
  FrameRequest request = {example(), ""};
  request.file.font = FigureFont::latex;
  const auto trace = *run(example());
  int differ = 0;
  for (std::size_t words = 40; words < 80; ++words) {
    auto lesson = std::make_shared<Lesson>();
    std::string text;
    for (std::size_t i = 0; i < words; ++i) text += "nonsensical ";
    lesson->steps = {{"One", text, "look", example(), {}, {}, {}}};
    request.lesson = lesson;
    const MadeFrame frame = made_by(maker, request);
    ASSERT_TRUE(frame.figure) << frame.trouble;
    const auto height_in = [&](FigureFont font) {
      const FontScope scope(font);
      const double room = note_height(frame.animation->note(0), layout_size(request.file).width);
      return *frame_height({trace}, request.file, room);
    };
    EXPECT_EQ(frame.figure->height, height_in(FigureFont::latex)) << words;
    differ += height_in(FigureFont::latex) != height_in(FigureFont::inter) ? 1 : 0;
  }
  EXPECT_GT(differ, 0) << "otherwise this shows nothing";
}

TEST(FrameMaker, FramesThePinnedCellOfALesson) {
  auto lesson = std::make_shared<Lesson>();
  lesson->steps = {{"One", "short", "look", example("flow"), {}, {}, {}}};
  FrameMaker maker([] {});
  FrameRequest request = {example(), ""};
  request.lesson = lesson;
  EXPECT_TRUE(made_by(maker, request).figure.value().highlights.regions.empty());
  auto pinned = std::make_shared<Lesson>(*lesson);
  pinned->steps[0].cell = LessonCell{"scores", {0, 1, 2}};
  request.lesson = pinned;
  const Figure figure = made_by(maker, request).figure.value();
  EXPECT_FALSE(figure.highlights.regions.empty());
  EXPECT_TRUE(figure.highlights.cell);
}

TEST(FrameMaker, MakesTheFrameThatIsWantedLast) {
  FrameMaker maker([] {});
  FrameRequest request = {example(), "heads=1:3"};
  const MadeFrame first = made_by(maker, request);
  ASSERT_TRUE(first.animation && first.figure) << first.trouble;
  EXPECT_EQ(first.figure->texts.back().markup, "Heads = 1");
  request.frame = 99;
  const MadeFrame last = made_by(maker, request);
  EXPECT_EQ(last.figure->texts.back().markup, "Heads = 3") << "there are no more";
  EXPECT_EQ(last.animation, first.animation) << "it is not made anew";
  request.sweep = "heads=0:3";
  const MadeFrame wrong = made_by(maker, request);
  EXPECT_EQ(wrong.animation, nullptr);
  EXPECT_EQ(wrong.trouble, "heads: 0 is not allowed; allowed: whole numbers from 1 to 2147483647");
}

}  // namespace
}  // namespace attnscope::test
