// The centre: tabs, options of a view, keys.
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "figure/slices/matrix.h"
#include "interface_test.h"

namespace attnscope::test {
namespace {

class ViewTabs : public Interface {
 protected:
  /// The head that a heatmap of the picture shows, of a tensor that has heads; counted from 1.
  [[nodiscard]] Index shown_head() {
    for (const HeatmapMark& mark : screen().workbench().shown_figure().figure().heatmaps) {
      if (mark.leading.size() == 1) return mark.leading.front() + 1;
    }
    return 0;
  }
  [[nodiscard]] Index selected_head() { return view_options(screen().experiment().view)->integer("head"); }
};

TEST_F(ViewTabs, ThatShowAPairKeepTheirsWhereThePinnedCellIsOfOtherAxes) {
  // As between a step of a lesson that pins it and the tensors of that step.
  screen().state().pinned = ui::NamedCell{"weights", {1}};
  ASSERT_EQ(screen().trace().find("weights")->axes.size(), 3U);
  open_view("dot");
  EXPECT_EQ(screen().experiment().view, (ViewChoice{"dot", {}}));
  screen().state().pinned = ui::NamedCell{"weights", {2, 1, 3}};
  open_view("flow");
  open_view("dot");
  EXPECT_EQ(view_options(screen().experiment().view)->integer("query"), 2);
}

TEST_F(ViewTabs, EachOpensItsView) {
  ASSERT_EQ(screen().experiment().view.name, "flow");
  std::vector<platform::Image> pictures = {screen().picture()};
  for (const View& view : views().subspan(1)) {
    open_view(view.name);
    EXPECT_EQ(screen().experiment().view.name, view.name);
    const Figure expected = build_view(view.name, screen().trace(), *view_options(screen().experiment().view));
    EXPECT_EQ(screen().workbench().shown_figure().figure().title, expected.title);
    EXPECT_EQ(screen().workbench().shown_figure().figure().heatmaps.size(), expected.heatmaps.size());
    pictures.push_back(screen().picture());
    for (std::size_t i = 0; i + 1 < pictures.size(); ++i) {
      EXPECT_GT(different_pixels(pictures[i], pictures.back(), screen().picture_place()), 500) << view.name;
    }
  }
  open_view("flow");
  screen().move({-100, -100});
  EXPECT_EQ(different_pixels(pictures.front(), screen().picture(), screen().picture_place()), 0);
}

TEST_F(ViewTabs, StayInTheirPlacesWhicheverIsOpen) {
  std::map<std::string, double> places;
  std::vector<std::string> listed;
  for (const View& view : views()) {
    try {
      places[view.name] = screen().item("Views", {view.name}).center().x;
    } catch (const std::runtime_error&) {
      listed.push_back(view.name);
    }
  }
  ASSERT_GT(places.size(), 3U);
  ASSERT_GT(listed.size(), 2U) << "they have no room for a tab";
  for (const std::string& name : {listed.front(), listed.back()}) {
    open_view(name);
    EXPECT_EQ(screen().experiment().view.name, name);
    for (const auto& [tab, place] : places) EXPECT_EQ(screen().item("Views", {tab}).center().x, place) << tab;
  }
}

TEST_F(ViewTabs, AreAStepOfUndoAndCostNoComputation) {
  const std::shared_ptr<const Tensor> weights = screen().trace().find("weights")->tensor;
  open_view("heads");
  EXPECT_EQ(screen().trace().find("weights")->tensor, weights);
  undo();
  EXPECT_EQ(screen().experiment().view.name, "flow");
}

TEST_F(ViewTabs, AClickOnATargetSetsItsOptionsAndCanBeUndone) {
  open_view("metrics");
  const auto click_target = [&](const std::string& id) {
    const std::vector<TargetMark>& targets = screen().workbench().shown_figure().figure().targets;
    const auto found =
        std::find_if(targets.begin(), targets.end(), [&](const TargetMark& target) { return target.id == id; });
    ASSERT_NE(found, targets.end()) << id;
    screen().click(screen().on_screen(found->box.center()));
    screen().settle();
  };
  click_target("head.2");
  EXPECT_EQ(selected_head(), 3);
  click_target("sort.diagonal");
  EXPECT_EQ(view_options(screen().experiment().view)->choice("sort"), "diagonal");
  EXPECT_EQ(view_options(screen().experiment().view)->choice("order"), "down");
  click_target("sort.diagonal");
  EXPECT_EQ(view_options(screen().experiment().view)->choice("order"), "up");
  undo();
  EXPECT_EQ(view_options(screen().experiment().view)->choice("order"), "down");
  undo();
  EXPECT_EQ(view_options(screen().experiment().view)->choice("sort"), "head") << "both options are one step";
  EXPECT_EQ(selected_head(), 3);
}

TEST_F(ViewTabs, HeadButtonsChooseAHead) {
  ASSERT_EQ(shown_head(), 1);
  for (const int head : {3, 4, 1, 2}) {
    screen().click_item("Figure", {std::string("Head"), head - 1, std::to_string(head)});
    screen().settle();
    EXPECT_EQ(selected_head(), head);
    EXPECT_EQ(shown_head(), head);
  }
}

TEST_F(ViewTabs, DigitsChooseAHeadThatThereIs) {
  for (const int head : {2, 4, 3}) {
    screen().key('0' + head);
    screen().settle();
    EXPECT_EQ(selected_head(), head);
    EXPECT_EQ(shown_head(), head);
  }
  for (const int missing : {5, 9, 0}) {
    screen().key('0' + missing);
    screen().settle();
    EXPECT_EQ(shown_head(), 3) << missing;
  }
  open_view("heads");
  const Experiment before = screen().experiment();
  screen().key('1');
  screen().settle();
  EXPECT_EQ(screen().experiment(), before) << "this view shows all heads";
}

TEST_F(ViewTabs, FewerHeadsThanTheChosenOneShowTheLast) {
  screen().key('4');
  const Rect heads = screen().slider(parameter("heads").label);
  screen().drag(across(heads, 0.9), across(heads, 0.15));
  screen().release();
  screen().settle();
  ASSERT_LT(screen().experiment().integer("heads"), 4);
  EXPECT_EQ(shown_head(), screen().experiment().integer("heads"));
}

TEST_F(ViewTabs, ManyHeadsHaveASlider) {
  screen().control_click(screen().slider(parameter("heads").label).center());
  screen().retype("40");
  screen().key(kEnter);
  screen().settle();
  const Rect slider = screen().item("Figure", {std::string("##head")});
  screen().drag(across(slider, 0.1), across(slider, 1.5));
  screen().release();
  screen().settle();
  EXPECT_EQ(selected_head(), 40);
  EXPECT_EQ(shown_head(), 40);
}

TEST_F(ViewTabs, AKeysBarChoosesTheKeyAndExplainsItself) {
  open_view("dot");
  const auto target = [&](const std::string& id) {
    const std::vector<TargetMark>& all = screen().workbench().shown_figure().figure().targets;
    return *std::find_if(all.begin(), all.end(), [&](const TargetMark& mark) { return mark.id == id; });
  };
  const TargetMark bar = target("scores.4");
  screen().move(screen().on_screen(bar.box.center()));
  ASSERT_TRUE(screen().state().hovered);
  EXPECT_EQ(screen().state().hovered->tensor, "scores");
  EXPECT_EQ(screen().state().hovered->index, (std::vector<Index>{0, 0, 4}));
  screen().click(screen().on_screen(bar.box.center()));
  screen().settle();
  EXPECT_EQ(view_options(screen().experiment().view)->integer("key"), 5);
  screen().move(screen().on_screen(target("k.2").box.center()));
  ASSERT_TRUE(screen().state().hovered);
  EXPECT_EQ(screen().state().hovered->tensor, "k");
  EXPECT_EQ(screen().state().hovered->index, (std::vector<Index>{0, 4, 2}));
  undo();
  EXPECT_EQ(view_options(screen().experiment().view)->integer("key"), 1);
}

TEST_F(ViewTabs, ARangeOfTheViewsOwnHasASlider) {
  open_view("scaling");
  const Rect slider = screen().item("Figure", {std::string("##keys")});
  screen().drag(slider.center(), {slider.x + 1, slider.center().y}, 4);
  screen().release();
  screen().settle();
  EXPECT_EQ(view_options(screen().experiment().view)->integer("keys"), 2);
  screen().drag(slider.center(), {slider.right() - 1, slider.center().y}, 1);
  screen().release();
  screen().settle();
  EXPECT_EQ(view_options(screen().experiment().view)->integer("keys"), 256);
}

TEST_F(ViewTabs, OptionsChangeThePicture) {
  screen().click_item("Figure", {std::string("Attention"), 1, std::string("cross")});
  screen().settle();
  EXPECT_EQ(screen().experiment().view.options.at("attention"), ParameterValue(std::string("cross")));
  const auto& heatmaps = screen().workbench().shown_figure().figure().heatmaps;
  EXPECT_TRUE(
      std::any_of(heatmaps.begin(), heatmaps.end(), [](const auto& mark) { return mark.id == "cross_weights"; }));
  undo();
  EXPECT_TRUE(screen().experiment().view.options.empty());
}

TEST_F(ViewTabs, WeightsHaveTheChosenColourScale) {
  open_view("heads");
  const auto scale = [&] { return screen().workbench().shown_figure().figure().heatmaps.front().scale; };
  EXPECT_EQ(scale(), (ColorScale{ColorMap::viridis, 0, 1, ScaleKind::linear}));
  screen().click_item("Figure", {std::string("Colour scale"), 2, std::string("logarithmic")});
  screen().settle();
  EXPECT_EQ(scale(), (ColorScale{ColorMap::viridis, 0.001, 1, ScaleKind::logarithmic}));
  open_view("head");
  EXPECT_EQ(scale().kind, ScaleKind::logarithmic) << "views keep it";
  screen().click_item("Figure", {std::string("Colour scale"), 1, std::string("per query")});
  screen().settle();
  EXPECT_EQ(scale(), (ColorScale{ColorMap::viridis, 0, 1, ScaleKind::share_of_row}));
}

TEST_F(ViewTabs, EveryButtonOfARowOfOptionsIsInTheWindow) {
  for (int width = 940; width <= 1540; width += 50) {
    screen().resize(width, 700);
    for (const char* view : {"heads", "head", "lines", "text"}) {
      open_view(view);
      const View& shown = *find_view(view);
      const ViewOptions options = *view_options(screen().experiment().view);
      const Rect window = screen().window_place("Figure");
      for (const Parameter& option : shown.options) {
        if (option.kind != Parameter::Kind::choice ||
            !option_applies(shown, screen().trace(), options.values, option.name))
          continue;
        for (std::size_t i = 0; i < option.choice_labels.size(); ++i) {
          const Rect button = screen().item("Figure", {option.label, static_cast<int>(i), option.choice_labels[i]});
          EXPECT_LE(button.right(), window.right() - 8) << width << " " << view << " " << option.choice_labels[i];
        }
      }
    }
  }
}

class LinesView : public Interface {
 protected:
  void SetUp() override {
    Interface::SetUp();
    open_view("lines");
  }

