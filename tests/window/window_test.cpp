// The program in its window, on a screen of its own, driven from outside by mouse and keyboard.
#include <gtest/gtest.h>

#include "screen.h"

namespace attnscope::test {
namespace {

TEST(Window, WithoutADisplayNamesTheCommandsThatNeedNone) {
  const Outcome outcome = run_program({});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(is_one_line_ended(outcome.err));
  for (const char* command : {"trace", "figure", "explain"}) {
    EXPECT_NE(outcome.err.find(command), std::string::npos) << outcome.err;
  }
}

TEST(Window, ADisplayThatDoesNotAnswerIsSaid) {
  const Outcome outcome = run_program({}, {{{"DISPLAY", ":4711"}}, ""});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(is_one_line_ended(outcome.err));
  EXPECT_NE(outcome.err.find("display"), std::string::npos) << outcome.err;
}

// Where the mouse touches nothing: the status bar.
constexpr const char* kBeside = "mousemove 600 790";

class OnScreen : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string missing = Screen::missing_program();
    if (!missing.empty()) GTEST_SKIP() << missing << " is not installed";
    screen_.emplace();
  }

  [[nodiscard]] Screen& screen() { return *screen_; }

 private:
  std::optional<Screen> screen_;
};

TEST_F(OnScreen, ASliderIsDraggedThePictureFollowsAndControlQEndsIt) {
  RunningProgram program(screen());
  screen().xdotool(kBeside);
  const std::vector<std::uint8_t> before = screen().picture_at_rest();
  // The knob of "Tokens", the first slider, is found by its colour.
  const std::optional<std::pair<int, int>> knob = screen().find_color({0x5A, 0xA9, 0xFF}, 0, 60, 264, 400);
  ASSERT_TRUE(knob) << "no slider on the screen";
  const auto [x, y] = *knob;
  screen().xdotool("mousemove " + std::to_string(x + 2) + " " + std::to_string(y));
  screen().xdotool("mousedown 1");
  // ImGui before 1.87 sees a press where the mouse is in the next frame: nobody is as quick as this test.
  (void)screen().picture_at_rest();
  screen().xdotool("mousemove " + std::to_string(x + 60) + " " + std::to_string(y));
  screen().xdotool("mousemove " + std::to_string(x + 150) + " " + std::to_string(y));
  const std::vector<std::uint8_t> dragged = screen().picture_at_rest();
  EXPECT_GT(screen().different_pixels(before, dragged, 300, 100, 900, 700), 5000) << "it does not follow the drag";
  screen().xdotool("mouseup 1");
  screen().xdotool(kBeside);
  screen().xdotool("key ctrl+z");
  const std::vector<std::uint8_t> undone = screen().picture_at_rest();
  EXPECT_EQ(screen().different_pixels(before, undone, 300, 100, 900, 700), 0);
  screen().xdotool("key ctrl+q");
  EXPECT_EQ(program.wait(), 0) << program.errors();
  EXPECT_EQ(program.errors(), "");
}

TEST_F(OnScreen, TheWindowTakesNoProcessorWhileNothingHappens) {
  RunningProgram program(screen());
  screen().xdotool("mousemove 500 400");
  (void)screen().picture_at_rest();
  // Whatever is still to be settled after the last movement, such as a tooltip.
  const long before = program.ticks_after_seconds(2);
  const long after = program.ticks_after_seconds(2);
  EXPECT_LE(after - before, 1) << "ticks of the processor in two seconds";
  screen().xdotool("key ctrl+q");
  EXPECT_EQ(program.wait(), 0) << program.errors();
}

TEST_F(OnScreen, OpensAsLargeAsItWasClosed) {
  const TemporaryFolder user;
  const auto closed_as = [&](const std::string& size) {
    RunningProgram program(screen(), {}, user.path());
    screen().xdotool("windowsize --sync " + screen().window() + " " + size);
    (void)screen().picture_at_rest();
    screen().xdotool("key ctrl+q");
    EXPECT_EQ(program.wait(), 0) << program.errors();
    return program.first_size();
  };
  EXPECT_EQ(closed_as("1000 640"), "1280 800");
  EXPECT_EQ(closed_as("900 700"), "1000 640");
  // From a larger screen.
  const auto file = user / "attnscope/state.json";
  std::string state = bytes_of(file);
  const std::size_t width = state.find("900");
  ASSERT_NE(width, std::string::npos) << state;
  std::ofstream(file) << state.replace(width, 3, "4000");
  EXPECT_EQ(closed_as("900 700"), "1280 700");
}

TEST_F(OnScreen, AnExperimentIsOpenedWithItsViewAndInTheThemeAskedFor) {
  const TemporaryFolder folder;
  const std::string path = folder
                               .file("heads.json", R"({"format": "attnscope-experiment/1", "system": "worked-example",)"
                                                   R"( "params": {"heads": 2}, "view": {"name": "heads"}})")
                               .string();
  std::vector<std::uint8_t> first;
  {
    RunningProgram program(screen());
    first = screen().picture_at_rest();
    screen().xdotool("key ctrl+q");
    EXPECT_EQ(program.wait(), 0);
  }
  RunningProgram program(screen(), {path, "--theme", "light"});
  EXPECT_GT(screen().different_pixels(first, screen().picture_at_rest(), 300, 100, 900, 700), 20000);
  EXPECT_EQ(screen().window_title(), "heads.json — attnscope");
  screen().xdotool("key ctrl+q");
  EXPECT_EQ(program.wait(), 0) << program.errors();
}

