// Every view as PDF and SVG, as poppler and librsvg show it, held against what the window shows.
#include "core/trace/run.h"
#include "figure/views/view.h"
#include "interface_test.h"
#include "io/models/model_texts.h"
#include "support/rendered_figure.h"

namespace attnscope::test {
namespace {

/// The view in a window with two pixels to a logical one.
class RenderedWindow : public ::testing::TestWithParam<Theme> {
 protected:
  void SetUp() override {
    const std::string missing = not_installed({"pdftoppm", "rsvg-convert"});
    if (!missing.empty()) GTEST_SKIP() << missing;
  }
};

/// The part of the window that the figure is on. A view that does not fit is shown smaller, which no file is.
Raster shown_in(OffscreenInterface& screen) {
  const Figure& figure = screen.workbench().shown_figure().figure();
  const FigureTransform transform = screen.transform();
  if (std::abs(transform.scale - kRenderedScale) > 1e-9) throw std::runtime_error("the window is too small");
  screen.move({-100, -100});
  const platform::Image image = screen.picture();
  struct Source {
    const platform::Image& image;
    [[nodiscard]] Rgb at(int x, int y) const {
      const auto pixel = image.pixel(x, y);
      return {pixel[0], pixel[1], pixel[2]};
    }
  };
  return Raster::of(Source{image}, static_cast<int>(transform.offset.x), static_cast<int>(transform.offset.y),
                    static_cast<int>(figure.width * kRenderedScale), static_cast<int>(figure.height * kRenderedScale));
}

/// The first experiment of which the view can show something.
Experiment experiment_shown_in(const View& view) {
  for (const char* const system : {"worked-example", "packed-multihead"}) {
    Experiment experiment = *default_experiment(system);
    if (missing_for(view, *run(experiment).value()).empty()) return experiment;
  }
  const std::filesystem::path models = ATTNSCOPE_SOURCE_DIR "/assets/models";
  Experiment experiment = experiment_of_model(models / "stories").value();
  if (missing_for(view, *run(experiment).value()).empty()) return experiment;
  return experiment_of_model(models / "induction").value();
}

/// Compares what the window shows of the experiment with both kinds of vector files, and with a wrong picture.
void expect_window_like_files(Experiment experiment, Theme theme) {
  InterfaceOptions options;
  options.width = 2200;
  options.height = 1486;
  options.scale = kRenderedScale;
  options.theme = theme;
  options.experiment = std::move(experiment);
  if (options.experiment->model != nullptr) options.height += 400;  // for its text
  OffscreenInterface screen(options);
  screen.set_drawn(false);
  screen.key('I');  // room for the figure in place of the inspector
  screen.settle();
  const Figure& figure = screen.workbench().shown_figure().figure();
  const Raster shown = shown_in(screen);
  const TemporaryFolder folder;
  for (const char* name : {"figure.pdf", "figure.svg"}) {
    ASSERT_TRUE(write_figure(figure, own_size(figure, theme), folder / name));
    EXPECT_EQ(rendering_fault(shown, rendered(folder / name), figure, Letters::in_window), "") << name;
  }
  if (figure.heatmaps.empty()) return;
  Figure wrong = figure;
  Rect& box = wrong.heatmaps.front().box;
  box.x += box.width / static_cast<double>(wrong.heatmaps.front().columns()) / 2;
  const std::string png = figure_bytes(wrong, FigureFormat::png, own_size(wrong, theme)).value();
  EXPECT_NE(rendering_fault(shown, pixels_of(png), figure, Letters::in_window), "") << "half a cell aside";
}

TEST_P(RenderedWindow, ShowsWhatTheFilesShow) {
  // Each view in one of the themes: colours are looked up in the same place for all of them.
  std::size_t number = GetParam() == Theme::dark ? 0 : 1;
  for (const View& view : views()) {
    if (number++ % 2 != 0) continue;
    SCOPED_TRACE(view.name);
    Experiment experiment = experiment_shown_in(view);
    experiment.view = {view.name, {}};
    expect_window_like_files(std::move(experiment), GetParam());
  }
}

TEST_P(RenderedWindow, ShowsTheColourScalesOfTheFiles) {
  for (const char* const scale : {"row", "logarithmic"}) {
    SCOPED_TRACE(scale);
    Experiment experiment = *default_experiment("worked-example");
    experiment.view = {"heads", {{"color_scale", std::string(scale)}}};
    expect_window_like_files(std::move(experiment), GetParam());
  }
}

TEST_P(RenderedWindow, ShowsLabelsInEveryScriptAsTheFilesDo) {
  Experiment experiment = *default_experiment("worked-example");
  // What DejaVu Sans has: for other letters each machine has another font, or none.
  experiment.labels = {"שלום", "مرحبا", "😀", "e\u0301", "жук", "f"};
  experiment.view = {"heads", {}};
  expect_window_like_files(std::move(experiment), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Themes, RenderedWindow, ::testing::Values(Theme::dark, Theme::light),
                         [](const auto& theme) { return std::string(theme_name(theme.param)); });

}  // namespace
}  // namespace attnscope::test
