// Lessons as a student goes through them, by keyboard and mouse.
#include <imgui_internal.h>

#include "core/base/text.h"
#include "interface_test.h"
#include "io/experiments/experiment_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

constexpr int kSpace = ' ';

std::vector<LessonFile> all_lessons() { return lessons_in(ATTNSCOPE_SOURCE_DIR "/assets/lessons"); }

class LessonPanel : public Interface {
 protected:
  // High enough for the lesson to be below the figure.
  void SetUp() override { start_at(1280, 960, 1); }

  void start_at(int width, int height, float scale) {
    InterfaceOptions options;
    options.width = width;
    options.height = height;
    options.scale = scale;
    options.lessons = lessons_;
    start(options);
  }

  void choose(const std::string& menu, const std::string& item) {
    screen().click_item("##MainMenuBar", {std::string("##menubar"), menu});
    screen().click_item("##Menu_00", {item});
    screen().settle();
  }

  void open(std::size_t number) { choose("Lessons", (*lessons_[number].lesson)->title); }
  void open(const std::string& name) { open(number_of(name)); }
  [[nodiscard]] std::size_t number_of(const std::string& name) const {
    const auto found =
        std::ranges::find_if(lessons_, [&](const LessonFile& file) { return file.name.ends_with("-" + name); });
    return static_cast<std::size_t>(found - lessons_.begin());
  }

  void key(int which) {
    screen().key(which);
    screen().settle();
  }

  void press_button(const std::string& label) {
    screen().click_item("Lesson", {label});
    screen().settle();
  }

  void change_seed() {
    ASSERT_TRUE(screen().workbench().workspace().session().apply({SetSeed{screen().experiment().seed + 1}, 0}));
    screen().settle();
  }

  void drag_slider(const std::string& name, double from, double to) {
    const Rect slider = screen().slider(parameter(name).label);
    screen().drag(across(slider, from), across(slider, to), 3);
    screen().release();
    screen().settle();
  }

  [[nodiscard]] const Session& session() { return screen().workbench().session(); }
  [[nodiscard]] const LessonStep& step() { return session().lesson()->steps[session().lesson_step()]; }

  TemporaryFolder folder_;
  std::vector<LessonFile> lessons_ = all_lessons();
};

TEST_F(LessonPanel, TheMenuOpensALesson) {
  EXPECT_FALSE(screen().is_open("Lesson"));
  const double picture = screen().picture_place().height;
  open("by-example");
  ASSERT_TRUE(screen().is_open("Lesson"));
  EXPECT_EQ(session().lesson(), lessons_[number_of("by-example")].lesson->get());
  EXPECT_EQ(screen().experiment(), step().experiment);
  EXPECT_EQ(screen().trace().experiment(), step().experiment);
  EXPECT_LT(screen().picture_place().height, picture);
  ASSERT_TRUE(screen().state().pinned);
  EXPECT_EQ(screen().state().pinned->tensor, "x");
  press_button("×##close");
  EXPECT_FALSE(screen().is_open("Lesson"));
  EXPECT_EQ(screen().picture_place().height, picture);
}

TEST_F(LessonPanel, InALowWindowItIsAboveTheInspector) {
  start_at(1280, 800, 1);
  const double picture = screen().picture_place().height;
  open("why-attention");
  EXPECT_EQ(screen().picture_place().height, picture);
  for (std::size_t i = 0; i < session().lesson()->steps.size(); ++i) {
    const Rect lesson = screen().window_place("Lesson");
    const Rect inspector = screen().window_place("Inspector");
    EXPECT_EQ(lesson.x, inspector.x);
    EXPECT_EQ(lesson.width, inspector.width);
    EXPECT_LT(lesson.bottom(), inspector.y);
    EXPECT_GT(inspector.height, 200);
    press_button("›##next");
    EXPECT_EQ(session().lesson_step(), std::min(i + 1, session().lesson()->steps.size() - 1));
  }
  press_button("‹##previous");
  EXPECT_EQ(session().lesson_step(), session().lesson()->steps.size() - 2);
  change_seed();
  press_button("Back");
  EXPECT_EQ(screen().experiment(), step().experiment);
  // Without the inspector it is below the figure.
  screen().key_with_control(']');
  screen().frame(2);
  EXPECT_FALSE(screen().is_open("Inspector"));
  EXPECT_GT(screen().window_place("Lesson").y, screen().picture_place().y);
  EXPECT_LT(screen().picture_place().height, picture);
  screen().key_with_control(']');
  press_button("×##close");
  EXPECT_FALSE(screen().is_open("Lesson"));
  EXPECT_EQ(screen().window_place("Inspector").y, screen().window_place("Parameters").y);
}

