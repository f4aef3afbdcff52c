// The text of a model while a lesson is presented.
#include <imgui_internal.h>

#include "interface_test.h"
#include "ui/panels/known_words.h"
#include "ui/parts/presented_step.h"

namespace attnscope::test {
namespace {

class PresentedText : public Interface {
 protected:
  void SetUp() override {
    InterfaceOptions options;
    options.width = 1280;
    options.height = 720;
    start(options);
    ASSERT_TRUE(screen().workbench().workspace().session().apply({OpenLesson{lesson()}, 0}));
    screen().settle();
  }

  [[nodiscard]] static const std::shared_ptr<const Lesson>& lesson(std::string_view name = "9-a-model-that-reads") {
    static const std::vector<LessonFile> all = lessons_in(ATTNSCOPE_SOURCE_DIR "/assets/lessons");
    return *std::ranges::find(all, name, &LessonFile::name)->lesson;
  }

  void present() {
    screen().key_with_shift(kF11);
    screen().settle();
  }

  /// Opens a lesson of one step.
  void open_own(const char* look, const Experiment& experiment, std::string text = "What happens here.") {
    LessonStep step;
    step.title = "A step";
    step.text = std::move(text);
    step.look = look;
    step.experiment = experiment;
    Lesson own = {"Own", "nothing", "Nothing.", {step}};
    ASSERT_TRUE(screen().workbench().workspace().session().apply(
        {OpenLesson{std::make_shared<const Lesson>(std::move(own))}, 0}));
    screen().settle();
  }

  /// The name of the window that has the step's words.
  [[nodiscard]] static std::string words_window() {
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
      if (window->WasActive && std::string_view(window->Name).find("Lesson/words") != std::string_view::npos)
        return window->Name;
    }
    return {};
  }
};

TEST_F(PresentedText, OpensTheTextToBeTyped) {
  present();
  screen().key_with_control('T');
  screen().settle();
  ASSERT_TRUE(screen().is_open("Text"));
  const std::size_t step_before = screen().workbench().session().lesson_step();
  screen().type("x ");
  screen().settle();
  EXPECT_NE(screen().experiment().text.text.find("x "), std::string::npos);
  EXPECT_EQ(screen().workbench().session().lesson_step(), step_before);
}

// A step says to change the text: its box stands below the step, and typing neither leads to another step nor opens panels.
TEST_F(PresentedText, HasTheBoxWhereAStepTellsToType) {
  ASSERT_TRUE(screen().workbench().workspace().session().apply({GoToStep{1}, 0}));
  present();
  ASSERT_FALSE(screen().is_open("Text"));
  ASSERT_TRUE(ui::beside_step(lesson()->steps[1]).text);
  const Rect box = screen().item("Lesson/words", {1, "##text"});
  screen().click(across(box, 0.9));
  screen().type(" x ");
  screen().settle();
  EXPECT_EQ(screen().experiment().text.text, lesson()->steps[1].experiment.text.text + " x ");
  EXPECT_EQ(screen().workbench().session().lesson_step(), 1U);
  EXPECT_FALSE(screen().is_open("Text"));
  EXPECT_EQ(screen().item("Lesson/words", {1, "##text"}), box);
}

// What a lesson says about the answer can be seen, and is renewed with the text.
TEST_F(PresentedText, HasTheAnswerThatAStepQuotes) {
  const std::vector<LessonStep>& steps = lesson()->steps;
  const auto answers = [](const LessonStep& step) { return ui::beside_step(step).answers; };
  EXPECT_EQ(answers(steps[1]), std::vector<Index>());
  EXPECT_EQ(answers(steps[4]), std::vector<Index>({std::ssize(steps[4].experiment.text.ids) - 1}));
  EXPECT_EQ(answers(lesson("13-what-if-it-were-not-there")->steps[1]), std::vector<Index>({16}));
  EXPECT_EQ(answers(lesson("10-where-induction-comes-from")->steps[0]), std::vector<Index>({4, 16}));
  EXPECT_EQ(answers(lesson("2-by-example")->steps[1]), std::vector<Index>());  // no model
  // A digit is no word that comes next: the figure's heading has the answer.
  EXPECT_EQ(answers(lesson("12-where-a-digit-is-looked-at")->steps[0]), std::vector<Index>());
  present();
  const Experiment& experiment = steps[4].experiment;
  const auto height_with = [&](const std::string& text) {
    open_own("The answer.", experiment, text);
    return ImGui::FindWindowByName(words_window().c_str())->ContentSize.y;
  };
  const std::string last = std::to_string(experiment.text.ids.size() - 1);
  const float none = height_with("The answer is unnormalized[" + last + ",0].");
  const float line = 0.9F * ImGui::GetTextLineHeight();
  EXPECT_GT(height_with("The answer is probabilities[" + last + ",0]."), none + line);
  EXPECT_GT(height_with("The answer is probabilities[2,0] and probabilities[" + last + ",0]."), none + 2 * line);
  EXPECT_LT(height_with("The answer is probabilities[99999,0]."), none + line);
}

// Where it says to choose another head, the view's options stand above the figure.
TEST_F(PresentedText, HasTheOptionsOfTheViewThatAStepTellsToChoose) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.view = {"head", {}};
  present();
  open_own("One row.", experiment);
  const double alone = screen().picture_place().height;
  open_own("One row. Choose another head.", experiment);
  ASSERT_FALSE(screen().is_open("Views"));
  EXPECT_LT(screen().picture_place().height, alone - 20);
}

