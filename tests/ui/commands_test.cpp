// One table of commands: menus, keys and the list of shortcuts are made from it.
#include "ui/panels/commands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "interface_test.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

using platform::KeyPress;
using ui::Command;
using ui::CommandEntry;
using ui::KeyContext;

std::optional<Command> command_of(const KeyPress& press, const KeyContext& context = {}) {
  const CommandEntry* entry = ui::command_of_key(press, context);
  return entry != nullptr ? std::optional(entry->command) : std::nullopt;
}

TEST(Commands, StandInTheTableOnce) {
  std::set<Command> seen;
  for (const CommandEntry& entry : ui::commands()) EXPECT_TRUE(seen.insert(entry.command).second) << entry.label;
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(Command::cancel) + 1) << "every command has an entry";
}

TEST(Commands, NoKeyHasTwo) {
  std::set<std::string> of_lessons;
  std::set<std::string> others;
  for (const CommandEntry& entry : ui::commands()) {
    for (const ui::KeyCombination& keys : entry.keys) {
      auto& seen = entry.scope == ui::KeyScope::lesson ? of_lessons : others;
      for (int key = keys.key; key <= std::max(keys.key, keys.last); ++key)
        EXPECT_TRUE(seen.insert(ui::key_text({key, keys.control, keys.shift, 0, keys.alt})).second)
            << ui::key_text(keys);
    }
  }
}

TEST(Commands, WithAKeyAreInTheListOfShortcuts) {
  const auto rows = ui::shortcut_rows();
  for (const CommandEntry& entry : ui::commands()) {
    EXPECT_EQ(entry.keys.empty(), entry.help == nullptr) << (entry.label != nullptr ? entry.label : "");
    for (const ui::KeyCombination& keys : entry.keys) {
      const auto row = std::ranges::find(rows, std::string(entry.help), &std::pair<std::string, std::string>::second);
      ASSERT_NE(row, rows.end()) << entry.help;
      EXPECT_NE(row->first.find(ui::key_text(keys)), std::string::npos) << row->first;
    }
    EXPECT_EQ(entry.menu == ui::Menu::none, entry.label == nullptr);
  }
}

TEST(Commands, KeysSayWhatIsPressed) {
  EXPECT_EQ(ui::key_text({'Z', true, true}), "Ctrl+Shift+Z");
  EXPECT_EQ(ui::key_text({'1', false, false, '9'}), "1 – 9");
  EXPECT_EQ(ui::key_text({KeyPress::kPageUp, true}), "Ctrl+Page Up");
}

TEST(Commands, KeysCountWhereTheyShould) {
  EXPECT_EQ(command_of({'Z', true, true}), Command::redo);
  EXPECT_EQ(command_of({'Z', true, false}), Command::undo);
  EXPECT_EQ(command_of({'Z', true, false}, {.typing = true}), std::nullopt);
  EXPECT_EQ(command_of({'Z', true, false}, {.dialog = true}), Command::undo);
  EXPECT_EQ(command_of({'S', true, false}, {.typing = true, .dialog = true}), Command::save);
  EXPECT_EQ(command_of({'M', false, true}), Command::toggle_mask) << "shift does not matter";
  EXPECT_EQ(command_of({'M', false, false}, {.dialog = true}), std::nullopt);
  EXPECT_EQ(command_of({'7', false, false}), Command::choose_head);
  EXPECT_EQ(command_of({KeyPress::kEscape, false, false}, {.typing = true, .dialog = true}), Command::escape);
  EXPECT_EQ(command_of({KeyPress::kRight, false, false}), Command::cell_right);
  EXPECT_EQ(command_of({KeyPress::kRight, false, false}, {.lesson = true}), Command::next_step);
  EXPECT_EQ(command_of({KeyPress::kUp, false, false}, {.lesson = true}), Command::cell_up);
  EXPECT_EQ(command_of({'W', true, false}), std::nullopt);
  EXPECT_EQ(command_of({'F', false, false, true}, {.typing = true}), Command::open_file_menu);
  EXPECT_EQ(command_of({'F', false, false, true}, {.dialog = true}), std::nullopt);
  EXPECT_EQ(command_of({'F', false, false}), Command::fit_view);
  EXPECT_EQ(command_of({'M', false, false, true}), std::nullopt);
  EXPECT_EQ(command_of({KeyPress::kF6, false, false}), Command::next_panel);
  EXPECT_EQ(command_of({KeyPress::kF6, false, true}), Command::previous_panel);
}