TEST_F(LessonPanel, SpaceAndArrowsStepThroughIt) {
  key(kSpace);
  EXPECT_FALSE(session().can_undo()) << "nothing is open";
  open("by-example");
  key(kLeft);
  EXPECT_EQ(session().lesson_step(), 0U) << "there is nothing before the first";
  const std::size_t count = session().lesson()->steps.size();
  for (std::size_t i = 1; i < count; ++i) {
    key(i % 2 == 0 ? kSpace : kRight);
    ASSERT_EQ(session().lesson_step(), i);
    ASSERT_EQ(screen().trace().experiment(), step().experiment);
    ASSERT_EQ(screen().state().pinned.has_value(), step().cell.has_value());
  }
  key(kSpace);
  EXPECT_EQ(session().lesson_step(), count - 1) << "nor behind the last";
  key(kLeft);
  EXPECT_EQ(session().lesson_step(), count - 2);
}

TEST_F(LessonPanel, FromAnyStepToAnyOther) {
  // A pinned cell and a figure of one system, and the numbers of the next.
  for (const std::size_t number : {0U, 4U, 2U, 1U, 2U, 0U, 1U}) {
    open(number);
    ASSERT_EQ(screen().trace().experiment(), step().experiment);
    const std::string& system = step().experiment.system;
    if (const auto& cell = step().cell) {
      ASSERT_TRUE(screen().trace().find(cell->tensor)) << system;
      EXPECT_EQ(screen().state().pinned->index, cell->index);
    }
    key(kSpace);
  }
}

TEST_F(LessonPanel, ButtonsAndDotsDoTheSame) {
  open("transformer");
  press_button("Next##next");
  EXPECT_EQ(session().lesson_step(), 1U);
  press_button("Previous##previous");
  EXPECT_EQ(session().lesson_step(), 0U);
  screen().click_item("Lesson", {4, std::string("step")});
  screen().settle();
  EXPECT_EQ(session().lesson_step(), 4U);
  EXPECT_EQ(screen().experiment(), step().experiment);
}

TEST_F(LessonPanel, AnEditCanBeTakenBackWithOneButton) {
  open("by-example");
  key(kSpace);
  EXPECT_THROW(screen().item("Lesson", {std::string("Back to the lesson")}), std::runtime_error);
  drag_slider("tokens", 0.3, 0.8);
  EXPECT_NE(screen().experiment(), step().experiment);
  EXPECT_TRUE(screen().is_open("Lesson"));
  const Experiment edited = screen().experiment();
  press_button("Back to the lesson");
  EXPECT_EQ(screen().experiment(), step().experiment);
  EXPECT_EQ(session().lesson_step(), 1U);
  EXPECT_THROW(screen().item("Lesson", {std::string("Back to the lesson")}), std::runtime_error);
  undo();
  EXPECT_EQ(screen().experiment(), edited);
  undo();
  EXPECT_EQ(screen().experiment(), step().experiment);
  undo();
  EXPECT_EQ(session().lesson_step(), 0U);
  redo();
  EXPECT_EQ(session().lesson_step(), 1U);
  // The view is a part of the step too.
  open_view("heads");
  press_button("Back to the lesson");
  EXPECT_EQ(screen().experiment().view, step().experiment.view);
}

TEST_F(LessonPanel, KeysAreNotForItWhileADialogIsOpenOrTextIsTyped) {
  open("by-example");
  screen().key('?');
  screen().frame(2);
  screen().key(kSpace);
  EXPECT_EQ(session().lesson_step(), 0U);
  screen().key(kEscape);
  screen().frame(2);
  screen().key_with_control('S');
  screen().frame(2);
  screen().type("a b");
  screen().key(kSpace);
  screen().key(kRight);
  EXPECT_EQ(session().lesson_step(), 0U);
  screen().key(kEscape);
  screen().frame(2);
  screen().key(kEscape);
  screen().frame(2);
  // Typing a value into a slider.
  screen().control_click(screen().slider(parameter("heads").label).center());
  screen().key(kSpace);
  EXPECT_EQ(session().lesson_step(), 0U);
  screen().key(kEscape);
  screen().frame(2);
  key(kSpace);
  EXPECT_EQ(session().lesson_step(), 1U);
}

