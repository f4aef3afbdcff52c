// What stays with a document, and what does not, when another one opens.
#include <filesystem>

#include "interface_test.h"
#include "io/desktop/user_state.h"
#include "io/experiments/experiment_file.h"
#include "support/temporary_folder.h"
#include "ui/imgui/fonts.h"
#include "ui/parts/remembered.h"

namespace attnscope::test {
namespace {

class DocumentsOf : public Interface {
 protected:
  void open_lesson(const std::string& name) {
    screen().workbench().open_files({ATTNSCOPE_SOURCE_DIR "/assets/lessons/" + name + ".json"});
    screen().settle();
    ASSERT_NE(screen().workbench().session().lesson(), nullptr) << screen().state().message.text;
  }
};

// "Softmax and 1/√d_k" would be a name in another folder.
TEST_F(DocumentsOf, ALessonIsSavedUnderANameThatCanBeWritten) {
  open_lesson("3-softmax-and-scaling");
  const std::uint64_t seed = screen().experiment().seed;
  ASSERT_TRUE(screen().workbench().workspace().session().apply({SetSeed{seed + 1}, 0}));
  screen().settle();
  screen().workbench().ask_to_quit();
  screen().frame(2);
  ASSERT_EQ(screen().state().dialog.open, ui::Dialog::unsaved);
  screen().key(kEnter);
  screen().frame(2);
  ASSERT_EQ(screen().state().dialog.open, ui::Dialog::save);
  const std::filesystem::path suggested = std::filesystem::absolute(screen().state().dialog.path);
  EXPECT_TRUE(std::filesystem::is_directory(suggested.parent_path())) << suggested;
}

TEST_F(DocumentsOf, AnotherDialogInPlaceOfTheQuestionMeansStaying) {
  const TemporaryFolder folder;
  change_tokens();
  screen().workbench().ask_to_quit();
  screen().frame(2);
  ASSERT_EQ(screen().state().dialog.open, ui::Dialog::unsaved);
  screen().key_with_control('E');
  screen().frame(2);
  ASSERT_EQ(screen().state().dialog.open, ui::Dialog::export_figure);
  screen().key(kEscape);
  screen().frame(2);
  screen().key_with_control('S');
  confirm(folder / "saved.json");
  EXPECT_TRUE(std::filesystem::exists(folder / "saved.json"));
  EXPECT_FALSE(screen().workbench().wants_to_quit());
}

TEST_F(DocumentsOf, AnotherOneIsNotEnlarged) {
  screen().state().camera.zoom = 3;
  Experiment other = screen().experiment();
  other.seed = 77;
  screen().workbench().workspace().open(other, {}, {});
  screen().settle();
  EXPECT_EQ(screen().state().camera, ui::Camera{});
}

TEST_F(DocumentsOf, WhatWasPinnedComesBackAfterALesson) {
  const ui::NamedCell cell = {"weights", {1, 2, 3}};
  screen().state().pinned = cell;
  open_lesson("5-masks");
  screen().click_item("Lesson", {std::string("×##close")});
  screen().settle();
  EXPECT_EQ(screen().workbench().session().lesson(), nullptr);
  EXPECT_EQ(screen().state().pinned, cell);
}

TEST_F(DocumentsOf, FontsThatAreGoneLeaveThoseThatAreLoaded) {
  const ImFont* const before = ImGui::GetIO().FontDefault;
  const FontFiles gone = {"/nowhere/a.ttf", "/nowhere/b.ttf", "/nowhere/c.ttf"};
  const Result<ui::Fonts> fonts = ui::Fonts::load(gone, 1);
  ASSERT_FALSE(fonts);
  EXPECT_EQ(fonts.error().message, "font /nowhere/a.ttf cannot be read");
  EXPECT_EQ(ImGui::GetIO().FontDefault, before);
  screen().frame(2);
}

TEST(RememberedByTwoWindows, EachChangesWhatItChanged) {
  const TemporaryFolder folder;
  ui::Remembered one(folder.path());
  ui::Remembered other(folder.path());
  other.add_recent("/tmp/mine.json");
  other.set_language("de");
  one.set_size(1.5);
  const UserState state = read_user_state(folder.path()).state;
  EXPECT_EQ(state.recent, std::vector<std::string>({"/tmp/mine.json"}));
  EXPECT_EQ(state.language, "de");
  EXPECT_EQ(state.size, 1.5);
  EXPECT_EQ(one.state().recent, state.recent);
}

}  // namespace
}  // namespace attnscope::test
