// Every system in the window: its sliders, its views, its inspector.
#include <algorithm>

#include "core/experiment/system.h"
#include "core/plan/validate.h"
#include "figure/slices/matrix.h"
#include "interface_test.h"
#include "support/sanitized.h"

namespace attnscope::test {
namespace {

/// That system with pictures small enough for a debug build.
Experiment small_picture(const std::string& system) {
  Experiment experiment = *default_experiment(system);
  for (const auto& [name, value] : {std::pair("batch", "2"), std::pair("height", "4"), std::pair("width", "4")}) {
    if (find_parameter(find_system(system)->parameters, name) == nullptr) continue;
    EXPECT_TRUE(set_parameter_text(experiment, name, value));
  }
  return experiment;
}

class EverySystem : public Interface, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    InterfaceOptions options;
    options.experiment = small_picture(GetParam());
    start(options);
    screen().settle();
  }
};

TEST_P(EverySystem, IsChosenFromTheList) {
  start({});
  screen().click_item("Parameters", {std::string("##system")});
  screen().click_item("##Combo_00", {find_system(GetParam())->title});
  screen().settle();
  EXPECT_EQ(screen().experiment().system, GetParam());
  EXPECT_EQ(screen().trace().experiment().system, GetParam());
}

/// At the smallest window: none is cut off.
TEST_F(Interface, TheListOfSystemsShowsAllOfThem) {
  InterfaceOptions options;
  options.width = 1024;
  options.height = 700;
  start(options);
  screen().click_item("Parameters", {std::string("##system")});
  screen().frame(3);
  const ImGuiWindow* const list = ImGui::FindWindowByName("##Combo_00");
  ASSERT_NE(list, nullptr);
  EXPECT_TRUE(list->Active);
  EXPECT_EQ(list->ScrollMax.y, 0);
}

TEST_P(EverySystem, ShowsSomethingInEveryView) {
  for (const View& view : views()) {
    open_view(view.name);
    const Figure& figure = screen().workbench().shown_figure().figure();
    EXPECT_FALSE(figure.texts.empty()) << view.name;
    const bool says_why =
        std::any_of(figure.texts.begin(), figure.texts.end(), [](const TextMark& t) { return t.id == "missing"; });
    EXPECT_EQ(figure.heatmaps.empty() && figure.bars.empty() && figure.strands.empty() && figure.curves.empty(),
              says_why)
        << view.name;
    EXPECT_TRUE(says_why || missing_for(view, screen().trace()).empty()) << view.name;
    for (const HeatmapMark& mark : figure.heatmaps) {
      EXPECT_GT(mark.box.width, 0) << mark.id;
      EXPECT_GT(mark.box.height, 0) << mark.id;
      EXPECT_LE(mark.box.right(), figure.width + 0.5) << mark.id;
      EXPECT_LE(mark.box.bottom(), figure.height + 0.5) << mark.id;
    }
  }
}

TEST_P(EverySystem, ExplainsTheCellUnderTheCursor) {
  int met = 0;
  for (const View& view : views()) {
    open_view(view.name);
    for (std::size_t i = 0; i < screen().workbench().shown_figure().figure().heatmaps.size(); ++i) {
      const HeatmapMark mark = screen().workbench().shown_figure().figure().heatmaps[i];
      // The mouse moves by whole pixels: smaller cells cannot be met.
      const double cell = std::min(mark.box.width / static_cast<double>(mark.columns()),
                                   mark.box.height / static_cast<double>(mark.rows()));
      if (mark.step < 0 || cell * screen().transform().scale < 3) continue;
      ++met;
      const Index row = mark.rows() / 2;
      const Index column = mark.columns() / 2;
      screen().move(screen().cell_center(i, row, column));
      screen().frame(2);
      const auto& inspected = screen().state().inspected();
      ASSERT_TRUE(inspected) << view.name << " " << mark.id;
      const Step& step = screen().trace().steps()[static_cast<std::size_t>(mark.step)];
      EXPECT_EQ(inspected->tensor, step.name);
      EXPECT_EQ(inspected->index, mark.index_of(row, column)) << mark.id;
      EXPECT_EQ(step.tensor->at(inspected->index), mark.source->held()->at(row, column)) << mark.id;
    }
  }
  EXPECT_GE(met, 4);
}

