// Saving and exporting from the window where nothing can be written: the document stays, and the window says why.
#include <sys/resource.h>

#include <csignal>

#include "interface_test.h"
#include "io/experiments/experiment_file.h"
#include "support/disk.h"

namespace attnscope::test {
namespace {

/// While it lives no file can grow beyond a few bytes: what a full disk is to a program, and needs no rights to make.
class NoRoom {
 public:
  NoRoom() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit small = {16, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  }
  ~NoRoom() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, handler_);
  }
  NoRoom(const NoRoom&) = delete;
  NoRoom& operator=(const NoRoom&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

/// A document that was opened from a file and changed since.
class Unwritable : public Interface {
 protected:
  void SetUp() override {
    Interface::SetUp();
    Experiment experiment = *default_experiment("worked-example");
    experiment.seed = 5;
    path_ = folder_.file("document.json", experiment_json(experiment));
    old_ = bytes_of(path_);
    screen().workbench().open_files({path_.string()});
    screen().settle();
    screen().key('X');  // switches a head off
    screen().settle();
    ASSERT_TRUE(screen().workbench().session().modified());
    changed_ = screen().experiment();
    ASSERT_NE(experiment_json(changed_), old_);
  }

  /// The window says why, and nothing is lost: neither what is on the disk nor what is on the screen.
  void expect_kept(const std::filesystem::path& file, const std::string& reason) {
    EXPECT_EQ(screen().state().message.text, file.string() + ": " + reason);
    EXPECT_TRUE(screen().state().message.is_error);
    EXPECT_EQ(bytes_of(path_), old_);
    EXPECT_EQ(folder_.size(), 1) << "something is left behind";
    EXPECT_TRUE(screen().workbench().session().modified());
    EXPECT_EQ(screen().workbench().session().file(), path_.string());
    EXPECT_EQ(screen().experiment(), changed_);
    EXPECT_EQ(screen().workbench().window_title(), "document.json (edited) — attnscope");
  }

  /// And saves once there is nothing in the way.
  void expect_saved_at_last() {
    screen().key_with_control('S');
    screen().frame(3);
    EXPECT_EQ(bytes_of(path_), experiment_json(changed_));
    EXPECT_FALSE(screen().workbench().session().modified());
    EXPECT_EQ(folder_.size(), 1);
  }

  void confirm_path(const std::filesystem::path& path) {
    screen().frame(2);
    screen().retype(path.string());
    screen().key(kEnter);
    screen().frame(3);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_;
  std::string old_;
  Experiment changed_;
};

TEST_F(Unwritable, AProtectedFolderKeepsTheDocumentUnsaved) {
  {
    const ProtectedFolder is_protected(folder_.path());
    const WithoutPrivilege user;
    screen().key_with_control('S');
    screen().frame(3);
    expect_kept(path_, "Permission denied");
    // Under another name there as little: the dialog stays, with what is wrong.
    screen().key_with_control('S', true);
    confirm_path(folder_ / "other.json");
    expect_kept(folder_ / "other.json", "Permission denied");
    EXPECT_EQ(screen().state().dialog.open, ui::Dialog::save);
    EXPECT_EQ(screen().state().dialog.error, (folder_ / "other.json").string() + ": Permission denied");
    screen().key(kEscape);
    screen().frame(3);
    EXPECT_EQ(screen().state().dialog.open, ui::Dialog::none);
  }
  expect_saved_at_last();
}

TEST_F(Unwritable, AFullDiskKeepsTheDocumentUnsaved) {
  {
    const NoRoom no_room;
    screen().key_with_control('S');
    screen().frame(3);
  }
  expect_kept(path_, "File too large");
  expect_saved_at_last();
}

TEST_F(Unwritable, FiguresThatFindNoRoomLeaveWhatWasThere) {
  for (const char* name : {"figure.pdf", "figure.svg", "figure.png"}) {
    const std::filesystem::path figure = folder_.file(name, "old");
    {
      const NoRoom no_room;
      screen().key_with_control('E');
      confirm_path(figure);
      screen().settle();
      EXPECT_NE(screen().state().dialog.question, "");
      screen().key(kEnter);
      screen().settle();
    }
    EXPECT_EQ(screen().state().message.text, figure.string() + ": File too large");
    EXPECT_TRUE(screen().state().message.is_error);
    EXPECT_EQ(screen().state().dialog.open, ui::Dialog::export_figure);
    EXPECT_EQ(bytes_of(figure), "old");
    EXPECT_EQ(folder_.size(), 2) << "something is left behind";
    screen().key(kEscape);
    screen().frame(3);
    std::filesystem::remove(figure);
  }
}

}  // namespace
}  // namespace attnscope::test
