// What the program remembers between two starts.
#include "io/desktop/user_state.h"

#include <gtest/gtest.h>

#include <algorithm>

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
  state.size = 1.25;
  state.language = "de";
  state.window = {1100, 720, true};
  state.add_recent("/tmp/x.json");
  state.add_recent("/tmp/dir/../\"quoted\" \n ä.json");
  ASSERT_TRUE(write_user_state(deep, state));
  EXPECT_EQ(read_user_state(deep).state, state);
  EXPECT_EQ(state.recent, (std::vector<std::string>{"/tmp/\"quoted\" \n ä.json", "/tmp/x.json"}));
}

TEST(UserState, KeepsTheLastFilesOnceEach) {
  UserState state;
  for (int i = 0; i < 20; ++i) state.add_recent("/" + std::to_string(i % 12));
  ASSERT_EQ(state.recent.size(), kMaxRecent);
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
    EXPECT_NE(read.notice.find("is damaged and was renamed to "), std::string::npos) << read.notice;
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_EQ(bytes_of(folder / "state.json.damaged"), text);
    EXPECT_EQ(read_user_state(folder.path()).notice, "");
  }
}

TEST(UserState, OneThatCannotBeReadIsLeftWhereItIs) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "state.json");
  const ReadUserState read = read_user_state(folder.path());
  EXPECT_EQ(read.state, UserState());
  EXPECT_NE(read.notice.find("state.json"), std::string::npos) << read.notice;
  EXPECT_EQ(read.notice.find("damaged"), std::string::npos) << read.notice;
  EXPECT_TRUE(std::filesystem::exists(folder / "state.json"));
  EXPECT_EQ(stored_user_state(folder.path()), std::nullopt);
}

TEST(UserState, AWindowThatCannotBeIsUnknown) {
  for (const char* window : {"3", "{}", R"({"width": 0, "height": 500})", R"({"width": 1e9, "height": 500})",
                             R"({"width": "900", "height": 500})", R"({"width": 900})"}) {
    const TemporaryFolder folder;
    folder.file("state.json", R"({"format": "attnscope-state/1", "theme": "dark", "recent": [], "window": )" +
                                  std::string(window) + "}");
    EXPECT_EQ(read_user_state(folder.path()).state.window, ClosedWindow()) << window;
    EXPECT_EQ(read_user_state(folder.path()).notice, "") << window;
  }
}

TEST(UserState, ASizeThatCannotBeChosenIsTheUsualOne) {
  for (const char* size : {"0", "1e9", "-1", "\"1.5\"", "1.26", "null"}) {
    const TemporaryFolder folder;
    folder.file("state.json",
                R"({"format": "attnscope-state/1", "theme": "dark", "recent": [], "size": )" + std::string(size) + "}");
    EXPECT_EQ(read_user_state(folder.path()).state.size, 1) << size;
    EXPECT_EQ(read_user_state(folder.path()).notice, "") << size;
  }
}

TEST(UserState, ALanguageThatIsNoneIsEnglish) {
  for (const char* language : {"1", "\"\"", "\"../de\"", "null"}) {
    const TemporaryFolder folder;
    folder.file("state.json", R"({"format": "attnscope-state/1", "theme": "dark", "recent": [], "language": )" +
                                  std::string(language) + "}");
    EXPECT_EQ(read_user_state(folder.path()).state.language, "en") << language;
    EXPECT_EQ(read_user_state(folder.path()).notice, "") << language;
  }
}

TEST(UserState, NowhereIsNothingKept) {
  EXPECT_TRUE(write_user_state({}, UserState()));
  EXPECT_EQ(read_user_state({}).state, UserState());
}

TEST(UserState, NamesThatAreNoUtf8ComeBackAsTheyAre) {
  const TemporaryFolder folder;
  UserState state;
  state.add_recent("/tmp/\xff\xfe caf\xe9.json");
  ASSERT_TRUE(write_user_state(folder.path(), state));
  EXPECT_EQ(read_user_state(folder.path()).state.recent, (std::vector<std::string>{"/tmp/\xff\xfe caf\xe9.json"}));
}

}  // namespace
}  // namespace attnscope::test
