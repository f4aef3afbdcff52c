// The dialog that writes animations: its settings, its preview, and the files that come of it.
#include "core/imported/imported_layers.h"
#include "dialog_test.h"
#include "figure/style/markup.h"
#include "io/experiments/experiment_file.h"
#include "support/imported_tensors.h"

namespace attnscope::test {
namespace {

class AnimationDialog : public DialogTest {
 protected:
  AnimationDialog() : DialogTest("Write an animation") {}

  void open() override {
    screen().click_item("##MainMenuBar", {std::string("##menubar"), std::string("File")});
    screen().frame(2);
    screen().click_item("##Menu_00", {std::string("Export animation…")});
    screen().frame(3);
    screen().settle();
    ASSERT_TRUE(screen().is_open(title()));
    screen().state().animation_settings.page.file.dpi = 20;
  }

  [[nodiscard]] ui::AnimationSettings& settings() { return screen().state().animation_settings; }
  [[nodiscard]] const std::string& message() { return screen().state().message.text; }
  [[nodiscard]] std::string note() {
    const Figure* frame = screen().workbench().animation_export().frame();
    return frame == nullptr || frame->texts.empty() ? "" : frame->texts.back().markup;
  }
};

TEST_F(AnimationDialog, StartsWithAComfortableSweep) {
  open();
  EXPECT_EQ(settings().name, "temperature");
  ASSERT_NE(screen().workbench().animation_export().animation(), nullptr);
  EXPECT_EQ(screen().workbench().animation_export().animation()->size(), 51U);
  EXPECT_EQ(note(), "Temperature = 0.100");
}

TEST_F(AnimationDialog, WritesEveryFrameAndLeavesTheDocumentAlone) {
  const Experiment before = screen().experiment();
  open_for("a.png");
  EXPECT_EQ(settings().format, AnimationFormat::png) << "as the ending says";
  choose("##subject", "Tokens");
  fill("##from", "3");
  fill("##to", "5");
  EXPECT_EQ(screen().workbench().animation_export().animation()->size(), 3U);
  press("Write");
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::none) << screen().state().dialog.error;
  EXPECT_EQ(message(), "wrote " + (folder_ / "a-0001.png").string() + " and 2 more");
  EXPECT_EQ(folder_.size(), 3);
  const Result<ExperimentSource> last = read_source(folder_ / "a-0003.png");
  ASSERT_TRUE(last) << last.error().message;
  EXPECT_EQ(last->experiment.integer("tokens"), 5);
  EXPECT_EQ(screen().experiment(), before);
  EXPECT_FALSE(screen().workbench().session().can_undo());
}

TEST_F(AnimationDialog, TheSliderGoesThroughTheFrames) {
  open();
  choose("##subject", "Heads");
  fill("##from", "1");
  fill("##to", "4");
  EXPECT_EQ(note(), "Heads = 1");
  const Rect slider = screen().item(title(), {std::string("##frame")});
  screen().click(across(slider, 0.98));
  screen().settle();
  EXPECT_EQ(settings().frame, 4);
  EXPECT_EQ(note(), "Heads = 4");
  press("caption below");
  EXPECT_NE(note(), "Heads = 4");
  fill("##to", "2");
  EXPECT_EQ(settings().frame, 2) << "there are no more";
}

TEST_F(AnimationDialog, OptionsOfTheViewEndWhereTheTraceDoes) {
  open_view("head");
  open();
  choose("##subject", "Head (view)");
  EXPECT_EQ(settings().to, "4");
  EXPECT_EQ(screen().workbench().animation_export().animation()->size(), 4U);
}

TEST_F(AnimationDialog, SaysWhatIsWrong) {
  open_for("a.png");
  choose("##subject", "Heads");
  fill("##from", "0");
  EXPECT_EQ(screen().workbench().animation_export().animation(), nullptr);
  press("Write");
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::animation);
  EXPECT_EQ(screen().state().dialog.error, "heads: 0 is not allowed; allowed: whole numbers from 1 to 2147483647");
  fill("##from", "1");
  fill("##rate", "1000");
  press("Write");
  EXPECT_EQ(screen().state().dialog.error,
            "frames per second: \"1000\" is not allowed; allowed: numbers from 0.1 to 60");
  fill("##rate", "5");
  fill("##path", (folder_ / "a%s.png").string());
  press("Write");
  EXPECT_NE(screen().state().dialog.error.find("may have one %d"), std::string::npos);
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::animation);
  EXPECT_EQ(folder_.size(), 0);
}

