// What holds for the layout of the views of trained models.
#include <gtest/gtest.h>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "layout_faults.h"
#include "support/made_model.h"
#include "support/sanitized.h"
#include "traces.h"

namespace attnscope::test {
namespace {

std::vector<Index> some_ids(Index count) {
  std::vector<Index> ids;
  for (Index i = 0; i < count; ++i) ids.push_back(i * 7 % 20);
  return ids;
}

std::vector<std::shared_ptr<const Trace>> model_traces() {
  return {made_trace("attention-only", some_ids(1)),
          made_trace("attention-only", some_ids(12), {1, 1, 2}),
          made_trace("gpt2", some_ids(6)),
          made_trace("gpt2", some_ids(40)),
          made_trace("gpt2", some_ids(4), {30, 12, 24}),
          made_trace("attention-only", some_ids(5), {3, 40, 40}),
          made_trace("bert", some_ids(9))};
}

const std::vector<ParameterValues>& option_sets(const std::string& view) {
  static const std::vector<ParameterValues> kNext = {{},
                                                     {{"position", Index{1}}, {"after", Index{0}}, {"top", Index{1}}},
                                                     {{"position", Index{99}}, {"top", Index{50}}}};
  static const std::vector<ParameterValues> kParts = {
      {}, {{"position", Index{1}}, {"token", Index{5}}}, {{"token", Index{19}}, {"other_token", Index{5}}}};
  static const std::vector<ParameterValues> kContributions = {
      kParts[0],
      kParts[1],
      kParts[2],
      {{"to", std::string("query")}, {"layer", Index{2}}, {"query", Index{3}}},
      {{"to", std::string("value")}, {"layer", Index{2}}, {"query", Index{3}}, {"key", Index{2}}}};
  static const std::vector<ParameterValues> kImportance = {
      {}, {{"position", Index{1}}, {"token", Index{5}}, {"with", std::string("mean")}}};
  return view == "next"            ? kNext
         : view == "importance"    ? kImportance
         : view == "contributions" ? kContributions
                                   : kParts;
}

class ModelViewLayout : public testing::TestWithParam<std::string> {};

TEST_P(ModelViewLayout, IsInOrder) {
  for (const auto& trace : model_traces()) {
    if (!missing_for(*find_view(GetParam()), *trace).empty()) continue;
    ViewCache cache;
    for (const ParameterValues& options : option_sets(GetParam())) {
      for (const auto& [width, height] : std::vector<std::pair<double, double>>{
               {672, 0}, {200, 0}, {1600, 0}, {900, 700}, {600, 520}, {500, 1200}, {2500, 1400}}) {
        const Figure figure = figure_of(*trace, GetParam(), options, width, height, &cache);
        const std::string about = trace->experiment().model->name() + " " + fixed_text(width, 0) + " × " +
                                  fixed_text(height, 0) + ", " + std::to_string(trace->experiment().text.ids.size());
        EXPECT_FALSE(figure.title.empty()) << about;
        for (const auto& faults : {layout_faults(figure), shared_ids(figure), slice_faults(figure, *trace)})
          EXPECT_TRUE(faults.empty()) << about << ":\n" << join(faults, "\n");
        if (HasFailure()) return;
      }
      EXPECT_EQ(describe(figure_of(*trace, GetParam(), options, 900, 700, &cache)),
                describe(figure_of(*trace, GetParam(), options, 900, 700)))
          << "cached";
    }
  }
}

TEST_P(ModelViewLayout, IsAPageInTheWindow) {
  const auto trace = made_trace("gpt2", some_ids(19), {4, 4, 8});
  EXPECT_LE(figure_of(*trace, GetParam(), {}, 752, 505).height, 505.5);
}

TEST_P(ModelViewLayout, StopsWhenToldTo) {
  const auto trace = made_trace("gpt2", some_ids(6));
  StopSource stop;
  stop.request_stop();
  ViewOptions options = *view_options({GetParam(), {}});
  options.stop = stop.token();
  EXPECT_TRUE(build_view(GetParam(), *trace, options).heatmaps.empty());
}

TEST_P(ModelViewLayout, OptionsThatApplyChangeTheFigure) {
  const auto trace = made_trace("gpt2", some_ids(6));
  const View& view = *find_view(GetParam());
  const std::string before = describe(figure_of(*trace, view.name));
  for (const Parameter& option : view.options) {
    // Those of a score apply only to one.
    if (!view.applies(*trace, view_options({view.name, {}})->values, option.name) && view.name == "contributions")
      continue;
    EXPECT_TRUE(view.applies(*trace, view_options({view.name, {}})->values, option.name)) << option.name;
    const ParameterValue other =
        option.choices.empty() ? ParameterValue(Index{1}) : ParameterValue(option.choices.back());
    EXPECT_NE(describe(figure_of(*trace, view.name, {{option.name, other}})), before) << option.name;
    EXPECT_FALSE(option_applies(view, *trace_with({}), view_options({view.name, {}})->values, option.name))
        << option.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Views, ModelViewLayout, testing::Values("next", "contributions", "importance", "patching"),
                         [](const auto& view) { return view.param; });

/// The heads of all layers have the words of the text once, at the edges, where they can be read.
TEST(LayerGrid, HasWordsAtItsEdges) {
  const auto trace = made_trace("gpt2", some_ids(6), {4, 4, 8});
  const std::vector<std::string> words = {"[MASK]", "w7", "w14", "the", "w8", "w15"};
  for (const auto& [width, height] : {std::pair(672.0, 0.0), std::pair(900.0, 700.0), std::pair(240.0, 0.0)}) {
    const bool has_room = width > 500;
    const Figure figure = figure_of(*trace, "heads", {}, width, height);
    const auto faults = layout_faults(figure);
    EXPECT_TRUE(faults.empty()) << join(faults, "\n");
    const double left = figure.heatmaps.front().box.x;
    const double top = figure.heatmaps.front().box.y;
    for (const HeatmapMark& mark : figure.heatmaps) {
      EXPECT_EQ(!mark.row_labels.empty(), has_room && mark.box.x == left) << mark.id;
      EXPECT_EQ(!mark.column_labels.empty(), has_room && mark.box.y == top) << mark.id;
      if (!mark.row_labels.empty()) {
        EXPECT_EQ(mark.row_labels.texts(), words);
      }
    }
  }
}

/// A frame alone would look like a choice.
TEST(LayerGrid, CrossesOutHeadsThatAreOff) {
  Experiment experiment = made_trace("gpt2", some_ids(6), {4, 4, 8})->experiment();
  experiment.interventions = {{"layer2.head_outputs", 1, {}, Intervention::Kind::off},
                              {"layer3.head_outputs", 0, {}, Intervention::Kind::mean}};
  const Figure figure = figure_of(**run(experiment), "heads", {}, 900, 700);
  const auto curves_of = [&](const std::string& id) {
    std::vector<std::string> names;
    for (const CurveMark& curve : figure.curves) {
      if (curve.id.starts_with(id + ".")) names.push_back(curve.id.substr(id.size() + 1));
    }
    return names;
  };
  EXPECT_EQ(curves_of("layer2.weights.1"), (std::vector<std::string>{"changed", "down", "up"}));
  EXPECT_EQ(curves_of("layer3.weights.0"), std::vector<std::string>{"changed"});
  EXPECT_EQ(curves_of("layer2.weights.0"), std::vector<std::string>{});
}

/// Those of queries and of keys differ in a decoder, which attends to another text.
TEST(LayerGrid, HasNoWordsWhereMapsHaveOthers) {
  const auto trace = made_trace("t5", some_ids(6), {4, 4, 8});
  for (const HeatmapMark& mark : figure_of(*trace, "heads", {}, 1600, 1200).heatmaps)
    EXPECT_TRUE(mark.row_labels.empty() && mark.column_labels.empty()) << mark.id;
}

}  // namespace
}  // namespace attnscope::test
