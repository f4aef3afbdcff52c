// A lesson in front of a class: large letters, and the matrices that a step speaks of.
#include <imgui_internal.h>

#include "interface_test.h"
#include "support/sanitized.h"
#include "ui/panels/near_place.h"
#include "ui/parts/presented_step.h"

namespace attnscope::test {
namespace {

class Presenting : public Interface {
 protected:
  void start_at(const WindowSize& size) {
    InterfaceOptions options;
    options.width = size.width;
    options.height = size.height;
    options.scale = size.scale;
    options.lessons = lessons();
    start(options);
  }

  [[nodiscard]] static const std::vector<LessonFile>& lessons() {
    static const std::vector<LessonFile> all = lessons_in(ATTNSCOPE_SOURCE_DIR "/assets/lessons");
    return all;
  }

  void open(const LessonFile& file) {
    screen().click_item("##MainMenuBar", {std::string("##menubar"), std::string("Lessons")});
    screen().click_item("##Menu_00", {(*file.lesson)->title});
    screen().settle();
  }

  void present() {
    screen().key_with_shift(kF11);
    screen().settle();
  }

  [[nodiscard]] const LessonStep& step() {
    const Session& session = screen().workbench().session();
    return session.lesson()->steps[session.lesson_step()];
  }

  [[nodiscard]] std::vector<Rect> matrices_of(const std::string& tensor) {
    std::vector<Rect> boxes;
    for (const HeatmapMark& mark : screen().workbench().shown_figure().figure().heatmaps) {
      if (mark.step >= 0 && screen().trace().steps()[static_cast<std::size_t>(mark.step)].name == tensor)
        boxes.push_back(mark.box);
    }
    return boxes;
  }

  /// The matrices of the tensor that the step speaks of first, among those that the figure has.
  [[nodiscard]] std::vector<Rect> first_matrices() {
    for (const std::string& tensor : ui::tensors_of_step(step())) {
      if (std::vector<Rect> boxes = matrices_of(tensor); !boxes.empty()) return boxes;
    }
    return {};
  }

  /// Text that a window has no room for, in pixels.
  [[nodiscard]] static float hidden_text(std::string_view name) {
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
      if (window->WasActive && std::string_view(window->Name).find(name) != std::string_view::npos)
        return window->ScrollMax.y;
    }
    return -1;
  }

  void expect_readable(const WindowSize& size) {
    const std::string about = step().title;
    const auto scale = static_cast<double>(size.scale);
    // Numbers and interventions may need scrolling; text does not.
    const ui::BesideStep beside = ui::beside_step(step());
    const bool has_more = beside.inspector || std::ranges::count(beside.controls, "interventions") > 0;
    const bool is_text = step().printed.empty() && step().equivalence.empty() && !has_more;
    EXPECT_TRUE(!is_text || hidden_text("Lesson/words") == 0) << about;
    const std::vector<Rect> matrices = first_matrices();
    if (matrices.empty()) return;
    const FigureTransform transform = screen().transform();
    const Rect place = screen().picture_place().grown(1);
    // Numbers of the figure's own, such as a difference, are what it is about.
    const std::vector<HeatmapMark>& shown = screen().workbench().shown_figure().figure().heatmaps;
    if (std::ranges::any_of(shown, ui::has_own_numbers)) {
      EXPECT_TRUE(has_all_matrices(place)) << about;
    }
    for (const Rect& matrix : matrices) {
      EXPECT_TRUE(contains(place, transform.apply(matrix))) << about;
    }
    if (matrices.size() > 1) return;
    ++matrices_;
    const Rect box = transform.apply(matrices.front());
    const double large = 200 * scale;
    const bool fills = box.width >= place.width - 30 || box.height >= place.height - 30;
    // It may be smaller where all that it is computed from is in view, or more that is spoken of; fewer cells, smaller yet.
    const bool has_all = has_all_matrices(place) || spoken_of_in(place) > 1;
    const double length = std::max(box.width, box.height);
    const auto rows = static_cast<double>(std::ranges::find(shown, matrices.front(), &HeatmapMark::box)->rows());
    const bool is_enough = length >= 0.3 * large - 0.1 || box.height / rows >= 13 * scale;
    EXPECT_TRUE(fills || length >= large - 0.1 || (has_all && is_enough))
        << about << ": " << box.width << " × " << box.height;
    large_ += length >= large - 0.1 ? 1 : 0;
    EXPECT_TRUE(fills || TypeSize::kSmall * transform.type_scale >= ui::kPresentedLetters * scale - 0.01) << about;
  }