  /// Clicks on that target of the picture.
  void click_target(const std::string& id) {
    for (const TargetMark& mark : screen().workbench().shown_figure().figure().targets) {
      if (mark.id != id) continue;
      screen().click(screen().on_screen(mark.box.center()));
      screen().settle();
      return;
    }
    FAIL() << id;
  }
  [[nodiscard]] ViewOptions options() { return *view_options(screen().experiment().view); }
  [[nodiscard]] std::size_t line_count() {
    std::size_t count = 0;
    for (const StrandsMark& mark : screen().workbench().shown_figure().figure().strands) count += mark.strands.size();
    return count;
  }
};

TEST_F(LinesView, AClickOnATokenShowsItsLinesAndAnotherAll) {
  EXPECT_EQ(line_count(), 36U);
  click_target("query.2");
  EXPECT_EQ(options().integer("query"), 3);
  EXPECT_EQ(line_count(), 6U);
  click_target("query.5");
  EXPECT_EQ(options().integer("query"), 6);
  click_target("query.5");
  EXPECT_EQ(options().integer("query"), 0);
  EXPECT_EQ(line_count(), 36U);
}

TEST_F(LinesView, TheButtonsChooseAQueryOrAll) {
  screen().click_item("Figure", {std::string("Query"), 2, std::string("2")});
  screen().settle();
  EXPECT_EQ(options().integer("query"), 2);
  screen().click_item("Figure", {std::string("Query"), 0, std::string("all")});
  screen().settle();
  EXPECT_EQ(options().integer("query"), 0);
}

TEST_F(LinesView, TheSliderOfManyQueriesBeginsAtAll) {
  screen().control_click(screen().slider(parameter("tokens").label).center());
  screen().retype("30");
  screen().key(kEnter);
  screen().settle();
  const Rect slider = screen().item("Figure", {std::string("##query")});
  screen().drag(across(slider, 0.1), across(slider, 1.5));
  screen().release();
  screen().settle();
  EXPECT_EQ(options().integer("query"), 30);
  screen().drag(across(slider, 0.9), across(slider, -0.5));
  screen().release();
  screen().settle();
  EXPECT_EQ(options().integer("query"), 0);
}

TEST_F(LinesView, AWeightExplainsItself) {
  click_target("query.2");
  click_target("weight.4");
  EXPECT_EQ(screen().state().pinned, (ui::NamedCell{"weights", {0, 2, 4}}));
}

TEST_F(LinesView, TheLegendShowsAHeadAloneInOneStepOfUndo) {
  screen().click_item("Figure", {std::string("Heads"), 1, std::string("all")});
  screen().settle();
  EXPECT_EQ(line_count(), 4 * 36U);
  click_target("legend.head.2");
  EXPECT_EQ(options().integer("head"), 3);
  EXPECT_EQ(options().choice("heads"), "one");
  EXPECT_EQ(line_count(), 36U);
  undo();
  EXPECT_EQ(options().choice("heads"), "all");
  EXPECT_EQ(options().integer("head"), 1);
}

TEST_F(LinesView, TheMassIsASlider) {
  const Rect slider = screen().item("Figure", {std::string("##mass")});
  screen().drag(across(slider, 0.9), across(slider, 0.5));
  screen().release();
  screen().settle();
  EXPECT_NEAR(options().real("mass"), 0.5, 0.1);
  EXPECT_LT(line_count(), 36U);
}

TEST_F(LinesView, OnlyTheLinesOfTheTokenUnderTheCursorAreThere) {
  screen().move({-100, -100});
  screen().settle();
  const platform::Image all = screen().picture();
  const Figure figure = screen().workbench().shown_figure().figure();
  const auto token = std::find_if(figure.targets.begin(), figure.targets.end(),
                                  [](const TargetMark& mark) { return mark.id == "query.0"; });
  screen().move(screen().on_screen(token->box.center()));
  screen().settle();
  // Where the lines of the last token begin, far from the first one's and its tooltip.
  for (const Strand& strand : figure.strands.front().strands) {
    if (strand.from_end != 5 || strand.opacity < 0.3F) continue;
    const Point at = screen().on_screen({strand.from.x + 8, strand.from.y});
    EXPECT_GT(different_pixels(all, screen().picture(), {at.x - 8, at.y - 8, 16, 16}), 5);
    return;
  }
  FAIL() << "the last token has no strong line";
}

}  // namespace
}  // namespace attnscope::test
