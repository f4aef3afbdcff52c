// Links that are experiments, in the window.
#include <imgui.h>

#include "interface_test.h"
#include "io/experiments/experiment_link.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class Links : public Interface {
 protected:
  void expect_said(const std::string& part, bool is_error) {
    const ui::StatusMessage& message = screen().state().message;
    EXPECT_NE(message.text.find(part), std::string::npos) << message.text;
    EXPECT_EQ(message.is_error, is_error) << message.text;
  }
};

TEST_F(Links, ACopiedLinkOpensAgain) {
  change_tokens();
  const Experiment linked = screen().experiment();
  screen().key_with_control('L', true);
  expect_said("copied a link to the experiment, ", false);
  const std::string link = ImGui::GetClipboardText();
  EXPECT_TRUE(link.starts_with("attnscope.html#x=1.")) << link;
  undo();
  ASSERT_NE(screen().experiment(), linked);
  screen().key_with_control('V');
  screen().settle();
  EXPECT_EQ(screen().experiment(), linked);
  expect_said("opened the link", false);
  EXPECT_EQ(screen().workbench().session().file(), "") << "nothing can be saved in a link";
}

TEST_F(Links, TheDialogThatOpensFilesTakesOne) {
  Experiment other = *default_experiment("worked-example");
  other.seed = 7;
  other.view.name = "heads";
  screen().key_with_control('O');
  confirm(" https://attnscope.example/" + *write_experiment_link(other, ""));
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::none);
  EXPECT_EQ(screen().experiment(), other);
  screen().key_with_control('O');
  EXPECT_EQ(screen().state().dialog.path.find("#x="), std::string::npos);
}

TEST_F(Links, WhatIsNoLinkIsSaid) {
  const Experiment before = screen().experiment();
  ImGui::SetClipboardText("some text");
  screen().key_with_control('V');
  expect_said("the clipboard has no link to an experiment", true);
  ImGui::SetClipboardText("https://attnscope.example/#x=1.AAAA");
  screen().key_with_control('V');
  screen().settle();
  expect_said("the link: what stands after #x= is damaged or incomplete", true);
  EXPECT_EQ(screen().experiment(), before);
}

}  // namespace
}  // namespace attnscope::test
