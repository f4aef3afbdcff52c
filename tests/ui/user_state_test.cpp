// What the window remembers: files that were opened, the theme, work that is not saved.
#include "io/desktop/user_state.h"

#include "interface_test.h"
#include "io/base/file.h"
#include "io/desktop/unsaved_folder.h"
#include "io/experiments/experiment_file.h"
#include "io/figures/content_version.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class Remembered : public Interface {
 protected:
  void start_anew() {
    InterfaceOptions options;
    options.user_folder = folder_ / "user";
    start(options);
    screen().settle();
  }
  std::filesystem::path experiment_file(const std::string& name, std::uint64_t seed) {
    Experiment experiment = *default_experiment("worked-example");
    experiment.seed = seed;
    return folder_.file(name, experiment_json(experiment));
  }
  [[nodiscard]] UserState state() const { return read_user_state(folder_ / "user").state; }
  /// What a program keeps that ends without any order.
  void leave_behind(std::uint64_t seed, const std::string& file, const std::string& version = {},
                    const std::string& view = "flow") const {
    Experiment experiment = *default_experiment("worked-example");
    experiment.seed = seed;
    experiment.view.name = view;
    UnsavedFolder program(folder_ / "user");
    const std::string title = std::filesystem::path(file).filename().string();
    ASSERT_TRUE(program.keep(seed, {std::move(experiment), file, version, title}));
  }
  [[nodiscard]] std::ptrdiff_t unsaved() const {
    std::error_code error;
    std::ptrdiff_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / "user", error))
      files += entry.path().filename().string().starts_with("unsaved-") ? 1 : 0;
    return files;
  }

  TemporaryFolder folder_;
};

TEST_F(Remembered, FilesThatWereOpenedAreOfferedAgain) {
  const auto a = experiment_file("a.json", 5);
  const auto b = experiment_file("b.json", 6);
  start_anew();
  for (const auto& path : {a, b}) {
    screen().workbench().open_files({path.string()});
    screen().settle();
  }
  EXPECT_EQ(state().recent, (std::vector<std::string>{b.string(), a.string()}));
  // What cannot be opened is not offered again.
  screen().workbench().open_files({(folder_ / "none.json").string()});
  EXPECT_EQ(state().recent.size(), 2U);
  start_anew();
  screen().click_item("##MainMenuBar", {std::string("##menubar"), std::string("File")});
  screen().frame(3);
  EXPECT_TRUE(screen().is_open("##Menu_00"));
  // The third entry is the list. It opens under the mouse, and its second entry is the file before the last.
  const Rect menu = screen().window_place("##Menu_00");
  const double line = ImGui::GetFontSize() + ImGui::GetStyle().ItemSpacing.y;
  screen().move({menu.x + 40, menu.y + 8 + 2.5 * line});
  screen().frame(30);
  ASSERT_TRUE(screen().is_open("##Menu_01"));
  const Rect list = screen().window_place("##Menu_01");
  screen().move({list.x + 30, list.y + 8 + 0.5 * line});
  screen().frame(3);
  screen().click({list.x + 30, list.y + 8 + 1.5 * line});
  screen().settle();
  EXPECT_EQ(screen().experiment().seed, 5U);
  EXPECT_EQ(state().recent.front(), a.string());
}

TEST_F(Remembered, UnsavedWorkIsKeptAndForgottenWhenItIsSaved) {
  start_anew();
  EXPECT_EQ(unsaved(), 0);
  screen().key('X');
  screen().key('P');
  screen().frame(2);
  EXPECT_TRUE(screen().workbench().session().modified());
  screen().workbench().workspace().save_now();
  EXPECT_EQ(unsaved(), 1);
  screen().key_with_control('S');
  confirm(folder_ / "kept.json");
  screen().frame(2);
  EXPECT_FALSE(screen().workbench().session().modified());
  screen().workbench().workspace().save_now();
  EXPECT_EQ(unsaved(), 0);
}

TEST_F(Remembered, WhatIsRestoredStaysToBeSaved) {
  leave_behind(77, (folder_ / "x.json").string());
  start_anew();
  screen().workbench().offer_left_behind(false);
  screen().settle();
  EXPECT_EQ(screen().experiment().seed, 77U);
  EXPECT_TRUE(screen().workbench().session().modified());
  EXPECT_EQ(screen().workbench().session().file(), (folder_ / "x.json").string());
  EXPECT_EQ(screen().state().message.text, "restored the unsaved edits of x.json");
  screen().key_with_control('S');
  screen().settle();
  EXPECT_EQ(bytes_of(folder_ / "x.json"), experiment_json(screen().experiment()));
  screen().workbench().workspace().save_now();
  EXPECT_EQ(unsaved(), 0);
}

