// The dialog that exports the view: its settings, its preview, and the files that come of it.
#include "dialog_test.h"
#include "io/figures/figure_file.h"
#include "support/pdf_text.h"

namespace attnscope::test {
namespace {

class ExportDialog : public DialogTest {
 protected:
  ExportDialog() : DialogTest("Export the view as a figure") {}

  void open() override {
    screen().key_with_control('E');
    screen().frame(3);
    screen().settle();
    ASSERT_TRUE(screen().is_open(title()));
  }

  void expect_done() {
    EXPECT_EQ(dialog(), ui::Dialog::none) << screen().state().dialog.error;
    EXPECT_FALSE(screen().state().message.is_error) << screen().state().message.text;
  }

  [[nodiscard]] ui::ExportSettings& settings() { return screen().state().export_settings; }
  [[nodiscard]] std::string bytes(const std::string& name) const { return bytes_of(folder_ / name); }
};

TEST_F(ExportDialog, EnterWritesAndEscapeDoesNot) {
  open_for("a.pdf");
  screen().key(kEscape);
  screen().frame(2);
  EXPECT_EQ(dialog(), ui::Dialog::none);
  EXPECT_FALSE(screen().is_open(title()));
  EXPECT_EQ(folder_.size(), 0);
  open_for("a.pdf");
  screen().key(kEnter);
  screen().frame(2);
  expect_done();
  EXPECT_TRUE(bytes("a.pdf").starts_with("%PDF-"));
  // The file is what the command line writes.
  const ExperimentSource source = {screen().experiment()};
  ViewOptions view = *view_options({"flow", {}});
  view.for_file = true;
  const auto build = [&](double width, double height) {
    view.width = width, view.height = height;
    return build_view("flow", screen().trace(), view);
  };
  const Figure figure = figure_for_file(build, {});
  EXPECT_EQ(bytes("a.pdf"), figure_bytes(figure, FigureFormat::pdf, {}, &source).value());
  // Enter counts wherever the keyboard is.
  open_for("b.pdf");
  fill("##width", "5");
  screen().key(kEnter);
  screen().frame(2);
  expect_done();
  EXPECT_NE(pdf_text(bytes("b.pdf")).find("[ 0 0 360 "), std::string::npos);
}

TEST_F(ExportDialog, WritesEveryFormatThatIsTicked) {
  open_for("a.pdf");
  press("PNG");
  press("SVG");
  press("Export");
  expect_done();
  EXPECT_EQ(folder_.size(), 3);
  EXPECT_TRUE(bytes("a.pdf").starts_with("%PDF-"));
  EXPECT_TRUE(bytes("a.png").starts_with("\x89PNG"));
  EXPECT_TRUE(bytes("a.svg").starts_with("<?xml"));
  EXPECT_NE(screen().state().message.text.find("a.png, a.svg, a.pdf"), std::string::npos);
}

TEST_F(ExportDialog, TheEndingAndTheBoxesAgree) {
  open_for("a.png");
  EXPECT_EQ(settings().formats, (std::array{true, false, false}));
  press("SVG");
  EXPECT_TRUE(screen().state().dialog.path.ends_with("a.png"));
  press("PNG");
  EXPECT_TRUE(screen().state().dialog.path.ends_with("a.svg"));
  press("SVG");
  press("Export");
  EXPECT_EQ(dialog(), ui::Dialog::export_figure);
  EXPECT_EQ(screen().state().dialog.error, "no format is chosen: PNG, SVG or PDF");
  EXPECT_EQ(folder_.size(), 0);
}

TEST_F(ExportDialog, SaysWhatIsOutOfRange) {
  open_for("a.svg");
  const Figure* before = screen().workbench().figure_export().preview();
  ASSERT_NE(before, nullptr);
  fill("##width", "0.1");
  screen().key(kEnter);
  screen().frame(2);
  EXPECT_EQ(dialog(), ui::Dialog::export_figure);
  EXPECT_EQ(screen().state().dialog.error, "width of 0.1 inches: must be 0.5 to 100");
  fill("##width", "5");
  fill("##range", "1,0");
  press("Export");
  EXPECT_EQ(dialog(), ui::Dialog::export_figure);
  EXPECT_NE(screen().state().dialog.error.find("range \"1,0\""), std::string::npos);
  EXPECT_NE(screen().workbench().figure_export().preview(), nullptr) << "the last one that could be written";
  EXPECT_EQ(folder_.size(), 0);
}

TEST_F(ExportDialog, SizesAreInTheUnitThatIsChosen) {
  open_for("a.svg");
  choose("##unit", "cm");
  fill("##width", "12.7");
  press("fixed");
  fill("##height", "10.16");
  fill("##type", "19.5");
  press("Export");
  expect_done();
  EXPECT_NE(bytes("a.svg").find("width=\"5in\" height=\"4in\""), std::string::npos) << bytes("a.svg").substr(0, 400);
  EXPECT_DOUBLE_EQ(settings().file.font_points, 19.5);
}

TEST_F(ExportDialog, TheHeightStartsAsItWas) {
  open();
  const Figure* figure = screen().workbench().figure_export().preview();
  ASSERT_NE(figure, nullptr);
  const double height = 7 * figure->height / figure->width;
  press("fixed");
  EXPECT_NEAR(settings().height_inches, height, 0.006);
}

TEST_F(ExportDialog, ThePreviewShowsWhatWillBeWritten) {
  open_view("head");
  open_for("a.svg");
  const auto previewed = [&] { return *screen().workbench().figure_export().preview(); };
  EXPECT_EQ(previewed().width, 672);
  ASSERT_FALSE(previewed().color_bars.empty());
  EXPECT_FALSE(previewed().heatmaps[0].row_labels.empty());
  press("colour bar");
  EXPECT_TRUE(previewed().color_bars.empty());
  press("labels");
  EXPECT_TRUE(previewed().heatmaps[0].row_labels.empty());
  press("values");
  EXPECT_FALSE(previewed().heatmaps[0].shows_numbers);
  const std::size_t texts = previewed().texts.size();
  press("title");
  EXPECT_EQ(previewed().texts.size(), texts - 1);
  choose("##colours", "greys, grey-safe");
  fill("##range", "0,0.5");
  EXPECT_EQ(previewed().heatmaps[0].scale, (ColorScale{ColorMap::greys, 0, 0.5}));
  press("Export");
  expect_done();
  EXPECT_EQ(bytes("a.svg").find("self-attention<"), std::string::npos);
  EXPECT_EQ(bytes("a.svg").find(">attention weight<"), std::string::npos);
  EXPECT_EQ(screen().workbench().figure_export().preview(), nullptr);
}

TEST_F(ExportDialog, ThePreviewIsPaintedInTheColoursOfItsTheme) {
  screen().set_drawn(true);
  open();
  screen().frame(3);
  const Rect place = screen().window_place(title());
  const auto has = [&](Rgb wanted) {
    int pixels = 0;
    const platform::Image picture = screen().picture();
    for (int y = static_cast<int>(place.y); y < static_cast<int>(place.bottom()); ++y) {
      for (int x = static_cast<int>(place.x); x < static_cast<int>(place.right()); ++x) {
        const auto pixel = picture.pixel(x, y);
        pixels += Rgb{pixel[0], pixel[1], pixel[2]} == wanted ? 1 : 0;
      }
    }
    return pixels;
  };
  const int on_paper = has(palette(Theme::paper).background);
  EXPECT_GT(on_paper, 20'000);
  // The weights of the first head: the colours of the matrices are on top of the page.
  const HeatmapMark& last = screen().workbench().figure_export().preview()->heatmaps.back();
  std::vector<float> numbers(static_cast<std::size_t>(last.rows() * last.columns()));
  last.source->read({0, 0, 0, 0, last.rows(), last.columns()}, numbers, {});
  EXPECT_GT(has(cell_color(numbers[0], last.scale)), 5);
  choose("##theme", "dark");
  EXPECT_LT(has(palette(Theme::paper).background), 2000);
  EXPECT_GT(has(palette(Theme::dark).background), 20'000);
}

TEST_F(ExportDialog, ItsSettingsStayForTheNextTime) {
  open_for("a.svg");
  fill("##width", "4");
  choose("##theme", "light");
  press("title");
  press("Export");
  expect_done();
  open();
  EXPECT_TRUE(screen().state().dialog.path.ends_with("flow.svg"));
  EXPECT_EQ(settings().file.width_inches, 4);
  EXPECT_EQ(settings().file.theme, Theme::light);
  EXPECT_FALSE(settings().file.content.title);
  EXPECT_EQ(screen().workbench().figure_export().preview()->width, 384);
}

TEST_F(ExportDialog, TheCaptionCanBeCopied) {
  ImGui::SetClipboardText("before");
  open_for("a.svg");
  press("Copy");
  const std::string caption = ImGui::GetClipboardText();
  EXPECT_TRUE(caption.starts_with("Attention of head 1 of 4 computed step by step, ")) << caption;
  EXPECT_TRUE(caption.ends_with(". " + figure_caption({screen().experiment()}))) << caption;
  EXPECT_EQ(dialog(), ui::Dialog::export_figure);
  ImGui::SetClipboardText("before");
  press("Export");
  expect_done();
  // So does a click on what the status bar says.
  const Rect status = screen().window_place("Status");
  screen().click({status.x + 40, status.center().y});
  EXPECT_EQ(ImGui::GetClipboardText(), caption);
}

TEST_F(ExportDialog, APresetHasItsOwnSizes) {
  open_view("heads");
  open_for("a.svg");
  fill("##width", "9");
  choose("##preset", "column, 3.3 in");
  press("caption");
  const Figure* const shown = screen().workbench().figure_export().preview();
  ASSERT_NE(shown, nullptr);
  EXPECT_FALSE(shown->sentence.empty());
  press("Export");
  expect_done();
  EXPECT_NE(bytes("a.svg").find("width=\"3.3in\""), std::string::npos);
  const std::string svg = bytes("a.svg");
  EXPECT_NE(svg.find(">Attention weights of ", svg.find("</desc>")), std::string::npos) << "below the figure";
  open_for("b.svg");
  choose("##preset", "none");
  press("Export");
  expect_done();
  EXPECT_NE(bytes("b.svg").find("width=\"9in\""), std::string::npos) << "as it was";
}

TEST_F(ExportDialog, SaysWhatHasNoRoomInAPreset) {
  open_view("metrics");
  open_for("a.svg");
  choose("##preset", "column, 3.3 in");
  press("Export");
  EXPECT_EQ(dialog(), ui::Dialog::export_figure);
  EXPECT_TRUE(screen().state().dialog.error.starts_with("the view metrics does not fit into 3.3 in at 6 pt: "))
      << screen().state().dialog.error;
  EXPECT_EQ(folder_.size(), 0);
}

TEST_F(ExportDialog, TheFontIsThatOfThePreviewAndTheFile) {
  open_for("a.svg");
  choose("##font", "latex");
  ASSERT_NE(screen().workbench().figure_export().preview(), nullptr);
  EXPECT_EQ(screen().workbench().figure_export().preview()->font, FigureFont::latex);
  press("Export");
  expect_done();
  EXPECT_NE(bytes("a.svg").find("font-family=\"'LM Roman 10', "), std::string::npos);
}

TEST_F(ExportDialog, SlowViewsAreBuiltBeside) {
  open_view("metrics");
  open_for("a.svg");
  ASSERT_NE(screen().workbench().figure_export().preview(), nullptr);
  EXPECT_FALSE(screen().workbench().figure_export().preview()->heatmaps.empty());
  press("colour bar");
  EXPECT_TRUE(screen().workbench().figure_export().preview()->color_bars.empty());
  press("Export");
  expect_done();
}

TEST_F(ExportDialog, FitsIntoTheWindow) { expect_fits_into_windows(); }

}  // namespace
}  // namespace attnscope::test