TEST_F(PresentedText, ShowsTheTextThatStepsTellToChange) {
  present();
  EXPECT_FALSE(screen().is_open("Text"));
  screen().key_with_control('[');
  screen().settle();
  ASSERT_TRUE(screen().is_open("Text"));
  EXPECT_LE(screen().window_place("Views").bottom(), screen().window_place("Text").y);
  EXPECT_LE(screen().window_place("Text").bottom(), screen().picture_place().y);
  // Without a lesson, a class sees what the model reads.
  screen().click_item("Lesson", {std::string("×##close")});
  screen().settle();
  ASSERT_TRUE(screen().workbench().workspace().session().apply({OpenLesson{lesson()}, 0}));
  screen().settle();
  EXPECT_TRUE(screen().is_open("Text"));
}

// A step says what to drag: that slider stands below it, and needs no panel.
TEST_F(PresentedText, HasTheSliderThatAStepNames) {
  open_own("Drag Temperature from 0.1 to 10.", *default_experiment("worked-example"));
  present();
  ASSERT_FALSE(screen().is_open("Parameters"));
  const double before = screen().experiment().real("temperature");
  const ItemPath temperature = {std::string("Temperature"), std::string("##slider")};
  const Rect slider = screen().item("Lesson/words", temperature);
  screen().drag(across(slider, 0.2), across(slider, 0.9), 3);
  screen().release();
  screen().settle();
  EXPECT_NE(screen().experiment().real("temperature"), before);
  // The way back to the lesson, which appears now, does not push the slider from under the mouse.
  EXPECT_EQ(screen().item("Lesson/words", temperature), slider);
  screen().click_item("Lesson", {"Back"});
  screen().settle();
  EXPECT_EQ(screen().experiment().real("temperature"), before);
}

// Where a step speaks of the inspector, its arithmetic stands below the step, unless the panel is there.
TEST_F(PresentedText, HasTheArithmeticThatAStepSpeaksOf) {
  const Experiment experiment = *default_experiment("worked-example");
  const auto height_of_words = [&](const char* look, bool with_panel) {
    open_own(look, experiment);
    screen().state().pinned = ui::NamedCell{"single.scores", {0, 0}};
    present();
    if (with_panel) screen().key_with_control(']');
    screen().settle();
    const float height = ImGui::FindWindowByName(words_window().c_str())->ContentSize.y;
    if (with_panel) screen().key_with_control(']');
    present();
    return height;
  };
  const float plain = height_of_words("The table: one product.", false);
  const float line = ImGui::GetTextLineHeight();
  EXPECT_GT(height_of_words("The inspector: one product.", false), plain + 5 * line);
  EXPECT_EQ(height_of_words("The inspector: one product.", true), plain);
}

// The panel of the parameters, which is hidden, showed those of another model.
TEST_F(PresentedText, HasTheInterventionsOfItsModel) {
  ASSERT_TRUE(screen().is_open("Parameters"));
  present();
  ASSERT_FALSE(screen().is_open("Parameters"));
  Session& session = screen().workbench().workspace().session();
  ASSERT_TRUE(session.apply({OpenLesson{lesson("13-what-if-it-were-not-there")}, 0}));
  ASSERT_TRUE(session.apply({GoToStep{2}, 0}));
  screen().settle();
  const std::optional<ui::ModelFacts>& facts = screen().state().model_facts;
  ASSERT_TRUE(facts && facts->parts);
  EXPECT_EQ(facts->model, screen().experiment().model);
  EXPECT_EQ(facts->parts->layers.size(), 2U);
}

// What a step warns of is not cut off.
TEST_F(PresentedText, HasRoomForAWarning) {
  Experiment masked = *default_experiment("projected-multihead");
  present();
  open_own("Nothing.", masked);
  const double one_line = screen().window_place("Status").height;
  const double words = screen().window_place("Lesson").bottom();
  masked.parameters["mask"] = *parse_mask("padding:0");
  open_own("The warning.", masked);
  ASSERT_EQ(screen().trace().warnings().size(), 1U);
  EXPECT_GT(screen().window_place("Status").height, 1.5 * one_line);
  EXPECT_LT(screen().window_place("Lesson").bottom(), words);
  EXPECT_LE(screen().window_place("Lesson").bottom(), screen().window_place("Status").y);
}

// Somebody who types other words has to find out which ones the model knows.
TEST_F(PresentedText, ListsTheWordsThatAModelKnows) {
  const auto listed = [this] { return screen().state().text_boxes.known_words; };
  ASSERT_TRUE(ui::can_list_words(*screen().experiment().model));
  ASSERT_TRUE(screen().workbench().workspace().session().apply({SetText{1, "Emma met the zebra"}, 0}));
  screen().settle();
  EXPECT_EQ(listed(), "");
  screen().click_item("Text", {1, "known words"});
  EXPECT_NE(listed().find("  Emma  "), std::string::npos);
  EXPECT_EQ(listed().find("zebra"), std::string::npos);
  EXPECT_EQ(listed().find("<unk>"), std::string::npos);
  EXPECT_EQ(ImGui::GetCurrentContext()->OpenPopupStack.Size, 1);
  screen().key(kEscape);
  screen().settle();
  EXPECT_EQ(ImGui::GetCurrentContext()->OpenPopupStack.Size, 0);
  EXPECT_EQ(screen().experiment().text.text, "Emma met the zebra");
}

}  // namespace
}  // namespace attnscope::test
