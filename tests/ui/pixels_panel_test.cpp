// A picture of the user's own for the pixels: from the panel, the menu, or dropped on the window.
#include "interface_test.h"
#include "support/png_bytes.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class Pixels : public Interface {
 protected:
  void SetUp() override {
    InterfaceOptions options;
    Experiment experiment = *default_experiment("conv-attention");
    for (const char* side : {"height", "width"}) experiment.parameters[side] = Index{4};
    experiment.view.name = "image";
    options.experiment = experiment;
    start(options);
    screen().settle();
  }

  void choose(const std::string& words) {
    screen().click_item("Parameters", {parameter("picture").label, std::string("##choice")});
    screen().click_item("##Combo_00", {words});
    screen().settle();
  }

  std::filesystem::path png() { return folder_.file("two.png", png_bytes_of(2, 1, "\xe6\x5a\x28\x14\x3c\xa0")); }

  TemporaryFolder folder_;
  const ColorPicture two_ = {1, 2, {0xe6, 0x5a, 0x28, 0x14, 0x3c, 0xa0}};
};

TEST_F(Pixels, ShowBuiltInPicturesByTheirChoice) {
  const Experiment before = screen().experiment();
  choose("shapes");
  EXPECT_EQ(screen().experiment().choice("picture"), "shapes");
  EXPECT_EQ(screen().workbench().shown_figure().figure().pixels.size(), 1U);
  undo();
  EXPECT_EQ(screen().experiment(), before);
  EXPECT_TRUE(screen().workbench().shown_figure().figure().pixels.empty());
}

TEST_F(Pixels, OneOfTheirOwnIsAskedForWhereThereIsNone) {
  const Experiment before = screen().experiment();
  choose("your own");
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::open_picture);
  EXPECT_EQ(screen().experiment(), before);
  confirm(png());
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::none);
  EXPECT_EQ(screen().experiment().picture, two_);
  EXPECT_EQ(screen().experiment().choice("picture"), "file");
  EXPECT_EQ(screen().trace().experiment(), screen().experiment());
  choose("stripes");
  choose("your own");
  EXPECT_EQ(screen().experiment().picture, two_) << "it is still there";
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::none);
  for (int step = 0; step < 3; ++step) undo();
  EXPECT_EQ(screen().experiment(), before);
}

TEST_F(Pixels, TheButtonAsksForAnotherPicture) {
  screen().click_item("Parameters", {std::string("Open…")});
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::open_picture);
  confirm(folder_ / "none.png");
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::open_picture) << "to correct the path";
  EXPECT_NE(screen().state().dialog.error.find("none.png: No such file"), std::string::npos);
  screen().click_item("Open a picture", {std::string("Cancel")});
  screen().click_item("Parameters", {std::string("Open…")});
  confirm(png());
  EXPECT_EQ(screen().experiment().picture, two_);
}

TEST_F(Pixels, ADroppedPictureIsTaken) {
  screen().workbench().open_files({png().string()});
  screen().settle();
  EXPECT_EQ(screen().experiment().picture, two_);
  EXPECT_FALSE(screen().state().message.is_error);
  EXPECT_TRUE(screen().workbench().session().modified());
  undo();
  EXPECT_TRUE(screen().experiment().picture.empty());
  screen().workbench().open_files({folder_.file("broken.png", "GIF89a").string()});
  EXPECT_TRUE(screen().state().message.is_error);
  EXPECT_NE(screen().state().message.text.find("broken.png: is not a PNG file"), std::string::npos);
}

TEST_F(Pixels, ASystemOfTokensTakesNoPicture) {
  start({});
  screen().settle();
  const Experiment before = screen().experiment();
  screen().workbench().open_files({png().string()});
  EXPECT_TRUE(screen().state().message.is_error);
  EXPECT_NE(screen().state().message.text.find("worked-example has no picture; allowed with "), std::string::npos);
  EXPECT_EQ(screen().experiment(), before);
}

}  // namespace
}  // namespace attnscope::test
