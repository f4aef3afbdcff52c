// Unsaved work: who owns it, who may take it, and that nothing is lost.
#include "io/desktop/unsaved_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

UnsavedWork work_with_seed(std::uint64_t seed, const std::string& file = {}, const std::string& version = {}) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.seed = seed;
  return {std::move(experiment), file, version, "title"};
}

/// A program that keeps this work and ends abruptly.
void leave_behind(const TemporaryFolder& folder, const UnsavedWork& work, std::uint64_t document = 0) {
  UnsavedFolder program(folder.path());
  ASSERT_TRUE(program.keep(document, work));
}

TEST(UnsavedFolder, BelongsToAProgramAsLongAsThatRuns) {
  const TemporaryFolder folder;
  UnsavedFolder other(folder.path());
  {
    UnsavedFolder program(folder.path());
    EXPECT_EQ(folder.size(), 0) << "nothing is made before there is something to keep";
    ASSERT_TRUE(program.keep(0, work_with_seed(7)));
    EXPECT_TRUE(other.left_behind().empty()) << "it belongs to a program that runs";
    EXPECT_TRUE(program.left_behind().empty());
  }
  ASSERT_EQ(other.left_behind().size(), 1U);
}

TEST(UnsavedFolder, AKilledProgramsLockIsGoneWithIt) {
  const TemporaryFolder folder;
  const ::pid_t child = ::fork();
  if (child == 0) {
    auto* const program = new UnsavedFolder(folder.path());
    (void)program->keep(3, work_with_seed(9, "/tmp/\"x\"\n.json", "abc"));
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  UnsavedFolder next(folder.path());
  std::vector<UnsavedEntry> left = next.left_behind();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left.front().file, "/tmp/\"x\"\n.json");
  EXPECT_EQ(left.front().version, "abc");
  EXPECT_EQ(left.front().title, "title");
  EXPECT_FALSE(left.front().tried);
  const Result<UnsavedWork> work = next.take(left.front());
  ASSERT_TRUE(work) << work.error().message;
  EXPECT_EQ(*work, work_with_seed(9, "/tmp/\"x\"\n.json", "abc"));
}

TEST(UnsavedFolder, PathsComeBackByteForByte) {
  const TemporaryFolder folder;
  const std::string path = "/tmp/caf\xe9 \xff.json";
  leave_behind(folder, work_with_seed(1, path));
  UnsavedFolder next(folder.path());
  ASSERT_EQ(next.left_behind().size(), 1U);
  EXPECT_EQ(next.left_behind().front().file, path);
}

TEST(UnsavedFolder, OnlyOneProgramCanTakeAnEntry) {
  const TemporaryFolder folder;
  leave_behind(folder, work_with_seed(7));
  UnsavedFolder first(folder.path());
  UnsavedFolder second(folder.path());
  std::vector<UnsavedEntry> seen_by_first = first.left_behind();
  std::vector<UnsavedEntry> seen_by_second = second.left_behind();
  ASSERT_EQ(seen_by_first.size(), 1U);
  ASSERT_EQ(seen_by_second.size(), 1U);
  ASSERT_TRUE(first.take(seen_by_first.front()));
  EXPECT_FALSE(second.take(seen_by_second.front()));
  EXPECT_TRUE(second.left_behind().empty());
}

TEST(UnsavedFolder, WhatDidNotComeToAPictureIsMarked) {
  const TemporaryFolder folder;
  leave_behind(folder, work_with_seed(7));
  {
    UnsavedFolder program(folder.path());
    std::vector<UnsavedEntry> left = program.left_behind();
    ASSERT_TRUE(program.take(left.front()));
    program.restored(left.front(), 4);
    ASSERT_TRUE(program.keep(4, work_with_seed(8))) << "it was edited before it was shown";
  }
  {
    UnsavedFolder next(folder.path());
    std::vector<UnsavedEntry> left = next.left_behind();
    ASSERT_EQ(left.size(), 1U);
    EXPECT_TRUE(left.front().tried);
    const Result<UnsavedWork> work = next.take(left.front());
    ASSERT_TRUE(work);
    EXPECT_EQ(work->experiment.seed, 8U) << "what was edited last";
    next.restored(left.front(), 2);
    next.shown(2);
  }
  UnsavedFolder last(folder.path());
  ASSERT_EQ(last.left_behind().size(), 1U);
  EXPECT_FALSE(last.left_behind().front().tried);
}

TEST(UnsavedFolder, WhatCannotBeReadStaysAndIsOfferedAgain) {
  const TemporaryFolder folder;
  UnsavedWork gone = work_with_seed(7);
  leave_behind(folder, gone);
  std::filesystem::path path;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) path = entry.path();
  const std::string whole = bytes_of(path);
  for (const std::size_t length : {whole.size() / 2, whole.find('\n') + 1, whole.find('\n') / 2, std::size_t{0}}) {
    folder.file(path.filename().string(), whole.substr(0, length));
    UnsavedFolder program(folder.path());
    std::vector<UnsavedEntry> left = program.left_behind();
    ASSERT_EQ(left.size(), 1U) << length;
    EXPECT_EQ(left.front().trouble.empty(), length > whole.find('\n')) << left.front().trouble;
    const Result<UnsavedWork> work = program.take(left.front());
    ASSERT_FALSE(work);
    EXPECT_TRUE(is_one_line(work.error().message));
    ASSERT_EQ(program.left_behind().size(), 1U) << "it is offered again by the same program";
    path = left.front().path;
    EXPECT_EQ(bytes_of(path), whole.substr(0, length));
  }
  UnsavedFolder program(folder.path());
  ASSERT_TRUE(program.discard(program.left_behind().front()));
  EXPECT_TRUE(program.left_behind().empty());
}

TEST(UnsavedFolder, ListsTheNewestFirstAndNothingElse) {
  const TemporaryFolder folder;
  for (int i = 0; i < 3; ++i) leave_behind(folder, work_with_seed(static_cast<std::uint64_t>(i)));
  folder.file("unsaved-x.json", "");
  folder.file("unsaved-0123456789abcdeX-0.json", "");
  folder.file("state.json", "");
  int age = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().filename().string().size() > 20)
      std::filesystem::last_write_time(entry.path(),
                                       std::filesystem::file_time_type::clock::now() - std::chrono::hours(++age));
  }
  UnsavedFolder program(folder.path());
  const std::vector<UnsavedEntry> left = program.left_behind();
  ASSERT_EQ(left.size(), 3U);
  EXPECT_TRUE(
      std::is_sorted(left.begin(), left.end(), [](const auto& a, const auto& b) { return a.saved_at > b.saved_at; }));
}

TEST(UnsavedFolder, WhereNothingCanBeKeptItSaysSo) {
  UnsavedFolder nowhere({});
  EXPECT_TRUE(nowhere.keep(0, work_with_seed(1))) << "nothing was asked for";
  EXPECT_TRUE(nowhere.left_behind().empty());
  UnsavedFolder forbidden("/proc/attnscope");
  const Result<void> kept = forbidden.keep(0, work_with_seed(1));
  ASSERT_FALSE(kept);
  EXPECT_TRUE(is_one_line(kept.error().message));
}

}  // namespace
}  // namespace attnscope::test
