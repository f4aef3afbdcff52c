// Files that are not what they should be, and writing that fails midway.

#include "io/base/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <vector>

#include "support/disk.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMost = 1000;

std::string trouble_reading(const fs::path& path) {
  const Result<std::string> read = read_file(path, kMost);
  return read ? "none" : read.error().message;
}

std::string trouble_writing(const fs::path& path, std::string_view bytes = "new") {
  const Result<void> written = write_file(path, bytes);
  return written ? "none" : written.error().message;
}

TEST(ReadFile, ReadsBytesAsTheyAre) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\r\n\xff", 6);
  EXPECT_EQ(*read_file(folder.file("some", bytes), kMost), bytes);
  EXPECT_EQ(*read_file(folder.file("empty", ""), kMost), "");
  EXPECT_EQ(read_file(folder.file("full", std::string(kMost, 'x')), kMost)->size(), kMost);
}

TEST(ReadFile, ReadsFilesOfUnknownSize) {
  EXPECT_NE(read_file("/proc/self/status", 100'000)->find("Pid:"), std::string::npos);
}

TEST(ReadFile, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(trouble_reading(folder.path()), folder.path().string() + ": is a folder, not a file");
  EXPECT_EQ(trouble_reading(folder / "pipe"), (folder / "pipe").string() + ": is a pipe, not a file");
  EXPECT_EQ(trouble_reading("/dev/zero"), "/dev/zero: is a device, not a file");
  EXPECT_EQ(trouble_reading(folder / "none"), (folder / "none").string() + ": No such file or directory");
  EXPECT_EQ(trouble_reading(""), "\"\": No such file or directory");
  fs::create_symlink("loop", folder / "loop");
  EXPECT_NE(trouble_reading(folder / "loop").find("symbolic links"), std::string::npos);
}

TEST(ReadFile, RefusesLargeFilesBeforeTakingMemory) {
  const TemporaryFolder folder;
  const fs::path huge = folder.file("huge", "");
  fs::resize_file(huge, std::uintmax_t{1} << 40U);  // a hole: takes no room on the disk
  EXPECT_EQ(trouble_reading(huge), huge.string() + ": the file has 1.1 TB; allowed: 1.0 kB");
  EXPECT_NE(trouble_reading(folder.file("more", std::string(kMost + 1, 'x'))).find("allowed: 1.0 kB"),
            std::string::npos);
  // Claims to have no bytes, and then has some.
  const Result<std::string> endless = read_file("/proc/self/maps", 10);
  ASSERT_FALSE(endless);
  EXPECT_EQ(endless.error().message, "/proc/self/maps: the file is over 10 B");
}

TEST(ReadFile, ShowsStrangeNamesSafely) {
  const TemporaryFolder folder;
  const std::string message = trouble_reading(folder / "a \"b\"\n\x1b[31m\xff");
  EXPECT_TRUE(is_one_line(message));
  EXPECT_TRUE(message.ends_with("/a \"b\"\\x0a\\x1b[31m\\xff\": No such file or directory")) << message;
}

TEST(WriteFile, WritesNewFilesAndReplacesOldOnes) {
  const TemporaryFolder folder;
  const fs::path path = folder / "out";
  EXPECT_EQ(trouble_writing(path, "first"), "none");
  EXPECT_EQ(bytes_of(path), "first");
  const std::string large(3'000'000, 'x');
  EXPECT_EQ(trouble_writing(path, large), "none");
  EXPECT_EQ(bytes_of(path), large);
  EXPECT_EQ(folder.size(), 1);
}

TEST(WriteFile, KeepsPermissions) {
  const TemporaryFolder folder;
  const fs::path path = folder.file("out", "old");
  fs::permissions(path, fs::perms(0640));
  EXPECT_EQ(trouble_writing(path), "none");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms(0640));
  const ::mode_t mask = ::umask(027);
  EXPECT_EQ(trouble_writing(folder / "fresh"), "none");
  ::umask(mask);
  EXPECT_EQ(fs::status(folder / "fresh").permissions(), fs::perms(0640));
}

TEST(WriteFile, WritesWhatALinkPointsTo) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "below");
  folder.file("below/target", "old");
  fs::create_symlink("below/target", folder / "link");
  fs::create_symlink("link", folder / "link-to-link");
  EXPECT_EQ(trouble_writing(folder / "link-to-link"), "none");
  EXPECT_TRUE(fs::is_symlink(folder / "link") && fs::is_symlink(folder / "link-to-link"));
  EXPECT_EQ(bytes_of(folder / "below/target"), "new");

  fs::create_symlink("below/not-yet", folder / "dangling");
  EXPECT_EQ(trouble_writing(folder / "dangling"), "none");
  EXPECT_EQ(bytes_of(folder / "below/not-yet"), "new");

  fs::create_symlink("loop", folder / "loop");
  EXPECT_NE(trouble_writing(folder / "loop").find("symbolic links"), std::string::npos);
}