TEST_F(Remembered, UnsavedEditsAreOfferedWhenTheirFileIsOpened) {
  const auto path = experiment_file("a.json", 5);
  leave_behind(77, path.string(), content_version(bytes_of(path)));
  leave_behind(78, (folder_ / "other.json").string());
  start_anew();
  screen().workbench().open_files({path.string()});
  screen().settle();
  EXPECT_EQ(screen().experiment().seed, 5U);
  ASSERT_EQ(screen().state().dialog.open, ui::Dialog::left_behind);
  ASSERT_EQ(screen().state().dialog.left_behind.size(), 1U) << "those of this file";
  screen().frame(2);
  screen().click_item("Unsaved work/entries",
                      {screen().state().dialog.left_behind[0].path.string(), std::string("Restore")});
  screen().settle();
  EXPECT_EQ(screen().experiment().seed, 77U);
  EXPECT_EQ(screen().workbench().session().file(), path.string());
}

TEST_F(Remembered, UnsavedEditsAreOfferedWhereTheirFileCannotBeRead) {
  const auto path = folder_.file("half.json", R"({"format": "attnscope-exp)");
  leave_behind(77, path.string(), "of the whole file");
  start_anew();
  screen().workbench().open_files({path.string()});
  screen().settle();
  EXPECT_TRUE(screen().state().message.is_error);
  ASSERT_EQ(screen().state().dialog.open, ui::Dialog::left_behind);
  screen().frame(2);
  screen().click_item("Unsaved work/entries",
                      {screen().state().dialog.left_behind[0].path.string(), std::string("Restore")});
  screen().settle();
  EXPECT_EQ(screen().experiment().seed, 77U);
}

TEST_F(Remembered, EditsOfAnOlderVersionBecomeANewDocument) {
  const auto path = experiment_file("a.json", 5);
  leave_behind(77, path.string(), "of another version");
  start_anew();
  screen().workbench().offer_left_behind(false);
  screen().settle();
  EXPECT_EQ(screen().experiment().seed, 77U);
  EXPECT_EQ(screen().workbench().session().file(), "") << "what is in the file is newer";
  EXPECT_EQ(screen().state().message.text, "restored as a new document: a.json was changed after these edits");
}

TEST_F(Remembered, WhatCannotBeRestoredIsSaidAndOfferedAgain) {
  leave_behind(77, "", "", "of a newer version");
  for (int start = 0; start < 2; ++start) {
    start_anew();
    screen().workbench().offer_left_behind(false);
    screen().settle();
    EXPECT_EQ(screen().experiment(), *default_experiment("worked-example"));
    if (start == 0) {
      EXPECT_TRUE(screen().state().message.is_error);
      EXPECT_TRUE(screen().state().message.text.ends_with(" · still available under File > Unsaved work…"))
          << screen().state().message.text;
    } else {
      EXPECT_EQ(screen().state().dialog.open, ui::Dialog::left_behind) << "that is asked, not tried again";
    }
    EXPECT_EQ(unsaved(), 1);
  }
  screen().frame(2);
  screen().click_item("Unsaved work/entries",
                      {screen().state().dialog.left_behind[0].path.string(), std::string("Discard")});
  screen().frame(2);
  EXPECT_EQ(unsaved(), 0);
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::none);
}

TEST_F(Remembered, RestoringIsNotTriedAgainByItselfBeforeItCameToAPicture) {
  leave_behind(77, "");
  start_anew();
  ASSERT_TRUE(screen().workbench().workspace().restore(screen().workbench().workspace().left_behind().front()));
  start_anew();  // which ends the program before it has drawn a frame of it
  screen().workbench().offer_left_behind(false);
  screen().settle();
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::left_behind);
  EXPECT_EQ(screen().experiment().seed, 42U);
}

TEST_F(Remembered, ThatNothingCanBeKeptIsSaidOnce) {
  folder_.file("user", "a file where the folder should be");
  start_anew();
  change_tokens();
  for (int i = 0; i < 100 && screen().state().message.text.empty(); ++i) {
    screen().workbench().workspace().save_now();
    screen().frame(1);
  }
  EXPECT_TRUE(screen().state().message.text.starts_with("unsaved edits cannot be backed up: "))
      << screen().state().message.text;
  screen().state().message.text.clear();
  change_tokens();
  screen().workbench().workspace().save_now();
  screen().frame(3);
  EXPECT_EQ(screen().state().message.text, "");
}

TEST_F(Remembered, ADamagedStateIsSaidAndNothingElse) {
  std::filesystem::create_directories(folder_ / "user");
  ASSERT_TRUE(write_file(folder_ / "user/state.json", "{"));
  start_anew();
  EXPECT_NE(screen().state().message.text.find("state.json is damaged"), std::string::npos);
  EXPECT_EQ(screen().experiment().system, "worked-example");
}

}  // namespace
}  // namespace attnscope::test
