// The file dialogs of zenity and kdialog: programs of that name in PATH that a test wrote.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "io/desktop/file_dialog.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class DialogProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::getenv("PATH");
    ::setenv("PATH", (folder_.path().string() + ":/usr/bin:/bin").c_str(), 1);
    ::unsetenv("DBUS_SESSION_BUS_ADDRESS");
    ::unsetenv("XDG_RUNTIME_DIR");
  }
  void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }

  /// A program that notes its arguments, each on a line, and then does what the script says.
  void program(const std::string& name, const std::string& script) const {
    const auto path =
        folder_.file(name, "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$(dirname \"$0\")/words\"\n" + script + "\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  [[nodiscard]] std::string words() const { return bytes_of(folder_ / "words"); }

  static FileQuestion question() {
    FileQuestion asked;
    asked.title = "Open an experiment";
    asked.start = "/home/you/maps/";
    asked.filters = {{"Experiments", {"*.json", "*.png"}}, {"All files", {"*"}}};
    asked.parent_window = "x11:1a2b";
    return asked;
  }

  TemporaryFolder folder_;
  std::string path_;
};

TEST_F(DialogProgram, ZenityIsAskedForFilesToOpen) {
  program("zenity", "printf '/tmp/a b.json\\n/tmp/ä.json\\n'; echo a warning >&2");
  FileQuestion asked = question();
  asked.several = true;
  const auto files = ask_for_files(FileDialogKind::zenity, asked, {});
  ASSERT_TRUE(files && *files);
  EXPECT_EQ(**files, (ChosenFiles{"/tmp/a b.json", "/tmp/ä.json"}));
  EXPECT_EQ(words(),
            "--file-selection\n--title=Open an experiment\n--separator=\n\n--filename=/home/you/maps/\n--multiple\n"
            "--file-filter=Experiments | *.json *.png\n--file-filter=All files | *\n");
}

TEST_F(DialogProgram, ZenityIsAskedWhereToSave) {
  program("zenity", "echo /tmp/x.json");
  FileQuestion asked = question();
  asked.saves = true;
  asked.start = "/home/you/$(touch x).json";
  asked.filters.clear();
  const auto files = ask_for_files(FileDialogKind::zenity, asked, {});
  ASSERT_TRUE(files && *files);
  EXPECT_EQ(**files, ChosenFiles{"/tmp/x.json"});
  EXPECT_EQ(words(),
            "--file-selection\n--title=Open an experiment\n--separator=\n\n--filename=/home/you/$(touch x).json\n"
            "--save\n--confirm-overwrite\n");
}

TEST_F(DialogProgram, KdialogStaysInFrontOfTheWindow) {
  program("kdialog", "echo /tmp/x.json");
  const auto files = ask_for_files(FileDialogKind::kdialog, question(), {});
  ASSERT_TRUE(files && *files);
  EXPECT_EQ(**files, ChosenFiles{"/tmp/x.json"});
  EXPECT_EQ(words(),
            "--title\nOpen an experiment\n--attach\n0x1a2b\n--getopenfilename\n/home/you/maps/\n"
            "Experiments (*.json *.png)\nAll files (*)\n");
}

TEST_F(DialogProgram, CancellingChoosesNothing) {
  program("kdialog", "exit 1");
  FileQuestion asked = question();
  asked.saves = true;
  const auto files = ask_for_files(FileDialogKind::kdialog, asked, {});
  ASSERT_TRUE(files && *files);
  EXPECT_TRUE((*files)->empty());
  EXPECT_NE(words().find("--getsavefilename"), std::string::npos);
}

TEST_F(DialogProgram, AFailureIsAnError) {
  program("zenity", "exit 5");
  const auto files = ask_for_files(FileDialogKind::zenity, question(), {});
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().message, "zenity ended without an answer");
}

TEST_F(DialogProgram, AStopClosesIt) {
  program("zenity", "exec sleep 100");
  const StopSource stop;
  stop.request_stop_at(StopClock::now() + std::chrono::milliseconds(100));
  const auto files = ask_for_files(FileDialogKind::zenity, question(), stop.token());
  ASSERT_TRUE(files && *files);
  EXPECT_TRUE((*files)->empty());
}

TEST_F(DialogProgram, TheFirstThatWorksIsChosen) {
  ::setenv("PATH", folder_.path().c_str(), 1);
  EXPECT_EQ(*ask_for_files(FileDialogKind::automatic, question(), {}), std::nullopt) << "there is none";
  program("kdialog", "echo /tmp/k.json");
  ::setenv("PATH", (folder_.path().string() + ":/usr/bin:/bin").c_str(), 1);
  EXPECT_EQ(*ask_for_files(FileDialogKind::automatic, question(), {}), ChosenFiles{"/tmp/k.json"});
  program("zenity", "echo /tmp/z.json");
  EXPECT_EQ(*ask_for_files(FileDialogKind::automatic, question(), {}), ChosenFiles{"/tmp/z.json"});
  EXPECT_EQ(*ask_for_files(FileDialogKind::own, question(), {}), std::nullopt);
}

TEST(FileDialogKinds, AreNamedInTheEnvironment) {
  ::unsetenv("ATTNSCOPE_FILE_DIALOG");
  EXPECT_EQ(*file_dialog_from_environment(), FileDialogKind::automatic);
  ::setenv("ATTNSCOPE_FILE_DIALOG", "kdialog", 1);
  EXPECT_EQ(*file_dialog_from_environment(), FileDialogKind::kdialog);
  ::setenv("ATTNSCOPE_FILE_DIALOG", "qt", 1);
  const auto kind = file_dialog_from_environment();
  ::unsetenv("ATTNSCOPE_FILE_DIALOG");
  ASSERT_FALSE(kind);
  EXPECT_EQ(kind.error().message,
            "ATTNSCOPE_FILE_DIALOG: \"qt\" is unknown; allowed: automatic, portal, zenity, kdialog or own");
}

}  // namespace
}  // namespace attnscope::test
