// Menus, dialogs, themes, and what an idle window costs.
#include "app/session/matrix_text.h"
#include "core/script/script.h"
#include "interface_test.h"
#include "io/experiments/experiment_file.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class Parts : public Interface {
 protected:
  void choose(const std::string& menu, const std::string& item) {
    screen().click_item("##MainMenuBar", {std::string("##menubar"), menu});
    screen().click_item("##Menu_00", {item});
  }

  /// A small window of which every frame is drawn.
  void start_small() {
    InterfaceOptions options;
    options.width = 640;
    options.height = 460;  // room for the list of all views
    start(options);
    screen().set_drawn(true);
  }

  [[nodiscard]] ui::Dialog dialog() { return screen().state().dialog.open; }

  TemporaryFolder folder_;
};

TEST_F(Parts, QuestionMarkOpensTheShortcuts) {
  screen().key('?');
  screen().frame(2);
  EXPECT_EQ(dialog(), ui::Dialog::shortcuts);
  EXPECT_TRUE(screen().is_open("Shortcuts"));
  // The dialog covers the figure.
  screen().move(screen().cell_center(0, 0, 0));
  EXPECT_FALSE(screen().state().hovered);
  screen().key(kEscape);
  screen().frame(2);
  EXPECT_EQ(dialog(), ui::Dialog::none);
  EXPECT_FALSE(screen().is_open("Shortcuts"));
  screen().move({-100, -100});
  screen().move(screen().cell_center(0, 0, 0));
  EXPECT_TRUE(screen().state().hovered);
}

TEST_F(Parts, AMenuChangesTheTheme) {
  const auto corner = [&] {
    const Rect place = screen().picture_place();
    const auto pixel = screen().picture().pixel(static_cast<int>(place.x) + 3, static_cast<int>(place.y) + 3);
    return Rgb{pixel[0], pixel[1], pixel[2]};
  };
  EXPECT_EQ(corner(), palette(Theme::dark).background);
  choose("View", "Light");
  EXPECT_EQ(corner(), palette(Theme::light).background);
  choose("View", "Dark");
  EXPECT_EQ(corner(), palette(Theme::dark).background);
  EXPECT_FALSE(screen().workbench().session().can_undo()) << "a theme is no edit";
}

TEST_F(Parts, TheInspectorCanBeHidden) {
  EXPECT_TRUE(screen().is_open("Inspector"));
  const double width = screen().picture_place().width;
  screen().key('I');
  screen().settle();
  EXPECT_FALSE(screen().is_open("Inspector"));
  EXPECT_GT(screen().picture_place().width, width + 100);
  choose("View", "Inspector");
  EXPECT_TRUE(screen().is_open("Inspector"));
}

TEST_F(Parts, MenusDoWhatTheKeysDo) {
  const Experiment before = screen().experiment();
  change_tokens();
  const Experiment changed = screen().experiment();
  choose("Edit", "Undo");
  screen().settle();
  EXPECT_EQ(screen().experiment(), before);
  choose("Edit", "Redo");
  screen().settle();
  EXPECT_EQ(screen().experiment(), changed);
  choose("View", "Heads");
  screen().settle();
  EXPECT_EQ(screen().experiment().view.name, "heads");
  choose("Help", "About attnscope");
  EXPECT_EQ(dialog(), ui::Dialog::about);
  screen().key(kEscape);
  EXPECT_FALSE(screen().workbench().wants_to_quit());
  screen().key_with_control('Z');
  screen().key_with_control('Z');
  screen().settle();
  screen().key_with_control('Q');
  EXPECT_TRUE(screen().workbench().wants_to_quit()) << "nothing is edited any more";
}

TEST_F(Parts, TheScriptCanBeCopied) {
  change_tokens();
  screen().key_with_control('C', true);
  EXPECT_EQ(ImGui::GetClipboardText(), pytorch_script(screen().experiment()));
  EXPECT_EQ(screen().state().message.text, "copied the experiment as a PyTorch script");
  EXPECT_FALSE(screen().state().message.is_error);
  undo();
  choose("Edit", "Copy PyTorch script");
  EXPECT_EQ(ImGui::GetClipboardText(), pytorch_script(screen().experiment()));
}

