// Figures that are opened in the window.
#include "io/figures/figure_file.h"

#include "interface_test.h"
#include "support/temporary_folder.h"

namespace attnscope::test {
namespace {

class FigureFiles : public Interface {
 protected:
  /// A figure of the experiment's own view, as the window has it.
  std::filesystem::path figure_of(const ExperimentSource& source, const std::string& name) {
    const std::filesystem::path path = folder_ / name;
    EXPECT_TRUE(write_figure(screen().workbench().shown_figure().figure(), {.dpi = 20}, path, &source));
    return path;
  }

  void drop(const std::filesystem::path& path) {
    screen().workbench().open_files({path.string()});
    screen().settle();
  }

  static Experiment two_heads() {
    Experiment experiment = *default_experiment("worked-example");
    experiment.parameters["heads"] = Index{2};
    experiment.view = {"head", {{"head", Index{2}}}};
    return experiment;
  }

  TemporaryFolder folder_;
};

TEST_F(FigureFiles, OpenAsTheExperimentTheyShow) {
  screen().settle();
  for (const char* name : {"a.png", "a.svg", "a.pdf"}) {
    drop(figure_of({two_heads()}, name));
    EXPECT_FALSE(screen().state().message.is_error) << screen().state().message.text;
    EXPECT_EQ(screen().experiment(), two_heads()) << name;
    EXPECT_EQ(screen().trace().experiment(), two_heads());
    EXPECT_FALSE(screen().workbench().session().modified());
    // Save must not put an experiment in the figure's place.
    const std::string before = bytes_of(folder_ / name);
    screen().key_with_control('S');
    EXPECT_EQ(screen().state().dialog.open, ui::Dialog::save);
    EXPECT_EQ(screen().state().dialog.path, (folder_ / "worked-example.json").string());
    screen().key(kEscape);
    screen().frame(2);
    EXPECT_EQ(bytes_of(folder_ / name), before);
    start({});
    screen().settle();
  }
}

TEST_F(FigureFiles, AreOpenedFromTheDialogToo) {
  screen().settle();
  const auto path = figure_of({two_heads()}, "a.png");
  screen().key_with_control('O');
  screen().frame(2);
  screen().retype(path.string());
  screen().key(kEnter);
  screen().settle();
  EXPECT_EQ(screen().experiment(), two_heads());
}

TEST_F(FigureFiles, BringWhatTheyWereComparedWith) {
  screen().settle();
  Experiment pinned = *default_experiment("worked-example");
  pinned.seed = 7;
  Experiment experiment = *default_experiment("worked-example");
  experiment.view = {"compare", {{"against", std::string("pinned")}}};
  drop(figure_of({experiment, pinned}, "a.svg"));
  EXPECT_EQ(screen().experiment(), experiment);
  EXPECT_EQ(screen().trace().experiment(), experiment);
  const Figure& restored = screen().workbench().shown_figure().figure();
  EXPECT_FALSE(restored.heatmaps.empty());
  // As if it had been pinned by hand.
  const std::string text = describe(restored);
  InterfaceOptions options;
  options.experiment = pinned;
  start(options);
  screen().settle();
  screen().key('P');
  screen().settle();
  ASSERT_EQ(screen().experiment().view, experiment.view);
  Experiment other = experiment;
  drop(folder_.file("other.json", experiment_json(other)));
  EXPECT_EQ(describe(screen().workbench().shown_figure().figure()), text);
}

TEST_F(FigureFiles, TheSameExperimentMayBePinned) {
  screen().settle();
  Experiment experiment = *default_experiment("worked-example");
  experiment.seed = 9;
  experiment.view = {"compare", {{"against", std::string("pinned")}}};
  drop(figure_of({experiment, experiment}, "a.svg"));
  EXPECT_EQ(screen().trace().experiment(), experiment);
  EXPECT_FALSE(screen().workbench().shown_figure().figure().heatmaps.empty());
}

TEST_F(FigureFiles, ThatCannotBeOpenedLeaveTheDocument) {
  screen().settle();
  const Experiment before = screen().experiment();
  drop(folder_.file("drawing.svg", "<svg/>"));
  EXPECT_TRUE(screen().state().message.is_error);
  EXPECT_NE(screen().state().message.text.find("drawing.svg: contains no experiment"), std::string::npos);
  Experiment wrong = two_heads();
  wrong.view.name = "nope";
  drop(figure_of({wrong}, "wrong.png"));
  EXPECT_TRUE(screen().state().message.is_error);
  EXPECT_NE(screen().state().message.text.find("nope"), std::string::npos) << screen().state().message.text;
  EXPECT_EQ(screen().experiment(), before);
}

}  // namespace
}  // namespace attnscope::test