TEST(WriteFile, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  const std::string name = folder.path().string();
  EXPECT_EQ(trouble_writing(folder.path()), name + ": is a folder, not a file");
  EXPECT_EQ(trouble_writing(name + "/"), name + "/: is a folder, not a file");
  EXPECT_EQ(trouble_writing(name + "/new/"), name + "/new/: is a folder, not a file");
  EXPECT_EQ(trouble_writing(""), "the name of the file to write is empty");
  EXPECT_EQ(trouble_writing("/dev/null"), "/dev/null: is a device, not a file");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(trouble_writing(folder / "pipe"), name + "/pipe: is a pipe, not a file");
  EXPECT_EQ(trouble_writing(folder / "none/out"), name + "/none/out: No such file or directory");
  folder.file("file", "");
  EXPECT_EQ(trouble_writing(folder / "file/out"), name + "/file/out: Not a directory");
  EXPECT_TRUE(trouble_writing("/proc/out").starts_with("/proc/out: "));
}

TEST(WriteFile, ReadOnlyFolderKeepsTheOldFile) {
  const TemporaryFolder folder;
  const fs::path path = folder.file("out", "old");
  {
    const ProtectedFolder is_protected(folder.path());
    const WithoutPrivilege user;
    EXPECT_EQ(trouble_writing(path), path.string() + ": Permission denied");
    EXPECT_EQ(trouble_writing(folder / "fresh"), (folder / "fresh").string() + ": Permission denied");
  }
  EXPECT_EQ(bytes_of(path), "old");
  fs::permissions(path, fs::perms(0444));
  fs::permissions(folder.path(), fs::perms(0777));
  {
    const WithoutPrivilege user;
    EXPECT_EQ(trouble_writing(path), path.string() + ": Permission denied") << "though the folder is not protected";
  }
  EXPECT_EQ(bytes_of(path), "old");
  EXPECT_EQ(folder.size(), 1);
}