TEST_F(Parts, TheMatrixOfThePinnedCellCanBeCopied) {
  screen().settle();
  screen().state().pinned = ui::NamedCell{"weights", {1, 0, 0}};
  screen().frame(2);
  const auto text = [&](MatrixFormat format) {
    return *matrix_text(screen().trace(), "weights", std::vector<Index>{1, 0, 0}, format);
  };
  choose("Edit", "Copy pinned cell's matrix as TSV");
  EXPECT_EQ(ImGui::GetClipboardText(), text(MatrixFormat::tsv));
  EXPECT_EQ(screen().state().message.text, "copied the matrix of weights");
  choose("Edit", "… as Markdown");
  EXPECT_EQ(ImGui::GetClipboardText(), text(MatrixFormat::markdown));
  choose("Edit", "… as LaTeX");
  EXPECT_EQ(ImGui::GetClipboardText(), text(MatrixFormat::latex));
  screen().state().pinned.reset();
  choose("Edit", "… as Markdown");
  EXPECT_EQ(ImGui::GetClipboardText(), text(MatrixFormat::latex)) << "no cell is pinned";
}

TEST_F(Parts, OneDialogGivesWayToAnother) {
  screen().key_with_control('O');
  screen().frame(2);
  screen().key_with_control('S');
  screen().frame(3);
  EXPECT_EQ(dialog(), ui::Dialog::save);
  EXPECT_TRUE(screen().is_open("Save the experiment"));
  EXPECT_FALSE(screen().is_open("Open an experiment"));
  confirm(folder_ / "x.json");
  EXPECT_EQ(dialog(), ui::Dialog::none);
  EXPECT_EQ(bytes_of(folder_ / "x.json"), experiment_json(screen().experiment()));
  screen().frame(3);
  EXPECT_FALSE(screen().is_open("Open an experiment"));
  EXPECT_FALSE(screen().is_open("Save the experiment"));
}

TEST_F(Parts, NothingIsBuiltOrSentWhileNothingHappens) {
  start_small();
  for (const View& view : views()) {
    if (view.name != screen().experiment().view.name) open_view(view.name);
    const bool has_cells = !screen().workbench().shown_figure().figure().heatmaps.empty();
    const Point inside = has_cells ? screen().cell_center(0, 0, 0) : screen().picture_place().center();
    for (const Point at : {Point{-100, -100}, inside}) {
      screen().move(at);
      screen().settle();
      const std::uint64_t uploads = screen().workbench().shown_figure().heatmaps().uploads();
      const std::uint64_t figures = screen().workbench().shown_figure().built();
      const std::uint64_t lines = screen().workbench().shown_figure().lines().pictures();
      EXPECT_GT(uploads, 0U);
      EXPECT_GT(figures, 0U);
      screen().frame(100);
      EXPECT_EQ(screen().workbench().shown_figure().heatmaps().uploads(), uploads) << view.name;
      EXPECT_EQ(screen().workbench().shown_figure().built(), figures) << view.name;
      EXPECT_EQ(screen().workbench().shown_figure().lines().pictures(), lines) << view.name;
      EXPECT_FALSE(screen().workbench().animating());
      EXPECT_FALSE(screen().workbench().busy());
    }
  }
}

TEST_F(Parts, TexturesThatAreNoLongerDrawnAreReleased) {
  start_small();
  const std::size_t at_first = screen().workbench().shown_figure().heatmaps().textures();
  EXPECT_GE(at_first, screen().workbench().shown_figure().figure().heatmaps.size() / 2);
  const Rect slider = screen().slider(parameter("tokens").label);
  screen().drag(across(slider, 0.1), across(slider, 0.1), 1);
  for (int i = 0; i < 40; ++i) {
    screen().move(across(slider, i % 2 == 0 ? 0.2 + 0.015 * i : 0.9));
    screen().settle();
  }
  screen().release();
  screen().settle();
  screen().frame(10);
  EXPECT_LE(screen().workbench().shown_figure().heatmaps().textures(),
            screen().workbench().shown_figure().figure().heatmaps.size());
}

TEST_F(Parts, AViewOpenedWhileComputingShowsWhatWasComputed) {
  // The numbers arrive after the view was changed, and belong to it all the same.
  const Rect slider = screen().slider(parameter("tokens").label);
  for (int i = 0; i < 20; ++i) {
    screen().drag(across(slider, 0.1), across(slider, i % 2 == 0 ? 0.4 : 0.8), 1);
    screen().release();
    screen().click_item("Views", {std::string(i % 2 == 0 ? "heads" : "flow")});
    screen().settle();
    ASSERT_EQ(screen().trace().experiment(), screen().experiment());
    const Figure& figure = screen().workbench().shown_figure().figure();
    for (const HeatmapMark& mark : figure.heatmaps) {
      const Step& step = screen().trace().steps()[static_cast<std::size_t>(mark.step)];
      ASSERT_TRUE(same_numbers(*mark.source, *slice_of(step.tensor, mark))) << mark.id;
    }
  }
}

}  // namespace
}  // namespace attnscope::test
