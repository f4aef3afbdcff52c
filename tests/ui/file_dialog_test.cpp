// Files chosen in a dialog of the desktop (a program called zenity that the test wrote), and in our own.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <thread>

#include "interface_test.h"
#include "io/experiments/experiment_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class FileDialogs : public Interface {
 protected:
  void SetUp() override {
    path_ = std::getenv("PATH");
    ::setenv("PATH", (folder_.path().string() + ":/usr/bin:/bin").c_str(), 1);
    start_with(FileDialogKind::zenity);
  }
  void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }

  void start_with(FileDialogKind kind) {
    InterfaceOptions options;
    options.file_dialog = kind;
    start(options);
    screen().settle();
  }

  /// The desktop's dialog: notes that it was asked, waits for the file "go", and does what the script says.
  void desktop(const std::string& script) const {
    const std::string folder = folder_.path().string();
    const auto path =
        folder_.file("zenity", "#!/bin/sh\nfor word; do echo \"$word\"; done > " + folder + "/asked\nwhile [ ! -e " +
                                   folder + "/go ]; do sleep 0.01; done\n" + script + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  void answers() const { folder_.file("go", ""); }
  [[nodiscard]] std::string asked() const { return bytes_of(folder_ / "asked"); }

  /// Frames until that comes true.
  bool wait_for(const std::function<bool()>& condition) {
    for (int i = 0; i < 3000 && !condition(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      screen().frame();
    }
    return condition();
  }
  [[nodiscard]] ui::DialogState& dialog() { return screen().state().dialog; }
  bool closes() {
    return wait_for([&] { return dialog().open == ui::Dialog::none; });
  }

  std::filesystem::path experiment_file(const std::string& name, Index tokens) const {
    Experiment experiment = *default_experiment("worked-example");
    experiment.parameters["tokens"] = tokens;
    return folder_.file(name, experiment_json(experiment));
  }

  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(FileDialogs, TheDesktopsOpensAFileWhileTheWindowGoesOn) {
  const auto path = experiment_file("seven.json", 7);
  desktop("echo " + path.string());
  screen().key_with_control('O');
  // It writes one argument after the other.
  ASSERT_TRUE(wait_for([&] { return asked().find("*.safetensors") != std::string::npos; })) << asked();
  EXPECT_TRUE(dialog().on_desktop);
  EXPECT_NE(asked().find("--title=Open an experiment"), std::string::npos) << asked();
  screen().frame(5);
  EXPECT_EQ(dialog().open, ui::Dialog::open) << "it waits for the desktop";
  answers();
  ASSERT_TRUE(closes());
  screen().settle();
  EXPECT_EQ(screen().workbench().session().file(), path.string());
  EXPECT_EQ(screen().experiment().integer("tokens"), 7);
}

TEST_F(FileDialogs, SeveralFilesAreOpenedOneAfterTheOther) {
  const auto experiment = experiment_file("three.json", 3);
  const auto labels = folder_.file("labels.txt", "a\nb\nc\n");
  desktop("echo " + experiment.string() + "; echo " + labels.string());
  answers();
  screen().key_with_control('O');
  ASSERT_TRUE(wait_for([&] { return screen().experiment().labels.size() == 3; }));
  EXPECT_EQ(screen().experiment().labels, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(screen().workbench().session().file(), experiment.string());
}

TEST_F(FileDialogs, WhatTheDesktopAskedIsNotAskedAgain) {
  const auto path = folder_.file("old.json", "somebody's");
  desktop("echo " + path.string());
  answers();
  screen().key_with_control('S', true);
  ASSERT_TRUE(closes());
  EXPECT_NE(asked().find("--save"), std::string::npos);
  EXPECT_EQ(bytes_of(path), experiment_json(screen().experiment()));
}

TEST_F(FileDialogs, AnEndingThatWeAddIsAskedAbout) {
  folder_.file("old.json", "somebody's");
  desktop("echo " + (folder_ / "old").string());
  answers();
  screen().key_with_control('S', true);
  ASSERT_TRUE(wait_for([&] { return !dialog().question.empty(); }));
  EXPECT_EQ(dialog().question, "old.json already exists. Replace it?");
  EXPECT_FALSE(dialog().on_desktop) << "our own dialog asks";
  EXPECT_EQ(bytes_of(folder_ / "old.json"), "somebody's");
}

TEST_F(FileDialogs, CancellingClosesBoth) {
  desktop("exit 1");
  answers();
  screen().key_with_control('O');
  ASSERT_TRUE(wait_for([&] { return !asked().empty(); }));
  EXPECT_TRUE(closes());
}

TEST_F(FileDialogs, EscapeClosesTheDesktopsToo) {
  desktop("echo " + experiment_file("seven.json", 7).string());
  screen().key_with_control('O');
  ASSERT_TRUE(wait_for([&] { return !asked().empty(); }));
  screen().key(kEscape);
  EXPECT_EQ(dialog().open, ui::Dialog::none);
  answers();
  screen().frame(10);
  EXPECT_TRUE(screen().workbench().session().file().empty());
}

TEST_F(FileDialogs, OurOwnTakesOverWhenTheDesktopsFails) {
  desktop("exit 5");
  answers();
  screen().key_with_control('O');
  ASSERT_TRUE(wait_for([&] { return !dialog().error.empty(); }));
  EXPECT_EQ(dialog().error, "zenity ended without an answer");
  EXPECT_FALSE(dialog().on_desktop);
  confirm(experiment_file("seven.json", 7));
  EXPECT_EQ(screen().experiment().integer("tokens"), 7);
}

TEST_F(FileDialogs, OurOwnAsksWhereTheDesktopHasNone) {
  ::setenv("PATH", folder_.path().c_str(), 1);
  start_with(FileDialogKind::zenity);
  screen().key_with_control('O');
  ASSERT_TRUE(wait_for([&] { return !dialog().on_desktop; }));
  screen().frame(3);
  EXPECT_FALSE(dialog().can_browse) << "it is not tried again";
  confirm(experiment_file("seven.json", 7));
  EXPECT_EQ(screen().experiment().integer("tokens"), 7);
}

TEST_F(FileDialogs, TheExportDialogBrowsesForItsPath) {
  desktop("echo " + (folder_ / "map.svg").string());
  answers();
  screen().key_with_control('E');
  screen().settle();
  screen().click_item("Export the view as a figure", {std::string("Browse…")});
  ASSERT_TRUE(wait_for([&] { return dialog().path == (folder_ / "map.svg").string(); }));
  EXPECT_EQ(dialog().open, ui::Dialog::export_figure);
  screen().frame(2);
  EXPECT_EQ(screen().state().export_settings.formats, (std::array<bool, 3>{false, true, false}));
}

TEST_F(FileDialogs, OurOwnCompletesAndListsFiles) {
  start_with(FileDialogKind::own);
  experiment_file("seven.json", 7);
  folder_.file("notes.md", "");
  std::filesystem::create_directory(folder_ / "models");
  screen().key_with_control('O');
  screen().frame(2);
  screen().retype((folder_ / "sev").string());
  screen().key(kTab);
  EXPECT_EQ(dialog().path, (folder_ / "seven.json").string());
  screen().retype(folder_.path().string() + "/");
  screen().frame(2);
  ASSERT_TRUE(dialog().listed);
  const std::vector<FolderEntry> expected = {{"models", true}, {"seven.json", false}};
  EXPECT_EQ(dialog().listed->entries, expected);
  screen().click_item("Open an experiment/files", {std::string("seven.json##seven.json")});
  EXPECT_EQ(dialog().path, (folder_ / "seven.json").string());
  screen().click_item("Open an experiment/files", {std::string("models/##models")});
  EXPECT_EQ(dialog().path, (folder_ / "models").string() + "/");
}

}  // namespace
}  // namespace attnscope::test
