// Every control by the keyboard alone.
#include <gtest/gtest.h>

#include <string>

#include "interface_test.h"
#include "ui/imgui/imgui_compat.h"

namespace attnscope::test {
namespace {

class Keyboard : public Interface {
 protected:
  void keys(std::initializer_list<int> keys) {
    for (const int key : keys) screen().key(key);
    screen().settle();
  }

  /// The panel that has the keyboard.
  static std::string panel() {
    const ImGuiWindow* window = ImGui::GetCurrentContext()->NavWindow;
    return window != nullptr ? window->RootWindow->Name : "";
  }

  /// Presses `key` until the keyboard is on that control.
  void go_to(int key, const std::string& window, const ItemPath& path) {
    const ImGuiID id = OffscreenInterface::id(window, path);
    for (int i = 0; i < 40 && ImGui::GetCurrentContext()->NavId != id; ++i) screen().key(key);
    ASSERT_EQ(ImGui::GetCurrentContext()->NavId, id);
  }
};

TEST_F(Keyboard, TabGoesToTheParametersAndANumberIsTyped) {
  const Index before = screen().experiment().integer("tokens");
  keys({kTab});
  EXPECT_EQ(panel(), "Parameters");
  EXPECT_TRUE(ui::is_navigating());
  go_to(kDown, "Parameters", {parameter("tokens").label, std::string("##slider")});
  keys({kEnter});
  screen().retype("4");
  keys({kEnter});
  EXPECT_NE(before, 4);
  EXPECT_EQ(screen().experiment().integer("tokens"), 4);
}

TEST_F(Keyboard, TabLeavesTheFieldForAPathThatHasNothingToComplete) {
  screen().key_with_control('E');
  screen().settle();
  const std::string path = screen().state().dialog.path;
  screen().key(kTab);
  screen().type("5");
  screen().settle();
  EXPECT_EQ(screen().state().dialog.path, path);
}

TEST_F(Keyboard, EscapeLeavesTheLabelsAsTheyWereTyped) {
  const ImGuiID id = OffscreenInterface::id("Parameters", {std::string("##labels")});
  for (int i = 0; i < 40 && ImGui::GetCurrentContext()->NavId != id; ++i) screen().key(kTab);
  screen().retype("one two");
  screen().key(kEscape);
  screen().settle();
  ASSERT_GE(screen().experiment().labels.size(), 2U);
  EXPECT_EQ(screen().experiment().labels[0], "one");
}

TEST_F(Keyboard, ArrowsChangeASliderThatSpaceHolds) {
  const Index before = screen().experiment().integer("tokens");
  keys({kTab});
  go_to(kDown, "Parameters", {parameter("tokens").label, std::string("##slider")});
  keys({' ', kRight, kRight});
  EXPECT_EQ(screen().experiment().integer("tokens"), before + 2);
  undo();
  EXPECT_EQ(screen().experiment().integer("tokens"), before) << "one step";
}

TEST_F(Keyboard, ArrowsBelongToTheFigureUntilTabAndAfterEscape) {
  keys({kRight});
  ASSERT_TRUE(screen().state().pinned);
  const ui::NamedCell first = *screen().state().pinned;
  keys({kTab, kDown});
  EXPECT_EQ(screen().state().pinned, first) << "the controls have the arrows";
  keys({kEscape});
  EXPECT_EQ(screen().state().pinned, first) << "Escape only leaves the controls";
  keys({kDown});
  EXPECT_NE(screen().state().pinned, first);
  keys({kEscape});
  EXPECT_FALSE(screen().state().pinned);
}

TEST_F(Keyboard, TheMouseGivesTheArrowsBack) {
  keys({kTab});
  screen().click(screen().cell_center(0, 0, 0));
  screen().settle();
  const std::optional<ui::NamedCell> first = screen().state().pinned;
  ASSERT_TRUE(first);
  keys({kDown});
  EXPECT_NE(screen().state().pinned, first);
}

TEST_F(Keyboard, MenusOpenWithTheirLetterAndCommandsAreChosen) {
  screen().key_with_alt('V');
  screen().settle();
  ASSERT_TRUE(screen().is_open("##Menu_00"));
  go_to(kDown, "##Menu_00", {std::string("Light")});
  keys({kEnter});
  EXPECT_FALSE(screen().is_open("##Menu_00"));
  EXPECT_EQ(screen().workbench().look().colors().text, palette(Theme::light).text);
  keys({kRight});
  EXPECT_TRUE(screen().state().pinned) << "the figure has the arrows again";
}

TEST_F(Keyboard, TheFirstEntryOfAMenuIsChosenWithEnter) {
  const Experiment before = screen().experiment();
  change_tokens();
  ASSERT_NE(screen().experiment(), before);
  screen().key_with_alt('E');
  screen().settle();
  EXPECT_TRUE(ui::is_navigating());
  keys({kEnter});
  EXPECT_EQ(screen().experiment(), before) << "Undo";
}

TEST_F(Keyboard, ArrowsGoFromMenuToMenuAndEscapeClosesThem) {
  keys({kRight});
  const std::optional<ui::NamedCell> pinned = screen().state().pinned;
  keys({kF10});
  ASSERT_TRUE(screen().is_open("##Menu_00"));
  keys({kRight, kDown});
  ASSERT_TRUE(screen().is_open("##Menu_00"));
  go_to(kDown, "##Menu_00", {std::string("Copy PyTorch script")});
  keys({kEscape});
  EXPECT_FALSE(screen().is_open("##Menu_00"));
  EXPECT_EQ(screen().state().pinned, pinned) << "Escape closes the menu and unpins nothing";
}

TEST_F(Keyboard, AfterAMenuNothingBelowItIsMarked) {
  screen().click(screen().slider(parameter("tokens").label).center());
  screen().key_with_alt('V');
  screen().settle();
  keys({kEscape});
  EXPECT_FALSE(ui::is_navigating());
  keys({kRight});
  EXPECT_TRUE(screen().state().pinned);
}

TEST_F(Keyboard, F6GoesFromPanelToPanel) {
  keys({kF6});
  EXPECT_EQ(panel(), "Parameters");
  keys({kF6});
  EXPECT_EQ(panel(), "Views");
  const std::string before = screen().experiment().view.name;
  keys({kRight, kEnter});
  EXPECT_NE(screen().experiment().view.name, before);
  keys({kF6});
  EXPECT_EQ(panel(), "Figure");
  screen().key_with_shift(kF6);
  screen().settle();
  EXPECT_EQ(panel(), "Views");
}

TEST_F(Keyboard, ListsAreOpenedAndChosenFrom) {
  keys({kTab});
  const std::string before = screen().experiment().system;
  EXPECT_TRUE(ui::is_navigating());
  keys({kEnter});
  ASSERT_TRUE(screen().is_open("##Combo_00"));
  keys({kDown, kEnter});
  EXPECT_NE(screen().experiment().system, before);
}

TEST_F(Keyboard, EnterPressesTheControlThatItIsOnAndNotTheDialogsAnswer) {
  screen().key_with_control('E');
  screen().settle();
  ASSERT_TRUE(screen().is_open("Export the view as a figure"));
  go_to(kDown, "Export the view as a figure", {std::string("Export")});
  screen().key(kRight);
  keys({kEnter});
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::none);
  EXPECT_TRUE(screen().state().message.text.empty()) << screen().state().message.text;
}

}  // namespace
}  // namespace attnscope::test