class Menus : public Interface {};

TEST_F(Menus, HaveTheirCommands) {
  screen().settle();
  screen().click_item("##MainMenuBar", {std::string("##menubar"), std::string("Edit")});
  screen().click_item("##Menu_00", {std::string("Switch head off or on")});
  screen().settle();
  EXPECT_EQ(screen().experiment().heads_off.size(), 1U);
  screen().click_item("##MainMenuBar", {std::string("##menubar"), std::string("View")});
  screen().click_item("##Menu_00", {std::string("Set as baseline")});
  screen().settle();
  EXPECT_EQ(screen().experiment().view.name, "compare");
}

TEST_F(Menus, EscapeClosesOneThatIsAboutToTakeThePlaceOfAnother) {
  screen().settle();
  const auto menu = [&](const char* name) {
    return screen().item("##MainMenuBar", {std::string("##menubar"), std::string(name)}).center();
  };
  const Point file = menu("File");
  const Point edit = menu("Edit");
  for (int frames = 0; frames < 5; ++frames) {
    screen().click(file);
    ASSERT_TRUE(screen().is_open("##Menu_00"));
    ui::feed_mouse_position(static_cast<float>(edit.x), static_cast<float>(edit.y));
    screen().frame(frames);
    ui::feed_key(kEscape, true);
    screen().frame(3);
    ui::feed_key(kEscape, false);
    screen().frame(3);
    EXPECT_FALSE(screen().is_open("##Menu_00")) << "after " << frames << " frames";
    screen().move({edit.x, edit.y + 300});
  }
}

TEST_F(Menus, EverythingBecomesLargerAndIsSoAtTheNextStart) {
  TemporaryFolder folder;
  InterfaceOptions options;
  options.user_folder = folder.path();
  start(options);
  const double usual = screen().window_place("Status").height;
  screen().key_with_control('+');
  screen().key_with_control('+');
  screen().settle();
  const double larger = screen().window_place("Status").height;
  EXPECT_NEAR(larger, usual * 1.25, 1);
  start(options);
  EXPECT_EQ(screen().window_place("Status").height, larger);
  for (int i = 0; i < 20; ++i) screen().key_with_control('+');
  screen().settle();
  EXPECT_EQ(screen().window_place("Status").height, larger) << "a window of 1000 pixels has room for no more";
  screen().resize(640, 420);
  screen().settle();
  EXPECT_EQ(screen().window_place("Status").height, usual) << "a smaller one has room for less";
  screen().resize(1000, 700);
  screen().settle();
  screen().key_with_control('0');
  screen().settle();
  EXPECT_EQ(screen().window_place("Status").height, usual);
  screen().key_with_control('-');
  screen().settle();
  EXPECT_LT(screen().window_place("Status").height, usual);
}

TEST_F(Menus, PanelsAreHiddenAndTheFigureGetsTheirRoom) {
  const Rect before = screen().picture_place();
  screen().key_with_control('[');
  screen().settle();
  EXPECT_FALSE(screen().is_open("Parameters"));
  EXPECT_EQ(screen().picture_place().x, 0);
  EXPECT_EQ(screen().picture_place().right(), before.right());
  screen().key_with_control(']');
  screen().settle();
  EXPECT_FALSE(screen().is_open("Inspector"));
  EXPECT_EQ(screen().picture_place().right(), 1000);
  screen().key_with_control('[');
  screen().key_with_control(']');
  screen().settle();
  EXPECT_EQ(screen().picture_place(), before);
}

TEST_F(Menus, FullScreenIsWantedUntilItIsNot) {
  EXPECT_FALSE(screen().workbench().wants_full_screen());
  screen().key(platform::KeyPress::kF11);
  EXPECT_TRUE(screen().workbench().wants_full_screen());
  screen().key(platform::KeyPress::kF11);
  EXPECT_FALSE(screen().workbench().wants_full_screen());
}

}  // namespace
}  // namespace attnscope::test