  [[nodiscard]] static bool contains(const Rect& place, const Rect& box) {
    return box.x >= place.x && box.right() <= place.right() && box.y >= place.y && box.bottom() <= place.bottom();
  }

  /// Whether all matrices of the figure are in view.
  [[nodiscard]] bool has_all_matrices(const Rect& place) {
    const FigureTransform transform = screen().transform();
    return std::ranges::all_of(screen().workbench().shown_figure().figure().heatmaps,
                               [&](const HeatmapMark& mark) { return contains(place, transform.apply(mark.box)); });
  }

  /// How many of the tensors that the step speaks of are in view.
  [[nodiscard]] std::ptrdiff_t spoken_of_in(const Rect& place) {
    const FigureTransform transform = screen().transform();
    return std::ranges::count_if(ui::tensors_of_step(step()), [&](const std::string& tensor) {
      const std::vector<Rect> boxes = matrices_of(tensor);
      return !boxes.empty() &&
             std::ranges::all_of(boxes, [&](const Rect& each) { return contains(place, transform.apply(each)); });
    });
  }

  /// Names of the matrices in the figure.
  [[nodiscard]] std::vector<std::string> shown_matrices() {
    std::vector<std::string> ids;
    for (const HeatmapMark& mark : screen().workbench().shown_figure().figure().heatmaps) ids.push_back(mark.id);
    return ids;
  }