TEST_F(LessonPanel, PrintedNumbersStandBesideThoseOnScreen) {
  open("transformer");
  ASSERT_EQ(screen().workbench().lesson().printed().size(), 2U);
  for (const ui::ReferenceTable& table : screen().workbench().lesson().printed())
    EXPECT_EQ(table.computed, table.printed);
  change_seed();
  for (const ui::ReferenceTable& table : screen().workbench().lesson().printed())
    EXPECT_NE(table.computed, table.printed);
  press_button("Back to the lesson");
  for (const ui::ReferenceTable& table : screen().workbench().lesson().printed())
    EXPECT_EQ(table.computed, table.printed);
  key(kSpace);
  EXPECT_TRUE(screen().workbench().lesson().printed().empty());
}

TEST_F(LessonPanel, NoNumbersOfAnotherStepStandBesidePrintedOnes) {
  open("pixels");
  while (step().title != "Batch norm, one projection") screen().key(kSpace);
  // Its own trace takes some frames; until then there is nothing to compare with.
  for (int i = 0; i < 200 && screen().trace().experiment() != step().experiment; ++i) {
    for (const ui::ReferenceTable& table : screen().workbench().lesson().printed())
      ASSERT_TRUE(table.computed[0][0] == "…" || table.computed == table.printed) << table.computed[0][0];
    screen().frame();
  }
  screen().settle();
  ASSERT_EQ(screen().workbench().lesson().printed().size(), 1U);
  EXPECT_EQ(screen().workbench().lesson().printed()[0].computed, screen().workbench().lesson().printed()[0].printed);
}

TEST_F(LessonPanel, BothSidesAreComputedForTheExperimentAsItIs) {
  open("transformer");
  while (step().equivalence.empty()) key(kSpace);
  EXPECT_EQ(step().equivalence, "token-order");
  const auto shape = [&] { return (*screen().workbench().lesson().comparison())->differences.back().axes; };
  ASSERT_NE(screen().workbench().lesson().comparison(), nullptr);
  EXPECT_TRUE((*screen().workbench().lesson().comparison())->agrees());
  EXPECT_EQ(shape()[1].size, 6);
  drag_slider("tokens", 0.3, 0.7);
  EXPECT_TRUE((*screen().workbench().lesson().comparison())->agrees());
  EXPECT_EQ(shape()[1].size, screen().experiment().integer("tokens"));
  EXPECT_NE(shape()[1].size, 6);
  // The next step has a mask, and the claim fails.
  key(kSpace);
  EXPECT_EQ(step().equivalence, "token-order");
  EXPECT_FALSE((*screen().workbench().lesson().comparison())->agrees());
  key(kSpace);
  EXPECT_EQ(screen().workbench().lesson().comparison(), nullptr);
}

TEST_F(LessonPanel, AnotherSystemSaysThatTheClaimIsNotAboutIt) {
  open("transformer");
  while (step().equivalence.empty()) key(kSpace);
  ASSERT_TRUE(screen().workbench().workspace().session().apply({SetSystem{"worked-example"}, 0}));
  screen().settle();
  ASSERT_NE(screen().workbench().lesson().comparison(), nullptr);
  EXPECT_FALSE(*screen().workbench().lesson().comparison());
  EXPECT_TRUE(screen().is_open("Lesson"));
}

TEST_F(LessonPanel, ABadFileIsNamedInTheMenuAndOpensNothing) {
  lessons_ = {{"broken", fail("broken.json: line 1, column 1: nonsense")}};
  start_at(1000, 700, 1);
  screen().click_item("##MainMenuBar", {std::string("##menubar"), std::string("Lessons")});
  screen().frame(2);
  ASSERT_TRUE(screen().is_open("##Menu_00"));
  screen().click({screen().window_place("##Menu_00").x + 30, screen().window_place("##Menu_00").y + 20});
  EXPECT_EQ(session().lesson(), nullptr);
  EXPECT_FALSE(screen().is_open("Lesson"));
  lessons_.clear();
  start_at(1000, 700, 1);
  screen().click_item("##MainMenuBar", {std::string("##menubar"), std::string("Lessons")});
  screen().frame(2);
  EXPECT_TRUE(screen().is_open("##Menu_00"));
}

TEST_F(LessonPanel, NothingIsComputedWhileNothingHappens) {
  open("transformer");
  screen().settle();
  const std::uint64_t figures = screen().workbench().shown_figure().built();
  screen().frame(50);
  EXPECT_EQ(screen().workbench().shown_figure().built(), figures);
  EXPECT_FALSE(screen().workbench().busy());
}

