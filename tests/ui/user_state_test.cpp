// What the window remembers: files that were opened, the theme, work that is not saved.
#include "io/user_state.h"

#include <unistd.h>

#include "interface_test.h"
#include "io/experiment_file.h"
#include "io/file.h"
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
    screen().workbench().open_file(path.string());
    screen().settle();
  }
  EXPECT_EQ(state().recent, (std::vector<std::string>{b.string(), a.string()}));
  // What cannot be opened is not offered again.
  screen().workbench().open_file((folder_ / "none.json").string());
  EXPECT_EQ(state().recent.size(), 2U);
  start_anew();
  screen().click_item("##MainMenuBar", {std::string("##menubar"), std::string("File")});
  screen().frame(3);
  EXPECT_TRUE(screen().is_open("##Menu_00"));
  // The second entry is the list: it opens under the mouse, the file before the last stands second.
  const Rect menu = screen().window_place("##Menu_00");
  const double line = ImGui::GetFontSize() + ImGui::GetStyle().ItemSpacing.y;
  screen().move({menu.x + 40, menu.y + 8 + 1.5 * line});
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
  screen().frame(40);
  EXPECT_TRUE(screen().workbench().session().modified());
  EXPECT_EQ(unsaved(), 1);
  screen().key_with_control('S');
  confirm(folder_ / "kept.json");
  screen().frame(40);
  EXPECT_FALSE(screen().workbench().session().modified());
  EXPECT_EQ(unsaved(), 0);
}

TEST_F(Remembered, WhatIsRestoredStaysToBeSaved) {
  start_anew();
  Experiment experiment = *default_experiment("worked-example");
  experiment.seed = 77;
  screen().workbench().restore({experiment, (folder_ / "x.json").string()});
  screen().settle();
  EXPECT_EQ(screen().experiment().seed, 77U);
  EXPECT_TRUE(screen().workbench().session().modified());
  EXPECT_EQ(screen().workbench().session().file(), (folder_ / "x.json").string());
  EXPECT_EQ(screen().transient().message, "restored what was not saved when the program ended");
}

TEST_F(Remembered, WhatCannotBeRestoredIsPutAsideAndSaid) {
  start_anew();
  std::filesystem::create_directories(folder_ / "user");
  const std::string own = "user/unsaved-" + std::to_string(::getpid()) + ".json";
  ASSERT_TRUE(write_file(folder_ / own, "work of an earlier program"));
  Experiment experiment = *default_experiment("worked-example");
  experiment.view.name = "of a newer version";
  screen().workbench().restore({experiment, ""});
  screen().settle();
  EXPECT_EQ(screen().experiment(), *default_experiment("worked-example"));
  EXPECT_TRUE(screen().transient().message_is_error);
  const std::filesystem::path aside = folder_ / "user/not-restored-1.json";
  EXPECT_TRUE(
      screen().transient().message.starts_with(aside.string() + " has what was not saved and cannot be shown: view"))
      << screen().transient().message;
  screen().key('X');
  screen().frame(40);
  EXPECT_EQ(bytes_of(aside), "work of an earlier program") << "nothing is written over it";
}

TEST_F(Remembered, ADamagedStateIsSaidAndNothingElse) {
  std::filesystem::create_directories(folder_ / "user");
  ASSERT_TRUE(write_file(folder_ / "user/state.json", "{"));
  start_anew();
  EXPECT_NE(screen().transient().message.find("state.json is damaged"), std::string::npos);
  EXPECT_EQ(screen().experiment().system, "worked-example");
}

}  // namespace
}  // namespace attnscope::test