TEST_F(AnimationDialog, IsStoppedWithoutALeftover) {
  folder_.file("a-0001.png", "old");
  open_for("a.png");
  choose("##subject", "Seed");
  fill("##from", "1");
  fill("##to", "1000");
  press("Write", false);
  EXPECT_EQ(screen().state().dialog.question, "a-0001.png already exists. Replace it?");
  EXPECT_FALSE(screen().workbench().busy());
  press("Replace", false);
  ASSERT_TRUE(screen().workbench().busy());
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::animation);
  press("Stop");
  EXPECT_EQ(message(), "stopped: nothing was written");
  EXPECT_EQ(folder_.size(), 1);
  EXPECT_EQ(bytes_of(folder_ / "a-0001.png"), "old");
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::animation) << "with the settings as they were";
}

TEST_F(AnimationDialog, GoesOnBesideTheWindow) {
  open_for("a.png");
  choose("##subject", "Seed");
  fill("##from", "1");
  fill("##to", "60");
  press("Write", false);
  press("Run in background", false);
  EXPECT_FALSE(screen().is_open(title()));
  EXPECT_TRUE(screen().workbench().busy());
  // Meanwhile the document changes, which is no business of the animation's.
  open_view("head");
  screen().settle();
  EXPECT_EQ(message(), "wrote " + (folder_ / "a-0001.png").string() + " and 59 more");
  const Result<ExperimentSource> last = read_source(folder_ / "a-0060.png");
  ASSERT_TRUE(last) << last.error().message;
  EXPECT_EQ(last->experiment.view.name, "flow");
  EXPECT_EQ(last->experiment.seed, 60U);
}

TEST_F(AnimationDialog, OffersTheOpenLesson) {
  InterfaceOptions options;
  options.lessons = lessons_in(std::filesystem::path(ATTNSCOPE_SOURCE_DIR) / "assets/lessons");
  start(options);
  const auto& lesson = *options.lessons[5].lesson;
  screen().click_item("##MainMenuBar", {std::string("##menubar"), std::string("Lessons")});
  screen().frame(2);
  screen().click_item("##Menu_00", {lesson->title});
  screen().settle();
  open_for("a.png");
  choose("##subject", "Lesson: " + lesson->title);
  ASSERT_NE(screen().workbench().animation_export().animation(), nullptr);
  EXPECT_EQ(screen().workbench().animation_export().animation()->size(), lesson->steps.size());
  press("Write");
  EXPECT_EQ(folder_.size(), std::ssize(lesson->steps)) << message();
}

TEST_F(AnimationDialog, OfOwnTensorsGoesThroughThose) {
  // Two sets of heads: of tensors there is no temperature.
  Experiment experiment =
      *experiment_on(made({{"encoder_attentions_0", {2, 3, 3}}, {"decoder_attentions_0", {2, 4, 4}}}));
  InterfaceOptions options;
  options.experiment = experiment;
  start(options);
  screen().settle();
  open();
  EXPECT_EQ(settings().name, "group");
  EXPECT_EQ(settings().to, "2");
  ASSERT_NE(screen().workbench().animation_export().animation(), nullptr) << screen().state().dialog.error;
  EXPECT_EQ(screen().workbench().animation_export().animation()->size(), 2U);
  EXPECT_EQ(plain_text(note()), "Tensors = encoder_attentions_0");
}

TEST_F(AnimationDialog, FitsIntoTheWindow) { expect_fits_into_windows(); }

}  // namespace
}  // namespace attnscope::test