  int matrices_ = 0;
  int large_ = 0;  ///< of them
};

TEST_F(Presenting, FlowShowsWhatTheStepSpeaksOf) {
  start_at({1280, 720, 1});
  open(lessons()[1]);
  screen().settle();
  const std::vector<std::string> whole = shown_matrices();
  present();
  for (int i = 0; i < 3; ++i) screen().key(kRight);
  screen().settle();
  ASSERT_EQ(step().title, "Softmax");
  const std::vector<std::string> spoken_of = {"attend.single.q", "attend.single.k.transposed", "single.scores",
                                              "single.weights"};
  EXPECT_EQ(shown_matrices(), spoken_of);
  screen().key('F');
  screen().settle();
  EXPECT_GT(shown_matrices().size(), spoken_of.size());
  EXPECT_EQ(screen().state().camera, ui::Camera{});
  screen().key('F');
  screen().settle();
  EXPECT_EQ(shown_matrices(), spoken_of);
  screen().click_item("Lesson", {"Whole"});
  screen().settle();
  EXPECT_GT(shown_matrices().size(), spoken_of.size());
  screen().key(kRight);
  screen().settle();
  EXPECT_EQ(shown_matrices(), (std::vector<std::string>{"single.weights", "attend.single.v", "single.head_outputs"}));
  screen().key(kLeft);
  screen().settle();
  EXPECT_EQ(shown_matrices(), spoken_of);
  present();
  EXPECT_GT(shown_matrices().size(), spoken_of.size());
  screen().key('F');
  present();
  EXPECT_EQ(shown_matrices(), spoken_of);
}

TEST_F(Presenting, ShowsFigureAndLessonAndComesBack) {
  start_at({1280, 720, 1});
  open(lessons()[1]);
  const double before = screen().picture_place().width;
  EXPECT_TRUE(screen().is_open("Parameters"));
  present();
  for (const char* const hidden : {"Parameters", "Inspector", "Views"})
    EXPECT_FALSE(screen().is_open(hidden)) << hidden;
  EXPECT_TRUE(screen().is_open("Lesson"));
  EXPECT_LE(screen().window_place("Lesson").right(), screen().picture_place().x + 1);
  EXPECT_GT(screen().picture_place().width, before);
  present();
  for (const char* const shown : {"Parameters", "Inspector", "Views"}) EXPECT_TRUE(screen().is_open(shown)) << shown;
  EXPECT_EQ(screen().state().camera, ui::Camera{});
  EXPECT_EQ(screen().picture_place().width, before);
}

TEST_F(Presenting, ShowsThePanelsThatStepsTellToUse) {
  start_at({1280, 720, 1});
  open(lessons()[1]);
  present();
  const double alone = screen().window_place("Lesson").height;
  screen().key_with_control('[');
  screen().settle();
  for (const char* const shown : {"Parameters", "Views", "Lesson"}) EXPECT_TRUE(screen().is_open(shown)) << shown;
  EXPECT_LT(screen().window_place("Lesson").height, alone);
  EXPECT_LE(screen().window_place("Lesson").bottom(), screen().window_place("Parameters").y);
  screen().key_with_control(']');
  screen().settle();
  EXPECT_TRUE(screen().is_open("Inspector"));
  EXPECT_LE(screen().window_place("Parameters").bottom(), screen().window_place("Inspector").y);
  EXPECT_LE(screen().window_place("Inspector").right(), screen().picture_place().x + 1);
  screen().click_item("Lesson", {"Parameters"});
  screen().settle();
  EXPECT_FALSE(screen().is_open("Parameters"));
  EXPECT_TRUE(screen().is_open("Inspector"));
  present();
  for (const char* const shown : {"Parameters", "Inspector"}) EXPECT_TRUE(screen().is_open(shown)) << shown;
  present();
  for (const char* const hidden : {"Parameters", "Inspector"}) EXPECT_FALSE(screen().is_open(hidden)) << hidden;
}

TEST_F(Presenting, TheFigureHasTheWholeHeight) {
  start_at({1280, 720, 1});
  open(lessons()[1]);
  const Rect usual = screen().window_place("Status");
  EXPECT_LE(screen().picture_place().bottom(), usual.y);
  present();
  EXPECT_NEAR(screen().picture_place().bottom(), 720, 1);  // whole pixels
  const Rect status = screen().window_place("Status");
  EXPECT_LT(status.right(), screen().picture_place().x + 1);
  EXPECT_GE(status.y, screen().window_place("Lesson").bottom());
}

TEST_F(Presenting, AnAttentionThatPlaysIsAllThatIsShown) {
  start_at({1280, 720, 1});
  open(lessons()[1]);
  present();
  for (int i = 0; i < 3; ++i) screen().key(kRight);
  screen().settle();
  const std::vector<std::string> spoken_of = shown_matrices();
  screen().key('.');
  screen().settle();
  EXPECT_EQ(screen().state().camera, ui::Camera{});
  EXPECT_EQ(shown_matrices(),
            (std::vector<std::string>{"attend.single.q", "attend.single.k.transposed", "single.scores",
                                      "single.weights", "attend.single.v", "single.head_outputs"}));
  const std::vector<std::string> attention = shown_matrices();
  screen().key('F');
  screen().settle();
  EXPECT_GT(shown_matrices().size(), attention.size()) << "the whole figure";
  screen().key('F');
  screen().settle();
  EXPECT_EQ(shown_matrices(), attention);
  const Rect all = screen().transform().apply(
      {0, 0, screen().workbench().shown_figure().figure().width, screen().workbench().shown_figure().figure().height});
  EXPECT_LE(all.bottom(), screen().picture_place().bottom() + 1);
  screen().key(kEscape);
  screen().settle();
  EXPECT_EQ(shown_matrices(), spoken_of);
}

TEST_F(Presenting, TheMomentOfTheOutputHasAProductOfItsOwn) {
  start_at({1280, 720, 1});
  open(lessons()[1]);
  present();
  for (int i = 0; i < 9; ++i) screen().key(kRight);
  screen().settle();
  screen().key('.');
  screen().settle();
  EXPECT_EQ(shown_matrices().back(), "head_outputs");
  // All of the figure meanwhile.
  screen().key('F');
  for (int i = 0; i < 100; ++i) screen().key('.');
  screen().key('F');
  screen().settle();
  EXPECT_EQ(shown_matrices().back(), "out");
}

TEST_F(Presenting, ShowsThePanelsBesideAFigureAlone) {
  start_at({1280, 720, 1});
  present();
  screen().key_with_control('[');
  screen().key_with_control(']');
  screen().settle();
  EXPECT_LE(screen().window_place("Parameters").right(), screen().picture_place().x + 1);
  EXPECT_GE(screen().window_place("Inspector").x, screen().picture_place().right() - 1);
}

TEST_F(Presenting, WithoutALessonKeepsTheViews) {
  start_at({1280, 720, 1});
  present();
  EXPECT_TRUE(screen().is_open("Views"));
  EXPECT_FALSE(screen().is_open("Lesson"));
  EXPECT_FALSE(screen().is_open("Parameters"));
  EXPECT_EQ(screen().state().camera, ui::Camera{});
  open_view("heads");
  EXPECT_EQ(screen().experiment().view.name, "heads");
}

TEST_F(Presenting, KeysLeadThroughTheSteps) {
  start_at({1280, 720, 1});
  open(lessons()[1]);
  present();
  screen().key(kRight);
  screen().settle();
  EXPECT_EQ(screen().workbench().session().lesson_step(), 1U);
  expect_readable({1280, 720, 1});
}

TEST_F(Presenting, AMatrixKeepsItsHeading) {
  start_at({1280, 720, 1});
  open(lessons()[1]);
  present();
  for (int i = 0; i < 3; ++i) screen().key(kRight);
  screen().settle();
  ASSERT_EQ(step().title, "Softmax");
  const Figure& figure = screen().workbench().shown_figure().figure();
  const auto heading = std::ranges::find(figure.texts, std::string("weights"), &TextMark::markup);
  ASSERT_NE(heading, figure.texts.end());
  EXPECT_TRUE(screen().picture_place().contains(screen().on_screen(heading->at)));
}

TEST_F(Presenting, NoRoomIsGivenToWhatLiesBesideTheFigure) {
  start_at({1280, 720, 1});
  open(lessons()[1]);
  present();
  while (step().title != "Softmax") {
    screen().key(kRight);
    screen().settle();
  }
  ASSERT_TRUE(screen().workbench().workspace().session().apply({SetParameter{"head_dim", Index{32}}, 0}));
  screen().settle();
  // The weights, at its end, are lit; what they are computed from, with wide queries, lies to their left.
  const Figure& figure = screen().workbench().shown_figure().figure();
  const Rect all = screen().transform().apply({0, 0, figure.width, figure.height});
  const Rect place = screen().picture_place();
  ASSERT_GT(all.width, place.width);
  EXPECT_GE(all.right(), place.right() - 1);
  const HeatmapMark& weights = *std::ranges::find(figure.heatmaps, std::string("single.weights"), &HeatmapMark::id);
  EXPECT_LE(screen().transform().apply(weights.box).right(), place.right());
}

TEST_F(Presenting, AZoomStaysUntilTheNextStep) {
  start_at({1280, 720, 1});
  open(lessons()[1]);
  present();
  const ui::Camera arrived = screen().state().camera;
  screen().move(screen().picture_place().center());
  screen().wheel(2);
  screen().settle();
  const ui::Camera zoomed = screen().state().camera;
  EXPECT_GT(zoomed.zoom, arrived.zoom);
  screen().frame(5);
  EXPECT_EQ(screen().state().camera, zoomed);
  screen().key(kRight);
  screen().key(kLeft);
  screen().settle();
  EXPECT_EQ(screen().state().camera, arrived);
}

TEST_F(Presenting, EveryStepCanBeReadFromTheLastRow) {
  constexpr WindowSize kSize = {1280, 720, 1};
  start_at(kSize);
  for (const LessonFile& file : lessons()) {
    if (kSanitized && &file != &lessons()[1]) continue;
    SCOPED_TRACE(file.name);
    open(file);
    present();
    for (std::size_t i = 0; i < (*file.lesson)->steps.size(); ++i) {
      if (i > 0) screen().key(kRight);
      screen().settle();
      expect_readable(kSize);
    }
    present();
    screen().click_item("Lesson", {std::string("×##close")});
    screen().settle();
  }
  EXPECT_GE(matrices_, kSanitized ? 7 : 90);
  EXPECT_GE(large_, kSanitized ? 3 : 75);
}

TEST_F(Presenting, OnAFullScreenComesToRest) {
  start_at({1920, 1080, 1});
  present();
  const double size = screen().workbench().look().size();
  for (int i = 0; i < 20; ++i) {
    screen().frame();
    ASSERT_EQ(screen().workbench().look().size(), size) << "all letters would be made anew in every frame";
  }
}

TEST_F(Presenting, OnLargeScreensEverythingGrows) {
  for (const WindowSize& size : {WindowSize{1920, 1080, 1}, WindowSize{2560, 1600, 2}, WindowSize{1024, 700, 1}}) {
    start_at(size);
    open(lessons()[1]);
    present();
    expect_readable(size);
    const double grown = ui::presenting_size(size.width / static_cast<double>(size.scale),
                                             size.height / static_cast<double>(size.scale));
    EXPECT_DOUBLE_EQ(static_cast<double>(ImGui::GetIO().DisplaySize.x), size.width);
    EXPECT_GE(screen().transform().type_scale, grown * static_cast<double>(size.scale) - 0.01);
  }
  EXPECT_EQ(matrices_, 3);
}

}  // namespace
}  // namespace attnscope::test