TEST_F(LessonPanel, EveryLetterIsInTheFont) {
  ImFont* const font = ImGui::GetIO().Fonts->Fonts[0];
  EXPECT_FALSE(ui::has_glyph(font, 0x0e01)) << "Thai, which neither font has";
  for (const LessonFile& file : lessons_) {
    const Lesson& lesson = **file.lesson;
    std::string text = lesson.title + lesson.summary + lesson.source;
    for (const LessonStep& each : lesson.steps) text += each.title + each.text + each.look;
    for (const char* at = text.c_str(); *at != '\0';) {
      unsigned int letter = 0;
      const char* from = at;
      at += ImTextCharFromUtf8(&letter, at, nullptr);
      EXPECT_TRUE(ui::has_glyph(font, static_cast<ImWchar>(letter))) << file.name << ": " << std::string(from, at);
    }
  }
}

class LessonLayout : public LessonPanel, public testing::WithParamInterface<WindowSize> {
 protected:
  void SetUp() override { start_at(GetParam().width, GetParam().height, GetParam().scale); }
};

TEST_P(LessonLayout, PartsLieBesideEachOtherInsideTheWindow) {
  const auto expect_apart = [&](const std::vector<std::string>& parts) {
    const Rect window = {0, 0, static_cast<double>(GetParam().width), static_cast<double>(GetParam().height)};
    for (const std::string& a : parts) {
      const Rect place = screen().window_place(a);
      EXPECT_EQ(place.intersection(window), place) << a;
      EXPECT_GT(place.height, 60 * static_cast<double>(GetParam().scale) * (a == "Status" || a == "Views" ? 0.3 : 1))
          << a;
      for (const std::string& b : parts) {
        const Rect common = place.intersection(screen().window_place(b));
        EXPECT_TRUE(a == b || common.width <= 0 || common.height <= 0) << a << " and " << b;
      }
    }
  };
  for (std::size_t number = 0; number < lessons_.size(); number += 4) {
    // Not from the menu, which has to be scrolled in the lowest of these windows.
    ASSERT_TRUE(screen().workbench().workspace().session().apply({OpenLesson{*lessons_[number].lesson}, 0}));
    screen().settle();
    for (std::size_t i = 1; i < session().lesson()->steps.size(); ++i) {
      std::vector<std::string> parts = {"Parameters", "Views", "Figure", "Status", "Lesson"};
      if (screen().is_open("Inspector")) parts.emplace_back("Inspector");
      if (screen().is_open("Text")) parts.emplace_back("Text");
      expect_apart(parts);
      // A comparison that has just come may bring a scroll bar, and the rows get narrower in the frame after.
      screen().settle();
      screen().frame(2);
      // Nothing is wider than its place; what is higher scrolls.
      for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
        if (!window->Active || !std::string_view(window->Name).starts_with("Lesson")) continue;
        EXPECT_LE(window->ContentSize.x, window->ContentRegionRect.GetWidth() + 1)
            << window->Name << ": " << step().title;
      }
      key(kSpace);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Windows, LessonLayout,
                         testing::Values(WindowSize{1024, 700, 1}, WindowSize{1280, 800, 1}, WindowSize{2560, 1600, 1},
                                         WindowSize{1024, 700, 2}, WindowSize{1280, 800, 2}, WindowSize{2560, 1600, 2}),
                         [](const auto& size) {
                           return std::to_string(size.param.width) + "x" + std::to_string(size.param.height) + "Scale" +
                                  std::to_string(static_cast<int>(size.param.scale));
                         });

TEST_F(LessonPanel, UndoThatGoesBackToAStepPinsItsCell) {
  open("by-example");
  key(kRight);
  const auto of_second = screen().state().pinned;
  key(kLeft);
  ASSERT_NE(screen().state().pinned, of_second);
  screen().key_with_control('Z');
  screen().settle();
  ASSERT_EQ(screen().workbench().session().lesson_step(), 1U);
  EXPECT_EQ(screen().state().pinned, of_second);
}

// A presenter's remote control sends these.
TEST_F(LessonPanel, PagesAreSteps) {
  open("by-example");
  key(platform::KeyPress::kPageDown);
  key(platform::KeyPress::kPageDown);
  EXPECT_EQ(screen().workbench().session().lesson_step(), 2U);
  key(platform::KeyPress::kPageUp);
  EXPECT_EQ(screen().workbench().session().lesson_step(), 1U);
}

}  // namespace
}  // namespace attnscope::test