TEST_F(OnScreen, WithoutItsFilesItSaysSoInOneLine) {
  // A copy alone in its folder, so it finds none of its data files.
  const TemporaryFolder folder;
  const std::filesystem::path program = folder / "bin" / "attnscope";
  std::filesystem::create_directory(program.parent_path());
  std::filesystem::copy_file(ATTNSCOPE_PROGRAM, program);
  const std::string command = "env -i DISPLAY=" + screen().display() + " ATTNSCOPE_DATA=" + folder.path().string() +
                              " timeout 60 " + program.string() + " >" + (folder / "out").string() + " 2>" +
                              (folder / "err").string();
  EXPECT_EQ(shell(command), 1);
  EXPECT_EQ(bytes_of(folder / "out"), "");
  const std::string errors = bytes_of(folder / "err");
  EXPECT_TRUE(is_one_line_ended(errors));
  EXPECT_NE(errors.find("shaders"), std::string::npos) << errors;
}

TEST_F(OnScreen, AShaderThatIsNotThereIsNamed) {
  const TemporaryFolder data;
  std::filesystem::create_directory(data / "shaders");
  const Outcome outcome = run_program(
      {}, {{{"DISPLAY", screen().display()}, {"ATTNSCOPE_DATA", data.path().string()}, {"LIBGL_ALWAYS_SOFTWARE", "1"}},
           ""});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(is_one_line_ended(outcome.err));
  EXPECT_NE(outcome.err.find("heatmap.vert"), std::string::npos) << outcome.err;
}

TEST_F(OnScreen, AnOpenGlThatIsTooOldIsNamedWithTheWayOut) {
  const Outcome outcome = run_program(
      {}, {{{"DISPLAY", screen().display()}, {"MESA_GL_VERSION_OVERRIDE", "2.1"}, {"LIBGL_ALWAYS_SOFTWARE", "1"}}, ""});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(is_one_line_ended(outcome.err));
  EXPECT_NE(outcome.err.find("needs OpenGL 3.3, found 2.1"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("LIBGL_ALWAYS_SOFTWARE=1"), std::string::npos) << outcome.err;
}

TEST_F(OnScreen, WhatWasNotSavedIsThereAgainAfterAnEndWithoutWarning) {
  const TemporaryFolder user;
  const auto unsaved = [&] {
    int files = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(user / "attnscope", error))
      files += entry.path().filename().string().starts_with("unsaved-") ? 1 : 0;
    return files;
  };
  {
    RunningProgram program(screen(), {}, user.path());
    (void)screen().picture_at_rest();
    EXPECT_EQ(unsaved(), 0);
    // A head is switched off: an edit that is not saved.
    screen().xdotool("key x");
    (void)screen().picture_at_rest();
    EXPECT_NE(screen().window_title().find("(edited)"), std::string::npos) << screen().window_title();
    EXPECT_EQ(unsaved(), 1);
    program.kill();
  }
  EXPECT_EQ(unsaved(), 1);
  RunningProgram again(screen(), {}, user.path());
  (void)screen().picture_at_rest();
  EXPECT_NE(screen().window_title().find("(edited)"), std::string::npos) << "restored, and still to be saved";
  // Asked whether to save it, the user does.
  // Held for longer than a frame, which is what dialogs see of the keyboard.
  const auto hold = [&](const std::string& key) {
    screen().xdotool("keydown " + key + " sleep 0.2 keyup " + key);
    std::this_thread::sleep_for(500ms);
  };
  screen().xdotool("key ctrl+q");
  (void)screen().picture_at_rest();
  hold("Return");
  screen().xdotool("keydown ctrl");
  hold("a");
  screen().xdotool("keyup ctrl");
  screen().xdotool("type " + (user / "saved.json").string());
  std::this_thread::sleep_for(500ms);
  hold("Return");
  EXPECT_EQ(again.wait(), 0);
  EXPECT_EQ(unsaved(), 0);
  EXPECT_NE(bytes_of(user / "saved.json").find("\"heads_off\": [0]"), std::string::npos);
}

TEST_F(OnScreen, WhateverEndsTheProgramTheEditsAreKept) {
  for (const int signal : {SIGTERM, SIGHUP, SIGINT}) {
    const TemporaryFolder user;
    RunningProgram program(screen(), {}, user.path());
    (void)screen().picture_at_rest();
    screen().xdotool("key x");
    for (int i = 0; i < 500 && screen().window_title().find("(edited)") == std::string::npos; ++i)
      std::this_thread::sleep_for(10ms);
    program.tell(signal);
    EXPECT_EQ(program.wait(), -signal);
    std::string kept;
    for (const auto& entry : std::filesystem::directory_iterator(user / "attnscope")) {
      if (entry.path().filename().string().starts_with("unsaved-")) kept += bytes_of(entry.path());
    }
    EXPECT_NE(kept.find("\"heads_off\": [0]"), std::string::npos) << signal << ": " << kept;
  }
}

TEST_F(OnScreen, TheEndOfTheDisplayLeavesTheEdits) {
  const TemporaryFolder user;
  std::optional<Screen> display(std::in_place);
  RunningProgram program(*display, {}, user.path());
  (void)display->picture_at_rest();
  display->xdotool("key x");
  for (int i = 0; i < 500 && display->window_title().find("(edited)") == std::string::npos; ++i)
    std::this_thread::sleep_for(10ms);
  display.reset();
  EXPECT_NE(program.wait(), 0);
  std::string kept;
  for (const auto& entry : std::filesystem::directory_iterator(user / "attnscope")) {
    if (entry.path().filename().string().starts_with("unsaved-")) kept += bytes_of(entry.path());
  }
  EXPECT_NE(kept.find("\"heads_off\": [0]"), std::string::npos) << kept;
}

}  // namespace
}  // namespace attnscope::test
