// What is remembered from one start to the next, and what was not saved.
#include "io/user_state.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

#include "io/autosave.h"
#include "io/experiment_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

TEST(UserState, IsReadBack) {
  const TemporaryFolder folder;
  const auto deep = folder / "a/attnscope";
  EXPECT_EQ(read_user_state(deep).state, UserState());
  EXPECT_EQ(read_user_state(deep).notice, "");
  UserState state;
  state.theme = Theme::light;
  state.add_recent("/tmp/x.json");
  state.add_recent("/tmp/dir/../\"quoted\" \n ä.json");
  ASSERT_TRUE(write_user_state(deep, state));
  EXPECT_EQ(read_user_state(deep).state, state);
  EXPECT_EQ(state.recent, (std::vector<std::string>{"/tmp/\"quoted\" \n ä.json", "/tmp/x.json"}));
}

TEST(UserState, KeepsTheLastFilesOnceEach) {
  UserState state;
  for (int i = 0; i < 20; ++i) state.add_recent("/" + std::to_string(i % 12));
  ASSERT_EQ(state.recent.size(), kMostRecent);
  EXPECT_EQ(state.recent.front(), "/7");
  EXPECT_EQ(std::count(state.recent.begin(), state.recent.end(), "/7"), 1);
}

TEST(UserState, ADamagedOneIsPutAside) {
  for (const char* text :
       {"", "{", "[]", R"({"format": "attnscope-state/9", "theme": "dark", "recent": []})",
        R"({"format": "attnscope-state/1", "theme": "paper", "recent": []})",
        R"({"format": "attnscope-state/1", "theme": "dark", "recent": [3]})", R"({"format": "attnscope-state/1"})"}) {
    const TemporaryFolder folder;
    const auto path = folder.file("state.json", text);
    const ReadUserState read = read_user_state(folder.path());
    EXPECT_EQ(read.state, UserState()) << text;
    EXPECT_NE(read.notice.find("is damaged and was put aside as "), std::string::npos) << read.notice;
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_EQ(bytes_of(folder / "state.json.damaged"), text);
    EXPECT_EQ(read_user_state(folder.path()).notice, "");
  }
}

TEST(UserState, NowhereIsNothingKept) {
  EXPECT_TRUE(write_user_state({}, UserState()));
  EXPECT_EQ(read_user_state({}).state, UserState());
  EXPECT_FALSE(take_left_behind({}));
  Autosave autosave({});
  autosave.keep(*default_experiment("worked-example"), "");
}

/// In a process of its own that ends at once, as one that crashes: keeps an experiment with that seed.
void leave_behind(const std::filesystem::path& folder, std::uint64_t seed, const std::string& file) {
  const ::pid_t child = ::fork();
  if (child == 0) {
    Experiment experiment = *default_experiment("worked-example");
    experiment.seed = seed;
    auto* const autosave = new Autosave(folder);
    autosave->keep(experiment, file);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
}

/// The seed of what another program, started meanwhile, finds left behind; nothing: 0. It ends at once.
int seed_found_by_another(const std::filesystem::path& folder) {
  const ::pid_t child = ::fork();
  if (child == 0) {
    const std::optional<LeftBehind> left = take_left_behind(folder);
    ::_exit(left ? static_cast<int>(left->experiment.seed) : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST(Autosave, IsThereUntilNothingIsUnsaved) {
  const TemporaryFolder folder;
  Experiment experiment = *default_experiment("worked-example");
  {
    Autosave autosave(folder.path());
    EXPECT_EQ(folder.size(), 0);
    autosave.keep(experiment, "");
    EXPECT_EQ(folder.size(), 1);
    EXPECT_EQ(seed_found_by_another(folder.path()), 0) << "it belongs to a program that runs";
    autosave.forget();
    EXPECT_EQ(folder.size(), 0);
    experiment.seed = 3;
    autosave.keep(experiment, "");
    EXPECT_EQ(folder.size(), 1);
  }
  EXPECT_EQ(folder.size(), 0) << "it ended in order";
}

TEST(Autosave, WhatACrashLeftBehindIsTakenOnce) {
  const TemporaryFolder folder;
  leave_behind(folder.path(), 7, "/tmp/\"x\".json");
  ASSERT_EQ(folder.size(), 1);
  Autosave autosave(folder.path());
  const std::optional<LeftBehind> left = take_left_behind(folder.path());
  ASSERT_TRUE(left);
  EXPECT_EQ(left->experiment.seed, 7U);
  EXPECT_EQ(left->file, "/tmp/\"x\".json");
  EXPECT_EQ(seed_found_by_another(folder.path()), 0) << "it is taken";
  autosave.keep(left->experiment, left->file);
  EXPECT_EQ(folder.size(), 1);
  autosave.forget();
  EXPECT_EQ(folder.size(), 0);
  EXPECT_FALSE(take_left_behind(folder.path()));
}

TEST(Autosave, WhatIsTakenIsNotLostWhenTheProgramEndsBeforeItKeepsIt) {
  const TemporaryFolder folder;
  leave_behind(folder.path(), 7, "");
  EXPECT_EQ(seed_found_by_another(folder.path()), 7);
  EXPECT_EQ(seed_found_by_another(folder.path()), 7);
  EXPECT_EQ(folder.size(), 1);
}

TEST(Autosave, AnEarlierProgramMayHaveHadTheSameNumber) {
  const TemporaryFolder folder;
  leave_behind(folder.path(), 7, "");
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    std::filesystem::rename(entry.path(), folder / ("unsaved-" + std::to_string(::getpid()) + ".json"));
  leave_behind(folder.path(), 8, "");
  const std::optional<LeftBehind> left = take_left_behind(folder.path());
  ASSERT_TRUE(left);
  EXPECT_EQ(left->experiment.seed, 7U) << "it would be written over";
  Autosave(folder.path()).keep(left->experiment, "");
  ASSERT_EQ(folder.size(), 1);
  EXPECT_EQ(take_left_behind(folder.path())->experiment.seed, 8U);
}

TEST(Autosave, ADamagedOneIsPutAsideAndTheNextOneTaken) {
  const TemporaryFolder folder;
  leave_behind(folder.path(), 7, "");
  // Of a process that cannot be: the largest number there is.
  const auto broken = folder.file("unsaved-2147483647.json", "{\"file\": \"\", \"experiment\": {");
  // The newest, however coarse the file system's clock is.
  std::filesystem::last_write_time(broken, std::filesystem::last_write_time(broken) + std::chrono::seconds(2));
  folder.file("unsaved-x.json", "");
  const std::optional<LeftBehind> left = take_left_behind(folder.path());
  ASSERT_TRUE(left);
  EXPECT_EQ(left->experiment.seed, 7U);
  EXPECT_FALSE(std::filesystem::exists(broken));
  EXPECT_TRUE(std::filesystem::exists(broken.string() + ".damaged"));
  EXPECT_TRUE(std::filesystem::exists(folder / "unsaved-x.json")) << "it is none of ours";
}

}  // namespace
}  // namespace attnscope::test
