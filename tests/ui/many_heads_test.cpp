// Very many heads in the window: what a frame builds, sends and paints is bounded, and the window listens meanwhile.
#include "support/many_heads.h"

#include <chrono>
#include <thread>

#include "figure/blocks/layer_grid.h"
#include "figure/layout/page.h"
#include "interface_test.h"
#include "io/experiments/experiment_file.h"

namespace attnscope::test {
namespace {

class ManyHeadsWindow : public Interface {
 protected:
  /// A window that waits for no picture.
  void start_impatient() {
    InterfaceOptions options;
    options.patience = std::chrono::milliseconds(0);
    options.width = 1600;  // every view has a tab
    start(options);
  }

  void open_file(const std::vector<int>& shape) {
    screen().workbench().open_files({weights_file(folder_, shape).string()});
    ASSERT_FALSE(screen().state().message.is_error) << screen().state().message.text;
  }

  /// Frames until the tensors that were opened are there to be looked at.
  void await_trace() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (screen().trace().experiment().system != "own-tensors" && std::chrono::steady_clock::now() < end) {
      screen().frame();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_EQ(screen().trace().experiment().system, "own-tensors");
  }

  [[nodiscard]] const Figure& figure() { return screen().workbench().shown_figure().figure(); }

  TemporaryFolder folder_;
};

TEST_F(ManyHeadsWindow, ShowsAPageOfAHundredThousand) {
  screen().set_drawn(true);
  open_file({100000, 4, 4});
  const std::uint64_t uploads = screen().workbench().shown_figure().heatmaps().uploads();
  screen().settle();
  EXPECT_EQ(screen().experiment().view.name, "heads");
  EXPECT_EQ(figure().heatmaps.size(), static_cast<std::size_t>(kMaxPanels));
  EXPECT_LE(screen().workbench().shown_figure().heatmaps().uploads() - uploads,
            static_cast<std::uint64_t>(2 * kMaxPanels));
  EXPECT_LE(screen().workbench().shown_figure().heatmaps().textures(), static_cast<std::size_t>(4 * kMaxPanels));
  // Another page is one click away, with the slider in the row of options.
  const Rect slider = screen().item("Figure", {std::string("##page")});
  screen().click({slider.right() - 3, slider.center().y});
  screen().settle();
  EXPECT_EQ(std::get<Index>(screen().experiment().view.options.at("page")), 98);
  EXPECT_EQ(figure().heatmaps.back().id, "weights.99999");
  // What is pointed at is that head's.
  screen().move(screen().cell_center(0, 1, 2));
  screen().frame(2);
  ASSERT_TRUE(screen().state().hovered);
  EXPECT_EQ(screen().state().hovered->index, (std::vector<Index>{97 * kMaxPanels, 1, 2}));
}

TEST_F(ManyHeadsWindow, EveryViewOfThemIsBounded) {
  open_file({100000, 4, 4});
  screen().settle();
  for (const View& view : views()) {
    if (view.name != screen().experiment().view.name) open_view(view.name);
    EXPECT_LE(mark_count(figure()), 16000U) << view.name;
    EXPECT_LE(std::ssize(figure().heatmaps), kMaxMaps) << view.name;
  }
}

TEST_F(ManyHeadsWindow, CtrlQEndsItWhileAPictureIsBuilt) {
  start_impatient();
  // Measures of so many heads take seconds.
  open_file({400, 48, 48});
  await_trace();
  screen().settle();
  screen().click_item("Views", {std::string("metrics")});
  ASSERT_TRUE(screen().workbench().busy());
  ASSERT_FALSE(screen().workbench().wants_to_quit());
  screen().key_with_control('Q');
  EXPECT_TRUE(screen().workbench().wants_to_quit() || screen().state().dialog.open == ui::Dialog::unsaved);
}

TEST_F(ManyHeadsWindow, TheLastPictureStaysUntilTheNextIsBuilt) {
  start_impatient();
  open_file({400, 48, 48});
  await_trace();
  screen().settle();
  const std::size_t heads = figure().heatmaps.size();
  EXPECT_EQ(heads, 400U);
  screen().click_item("Views", {std::string("metrics")});
  EXPECT_EQ(screen().experiment().view.name, "metrics");
  EXPECT_EQ(figure().heatmaps.size(), heads) << "of heads";
  ASSERT_TRUE(screen().workbench().busy());
  // Its places do nothing that belongs to the view that is opened.
  screen().click(screen().picture_place().center());
  EXPECT_FALSE(screen().state().message.is_error) << screen().state().message.text;
  // Back again: what was begun is stopped.
  screen().click_item("Views", {std::string("heads")});
  screen().settle();
  EXPECT_EQ(screen().workbench().shown_figure().figure().heatmaps.size(), heads);
}

TEST_F(ManyHeadsWindow, AnExportGoesOnBesideTheWindow) {
  start_impatient();
  open_file({3000, 4, 4});
  await_trace();
  screen().settle();
  screen().key_with_control('E');
  screen().frame(3);
  confirm(folder_ / "a.svg");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (screen().workbench().busy() && std::chrono::steady_clock::now() < end) screen().frame();
  screen().frame(2);
  EXPECT_EQ(screen().state().dialog.open, ui::Dialog::none) << screen().state().dialog.error;
  EXPECT_FALSE(screen().state().message.is_error) << screen().state().message.text;
  EXPECT_NE(screen().state().message.text.find("wrote "), std::string::npos);
  EXPECT_TRUE(bytes_of(folder_ / "a.svg").starts_with("<?xml"));
}

TEST_F(ManyHeadsWindow, WhatCannotBeWrittenIsSaidHoweverLongItTook) {
  start_impatient();
  screen().key_with_control('E');
  screen().frame(3);
  confirm(folder_ / "no such folder" / "a.svg");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (screen().workbench().busy() && std::chrono::steady_clock::now() < end) screen().frame();
  screen().frame(2);
  EXPECT_TRUE(screen().state().message.is_error);
  EXPECT_NE(screen().state().message.text.find("no such folder"), std::string::npos) << screen().state().message.text;
}

TEST_F(ManyHeadsWindow, ManyLabelsAreTypedAFewAtATime) {
  open_file({2, 3000, 3000});
  screen().settle();
  std::string words;
  for (int i = 0; i < 3000; ++i) words += "word" + std::to_string(i) + "\n";
  screen().workbench().open_files({folder_.file("tokens.txt", words).string()});
  screen().settle();
  ASSERT_EQ(screen().experiment().labels.size(), 3000U);
  const Rect field = screen().item("Parameters", {std::string("##labels")});
  screen().click(field.center());
  screen().key_with_control('A');
  screen().key(kBackspace);
  screen().type("a bc");
  screen().settle();
  const std::vector<std::string>& labels = screen().experiment().labels;
  ASSERT_GT(labels.size(), 2U);
  EXPECT_EQ(labels[0], "a");
  EXPECT_EQ(labels[1], "bc");
  // Behind what is typed stand those that were not in the field.
  const std::size_t kept = labels.size() - 2;
  EXPECT_GT(kept, 2000U);
  EXPECT_LT(kept, 3000U);
  EXPECT_EQ(labels[2], "word" + std::to_string(3000 - kept));
  EXPECT_EQ(labels.back(), "word2999");
}

TEST_F(ManyHeadsWindow, LabelsAsLongAsTheyMayBeLeaveRoomForTheMatrices) {
  open_file({4, 3, 3});
  screen().settle();
  // As long as they are allowed to be.
  const std::string label(kMaxLabelBytes, 'm');
  screen().workbench().open_files({folder_.file("tokens.txt", label + "\n" + label + "\nc\n").string()});
  screen().settle();
  ASSERT_EQ(screen().experiment().labels.size(), 3U) << screen().state().message.text;
  EXPECT_LE(figure().width, 2000);
  screen().move(screen().cell_center(0, 0, 0));
  screen().frame(3);
  ASSERT_TRUE(screen().state().hovered);
}

}  // namespace
}  // namespace attnscope::test