TEST(WriteFile, FullDiskKeepsTheOldFileAndLeavesNothingBehind) {
  const TemporaryFolder folder;
  const fs::path path = folder.file("out", "old");
  rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {10'000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string trouble = trouble_writing(path, std::string(1'000'000, 'x'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  (void)std::signal(SIGXFSZ, handler);
  EXPECT_EQ(trouble, path.string() + ": File too large");
  EXPECT_EQ(bytes_of(path), "old");
  EXPECT_EQ(folder.size(), 1);
}

TEST(AtomicFile, TheOldFileStaysUntilTheEnd) {
  const TemporaryFolder folder;
  const fs::path path = folder.file("out", "old");
  const ::pid_t child = ::fork();
  if (child == 0) {  // dies while saving
    Result<AtomicFile> file = AtomicFile::create(path);
    (void)file->write(std::string(1'000'000, 'x'));
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(bytes_of(path), "old");
  {
    Result<AtomicFile> file = AtomicFile::create(path);
    ASSERT_TRUE(file && file->write("half"));
    AtomicFile moved = std::move(*file);
    EXPECT_EQ(moved.size(), 4U);
  }
  EXPECT_EQ(bytes_of(path), "old");
  EXPECT_LE(folder.size(), 2);  // with what the dead one left
}

/// The number of a process that has ended.
::pid_t dead_process() {
  const ::pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(AtomicFile, RemovesWhatKilledProgramsLeft) {
  using std::chrono::hours;
  const auto now = fs::file_time_type::clock::now();
  const TemporaryFolder folder;
  const auto temporary = [&](::pid_t process, const std::string& rest, hours age) {
    const fs::path path = folder.file(".attnscope-" + std::to_string(process) + rest, "half");
    fs::last_write_time(path, now - age);
    return path;
  };
  const ::pid_t dead = dead_process();
  const std::vector<fs::path> leftovers = {temporary(dead, "-0.tmp", hours(2)), temporary(dead, "-17.tmp", hours(2))};
  std::vector<fs::path> others = {
      temporary(::getpid(), "-1000000.tmp", hours(2)),  // being written
      temporary(dead, "-3.tmp", hours(0)),              // perhaps on another machine that shares the folder
      temporary(dead, "-4.json", hours(2)),
      temporary(dead, "-.tmp", hours(2)),
      temporary(dead, ".tmp", hours(2)),
      temporary(dead, "-5x.tmp", hours(2)),
      temporary(dead, "--5.tmp", hours(2)),
      folder.file(".attnscope--1-0.tmp", "")};
  fs::create_directory(folder / (".attnscope-" + std::to_string(dead) + "-6.tmp"));
  others.push_back(folder / (".attnscope-" + std::to_string(dead) + "-6.tmp"));
  fs::create_symlink("out", folder / (".attnscope-" + std::to_string(dead) + "-7.tmp"));
  others.push_back(folder / (".attnscope-" + std::to_string(dead) + "-7.tmp"));

  const fs::path frames = folder / (".attnscope-" + std::to_string(dead) + "-8.frames");
  const fs::path young = folder / (".attnscope-" + std::to_string(dead) + "-9.frames");
  for (const fs::path& path : {frames, young}) fs::create_directories(path / "inner");
  fs::last_write_time(frames, now - hours(2));
  others.push_back(young);
  others.push_back(folder.file(".attnscope-" + std::to_string(dead) + "-10.frames", "no folder"));

  EXPECT_EQ(trouble_writing(folder / "out"), "none");
  EXPECT_FALSE(fs::exists(frames));
  for (const fs::path& path : leftovers) EXPECT_FALSE(fs::exists(fs::symlink_status(path))) << path;
  for (const fs::path& path : others) EXPECT_TRUE(fs::exists(fs::symlink_status(path))) << path;
  EXPECT_EQ(bytes_of(folder / "out"), "new");
}

TEST(StagingFolder, IsOursAloneAndGoesAway) {
  const TemporaryFolder folder;
  {
    const auto staging = StagingFolder::create_beside(folder / "out");
    ASSERT_TRUE(staging);
    EXPECT_EQ(staging->path().parent_path(), folder.path());
    EXPECT_EQ(fs::status(staging->path()).permissions(), fs::perms::owner_all);
    EXPECT_TRUE(staging->write("a", "bytes"));
    EXPECT_EQ(bytes_of(staging->path() / "a"), "bytes");
    const Result<void> again = staging->write("a", "again");
    ASSERT_FALSE(again) << "only new files";
    EXPECT_EQ(again.error().message, (folder / "out").string() + ": File exists") << "nobody knows the hidden one";
  }
  EXPECT_EQ(folder.size(), 0);
}

TEST(MoveIntoPlace, CopiesFromAnotherFileSystem) {
  struct stat here = {};
  struct stat there = {};
  const TemporaryFolder folder;
  if (::stat("/dev/shm", &there) != 0 || ::stat(folder.path().c_str(), &here) != 0 || here.st_dev == there.st_dev ||
      ::access("/dev/shm", W_OK) != 0)
    GTEST_SKIP() << "there is one file system only";
  std::string name = "/dev/shm/attnscope-test-XXXXXX";
  const int descriptor = ::mkstemp(name.data());
  ASSERT_GE(descriptor, 0);
  ::close(descriptor);
  std::ofstream(name, std::ios::binary) << std::string(1'000'000, 'x');
  EXPECT_TRUE(move_into_place(name, folder / "out"));
  EXPECT_EQ(bytes_of(folder / "out"), std::string(1'000'000, 'x'));
  EXPECT_EQ(folder.size(), 1);
  ::unlink(name.c_str());
}

TEST(StandIn, KnowsPointersAndPages) {
  EXPECT_NE(stand_in("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n").find("Git-LFS"),
            std::string::npos);
  EXPECT_NE(stand_in("\xef\xbb\xbf \n<!DOCTYPE HTML>").find("HTML"), std::string::npos);
  EXPECT_NE(stand_in("<html lang=en>").find("HTML"), std::string::npos);
  EXPECT_EQ(stand_in("{\"format\": \"<html>\"}"), "");
  EXPECT_EQ(stand_in(""), "");
  EXPECT_EQ(stand_in(" \n"), "");
}

TEST(StagingFolder, NoneIsLeftWhenTheProgramHasToEnd) {
  const TemporaryFolder folder;
  const Result<StagingFolder> first = StagingFolder::create_beside(folder / "a.gif");
  const Result<StagingFolder> second = StagingFolder::create_beside(folder / "b.gif");
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(first->write("frame", "bytes"));
  EXPECT_EQ(folder.size(), 2);
  remove_staging_folders();
  EXPECT_EQ(folder.size(), 0);
}

}  // namespace
}  // namespace attnscope::test