TEST_P(EverySystem, AnySliderCanBeDraggedFromEndToEnd) {
  for (const Parameter& each : find_system(GetParam())->parameters) {
    if (each.kind != Parameter::Kind::integer) continue;
    SCOPED_TRACE(each.name);
    const Experiment before = screen().experiment();
    const Rect slider = screen().slider(each.label);
    screen().drag(across(slider, 0.5), across(slider, 0.02), 6);
    screen().drag(across(slider, 0.02), across(slider, 0.6), 12);
    screen().release();
    screen().settle();
    EXPECT_TRUE(validate(screen().experiment()));
    EXPECT_FALSE(screen().state().message.is_error) << screen().state().message.text;
    EXPECT_EQ(screen().trace().experiment(), screen().experiment());
    while (screen().workbench().session().can_undo()) undo();
    EXPECT_EQ(screen().experiment(), before);
  }
}

INSTANTIATE_TEST_SUITE_P(Systems, EverySystem, ::testing::ValuesIn([] {
                           std::vector<std::string> names;
                           // What differs between the systems is tested in the layers below, there under a
                           // sanitizer as well: here it watches every third of them.
                           for (std::size_t i = 0; i < systems().size(); i += kSanitized ? 3 : 1)
                             names.push_back(systems()[i].name);
                           return names;
                         }()),
                         [](const auto& system) {
                           std::string name = system.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_F(Interface, HeadsStopWhereTheyDivide) {
  InterfaceOptions options;
  options.experiment = *default_experiment("stacked-multihead");
  start(options);
  screen().settle();
  const Rect heads = screen().slider("Heads");
  for (const double share : {0.0, 0.15, 0.3, 0.45, 0.6, 0.8, 1.0}) {
    screen().drag(across(heads, 0.5), across(heads, share), 4);
    screen().release();
    screen().settle();
    EXPECT_EQ(32 % screen().experiment().integer("heads"), 0) << share;
  }
  EXPECT_EQ(screen().experiment().integer("heads"), 16);
  // What they divide moves in steps of them.
  const Rect embedding = screen().slider("Embedding dimension");
  screen().drag(across(embedding, 0.5), across(embedding, 0.7), 4);
  screen().release();
  screen().settle();
  EXPECT_EQ(screen().experiment().integer("embedding"), 48);
}

TEST_F(Interface, KeysAreNoParameterWhenTheInputIsShared) {
  InterfaceOptions options;
  options.experiment = *default_experiment("projected-multihead");
  options.experiment->parameters["input"] = std::string("self");
  start(options);
  screen().settle();
  EXPECT_THROW(screen().slider("Keys"), std::runtime_error);
  EXPECT_NO_THROW(screen().slider("Queries"));
}

TEST_F(Interface, TheBatchItemIsChosenInEveryView) {
  InterfaceOptions options;
  options.experiment = small_picture("image-multihead");
  start(options);
  screen().settle();
  for (const View& view : views()) {
    if (find_parameter(view.options, "item") == nullptr || !missing_for(view, screen().trace()).empty()) continue;
    open_view(view.name);
    for (const int item : {2, 1}) {
      screen().click_item("Figure", {std::string("Batch item"), item - 1, std::to_string(item)});
      screen().settle();
      for (const HeatmapMark& mark : screen().workbench().shown_figure().figure().heatmaps) {
        if (mark.step < 0) continue;
        const Step& step = screen().trace().steps()[static_cast<std::size_t>(mark.step)];
        if (step.axes.front().name != "batch") continue;
        EXPECT_EQ(mark.leading.front(), item - 1) << view.name << " " << mark.id;
      }
      for (const TargetMark& mark : screen().workbench().shown_figure().figure().targets) {
        if (!mark.cell) continue;
        EXPECT_EQ(mark.cell->index.front(), item - 1) << view.name << " " << mark.id;
      }
    }
  }
}

}  // namespace
}  // namespace attnscope::test
