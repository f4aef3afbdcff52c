// The numbers of the view `compare` against those of the traces.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/heads/metrics.h"
#include "support/floats.h"
#include "support/made_model.h"
#include "traces.h"

namespace attnscope::test {
namespace {

Figure compared(const Trace& trace, const ParameterValues& values, const Trace* pinned = nullptr) {
  ViewOptions options = *view_options({"compare", values});
  options.pinned = pinned;
  return build_view("compare", trace, options);
}

MatrixView head_of(const Trace& trace, const char* tensor, Index head) {
  return trace.tensor(tensor).matrix(std::vector<Index>{head});
}

/// Expects a − b in the heatmap, and its size in the notes.
void expect_difference(const Figure& figure, const MatrixView& a, const MatrixView& b) {
  const HeatmapMark* shown = mark(figure.heatmaps, "difference");
  ASSERT_NE(shown, nullptr);
  const MatrixView numbers = *shown->source->held();
  ASSERT_EQ(numbers.rows, a.rows);
  ASSERT_EQ(numbers.columns, a.columns);
  double largest = 0;
  double squares = 0;
  for (Index row = 0; row < a.rows; ++row) {
    for (Index column = 0; column < a.columns; ++column) {
      const float difference = a.at(row, column) - b.at(row, column);
      EXPECT_EQ(numbers.at(row, column), difference);
      largest = std::max(largest, std::abs(static_cast<double>(difference)));
      squares += static_cast<double>(difference) * static_cast<double>(difference);
    }
  }
  EXPECT_EQ(shown->scale, (ColorScale{ColorMap::red_blue, -largest, largest}));
  const std::string said = words(figure, "notes");
  EXPECT_NE(said.find("largest difference " + number_text(largest)), std::string::npos) << said;
  EXPECT_NE(said.find("norm " + number_text(std::sqrt(squares))), std::string::npos) << said;
}

TEST(CompareView, SubtractsOneHeadFromAnother) {
  const std::shared_ptr<const Trace> trace = trace_with({{"mask", "causal"}});
  for (Index first = 0; first < 4; ++first) {
    for (Index second = 0; second < 4; ++second) {
      if (first == second) continue;
      const ParameterValues heads = {{"head", first + 1}, {"other_head", second + 1}};
      const Figure figure = compared(*trace, heads);
      const MatrixView a = head_of(*trace, "weights", first);
      const MatrixView b = head_of(*trace, "weights", second);
      expect_difference(figure, a, b);
      EXPECT_EQ(words(figure, "title"), "Head " + std::to_string(first + 1) + " − head " + std::to_string(second + 1));
      EXPECT_NE(words(figure, "notes").find(number_text(head_distance(a, b)) + " nats"), std::string::npos);
    }
  }
  const Figure cross = compared(*trace, {{"attention", std::string("cross")}});
  expect_difference(cross, head_of(*trace, "cross_weights", 0), head_of(*trace, "cross_weights", 1));
}

TEST(CompareView, ScoresAreThoseBeforeTheMask) {
  const std::shared_ptr<const Trace> trace = trace_with({{"mask", "causal"}});
  const Figure figure = compared(*trace, {{"of", std::string("scores")}});
  expect_difference(figure, head_of(*trace, "scores", 0), head_of(*trace, "scores", 1));
  EXPECT_EQ(words(figure, "notes").find("nats"), std::string::npos);
}

TEST(CompareView, AHeadComparedWithItselfIsTheSame) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const Figure figure = compared(*trace, {{"other_head", Index{1}}});
  EXPECT_EQ(mark(figure.heatmaps, "difference")->scale, (ColorScale{ColorMap::red_blue, -1, 1}));
  EXPECT_NE(words(figure, "notes").find("largest difference 0, norm 0 "), std::string::npos) << words(figure, "notes");
}

TEST(CompareView, BothAreOnOneScale) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const Figure weights = compared(*trace, {{"show", std::string("both")}});
  ASSERT_EQ(weights.heatmaps.size(), 2U);
  EXPECT_EQ(weights.heatmaps[0].scale, (ColorScale{ColorMap::viridis, 0, 1}));
  const Figure scores = compared(*trace, {{"show", std::string("both")}, {"of", std::string("scores")}});
  ASSERT_EQ(scores.heatmaps.size(), 2U);
  float largest = 0;
  for (const Index head : {0, 1}) {
    const MatrixView numbers = head_of(*trace, "scores", head);
    for (Index i = 0; i < numbers.rows * numbers.columns; ++i)
      largest = std::max(largest, numbers.at(i / numbers.columns, i % numbers.columns));
  }
  for (const HeatmapMark& each : scores.heatmaps) EXPECT_EQ(each.scale.high, static_cast<double>(largest));
  // Their cells can be explained: they are slices of the trace.
  EXPECT_EQ(scores.heatmaps[1].leading, (std::vector<Index>{1}));
  EXPECT_GE(scores.heatmaps[1].step, 0);
}

TEST(CompareView, AClickOnTheNameFlips) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const Figure first = compared(*trace, {{"show", std::string("first")}});
  const Figure second = compared(*trace, {{"show", std::string("second")}});
  EXPECT_EQ(words(first, "title"), "Head 1");
  EXPECT_EQ(words(second, "title"), "Head 2");
  EXPECT_EQ(set_by(*mark(first.targets, "flip")), (ParameterValues{{"show", std::string("second")}}));
  EXPECT_EQ(set_by(*mark(second.targets, "flip")), (ParameterValues{{"show", std::string("first")}}));
  EXPECT_EQ(first.heatmaps[0].box, second.heatmaps[0].box);
  EXPECT_EQ(first.heatmaps[0].scale, second.heatmaps[0].scale);
}

TEST(CompareView, LayersAreCompared) {
  const std::shared_ptr<const Trace> trace = trace_with({}, "hand-made-heads");
  const Figure figure = compared(*trace, {{"head", Index{3}}, {"other_layer", Index{2}}});
  expect_difference(figure, head_of(*trace, "weights", 2), head_of(*trace, "layer2.weights", 0));
  EXPECT_EQ(words(figure, "title"), "Head 3: duplicate token, layer 1 − head 1: induction, layer 2");
}

TEST(CompareView, ComparesWithThePinnedExperiment) {
  const std::shared_ptr<const Trace> now = trace_with({{"temperature", "2"}});
  const std::shared_ptr<const Trace> pinned = trace_with({});
  const ParameterValues values = {{"against", std::string("pinned")}, {"head", Index{2}}};
  const Figure figure = compared(*now, values, pinned.get());
  expect_difference(figure, head_of(*now, "weights", 1), head_of(*pinned, "weights", 1));
  EXPECT_EQ(words(figure, "title"), "Head 2 now − head 2 in the baseline");
  ParameterValues both = values;
  both["show"] = std::string("both");
  const Figure sides = compared(*now, both, pinned.get());
  EXPECT_EQ(sides.heatmaps[1].step, -1) << "the steps of the baseline are not in this trace";
  EXPECT_EQ(sides.heatmaps[1].source->held()->at(2, 3), head_of(*pinned, "weights", 1).at(2, 3));
}

TEST(CompareView, ShowsWhatAHeadThatIsOffTakesAway) {
  Experiment off = experiment_with({});
  off.heads_off = {1};
  const std::shared_ptr<const Trace> now = *run(off);
  const std::shared_ptr<const Trace> pinned = trace_with({});
  const ParameterValues output = {{"against", std::string("pinned")}, {"of", std::string("output")}};
  const Figure figure = compared(*now, output, pinned.get());
  expect_difference(figure, now->tensor("out").matrix({}), pinned->tensor("out").matrix({}));
  EXPECT_EQ(words(figure, "title"), "Output now − output in the baseline");
  EXPECT_EQ(words(figure, "difference.query"), "token");
  EXPECT_EQ(words(figure, "difference.key"), "feature");
  EXPECT_NE(words(compared(*now, {{"of", std::string("output")}}), "missing").find("only one output"),
            std::string::npos);
}

TEST(CompareView, OutputsOfPicturesAreCompared) {
  const Settings small = {{"height", "2"}, {"width", "3"}};
  Experiment off = experiment_with(small, "conv-attention");
  off.heads_off = {0};
  const std::shared_ptr<const Trace> now = *run(off);
  const std::shared_ptr<const Trace> pinned = trace_with(small, "conv-attention");
  const Figure figure =
      compared(*now, {{"against", std::string("pinned")}, {"of", std::string("output")}}, pinned.get());
  const MatrixView numbers = *mark(figure.heatmaps, "difference")->source->held();
  ASSERT_EQ(numbers.columns, 6);
  const Tensor& a = now->tensor("out");
  const Tensor& b = pinned->tensor("out");
  for (Index i = 0; i < numbers.rows * 6; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(numbers.at(i / 6, i % 6), a.values()[at] - b.values()[at]);
  }
  EXPECT_EQ(words(figure, "difference.key"), "pixel");
}

TEST(CompareView, SaysWhyThereIsNothingToCompare) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const ParameterValues values = {{"against", std::string("pinned")}};
  EXPECT_NE(words(compared(*trace, values), "missing").find("No baseline yet"), std::string::npos);
  const std::shared_ptr<const Trace> smaller = trace_with({{"tokens", "5"}});
  EXPECT_EQ(words(compared(*trace, values, smaller.get()), "missing"),
            "The baseline has 5 × 5 numbers, this one 6 × 6.");
}

TEST(CompareView, NumbersThatAreNoneStayOutOfTheScale) {
  Experiment experiment = experiment_with({});
  experiment.edits = {{"w_q", {0, 0, 0}, kInfinity}};
  const std::shared_ptr<const Trace> trace = *run(experiment);
  const Figure figure = compared(*trace, {{"of", std::string("scores")}});
  const ColorScale& scale = mark(figure.heatmaps, "difference")->scale;
  EXPECT_TRUE(std::isfinite(scale.high));
}

TEST(CompareView, OwnNumbersSayWhatTheyAre) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const Figure figure = compared(*trace, {});
  const HeatmapMark& shown = figure.heatmaps.front();
  const auto value = static_cast<double>(shown.source->held()->at(1, 2));
  EXPECT_EQ(own_cell_text(shown, 1, 2), "Head 1 − head 2, cat, sat: " + number_text(value));
  EXPECT_EQ(own_cell_text(shown, 6, 0), "");
}

TEST(CompareView, WeightsThatAreNotHeldAreComputed) {
  const std::shared_ptr<const Trace> trace =
      trace_with({{"tokens", "4000"}, {"heads", "40"}, {"head_dim", "2"}, {"features", "2"}, {"cross_queries", "0"}});
  const Step* weights = trace->find("weights");
  ASSERT_EQ(weights->tensor, nullptr);
  const auto step = static_cast<int>(weights - trace->steps().data());
  const Figure figure = compared(*trace, {{"head", Index{40}}});
  const MatrixView numbers = *mark(figure.heatmaps, "difference")->source->held();
  for (Index i = 0; i < 4000; i += 397) {
    const Index key = 3999 - i;
    const float a = trace->value(step, std::vector<Index>{39, i, key});
    const float b = trace->value(step, std::vector<Index>{1, i, key});
    EXPECT_EQ(numbers.at(i, key), a - b);
  }
}

TEST(CompareView, SaysThatWeightsAreTooMany) {
  const std::shared_ptr<const Trace> trace =
      trace_with({{"tokens", "20000"}, {"heads", "2"}, {"head_dim", "2"}, {"features", "2"}, {"cross_queries", "0"}});
  EXPECT_EQ(words(compared(*trace, {}), "missing"), "20,000 × 20,000 numbers are too many to compare.");
}

TEST(CompareView, StopsWhenAsked) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  StopSource stop;
  stop.request_stop();
  for (const char* const show : {"difference", "heads"}) {
    ViewOptions options = *view_options({"compare", {{"show", std::string(show)}}});
    options.stop = stop.token();
    EXPECT_TRUE(build_view("compare", *trace, options).heatmaps.empty());
  }
}

const ParameterValues kEveryHead = {{"show", std::string("heads")}, {"against", std::string("pinned")}};

TEST(CompareView, ComparesEveryHeadWithTheBaseline) {
  const auto now = made_trace("gpt2", {1, 2, 5, 9, 2, 7});
  const auto before = made_trace("gpt2", {1, 2, 5, 9, 3, 7});
  const Figure figure = compared(*now, kEveryHead, before.get());
  const HeatmapMark* map = mark(figure.heatmaps, "map");
  ASSERT_NE(map, nullptr);
  std::vector<std::pair<double, std::string>> all;
  for (Index layer = 0; layer < 2; ++layer) {
    const std::string tensor = "layer" + std::to_string(layer + 1) + ".weights";
    for (Index head = 0; head < 2; ++head) {
      const double mean =
          head_distance(head_of(*now, tensor.c_str(), head), head_of(*before, tensor.c_str(), head)) / 6;
      EXPECT_FLOAT_EQ(map->source->held()->at(layer, head), static_cast<float>(mean));
      EXPECT_GT(mean, 0);
      all.emplace_back(-mean, std::to_string(now->find(tensor) - now->steps().data()) + "." + std::to_string(head));
    }
  }
  std::ranges::sort(all);
  std::size_t next = 0;
  for (const TargetMark& target : figure.targets) {
    if (!target.id.starts_with("list.")) continue;
    EXPECT_EQ(target.id, "list." + all[next].second);
    ++next;
  }
  EXPECT_EQ(next, 4U);
  const TargetMark& cell = *std::ranges::find(figure.targets, "map." + all[0].second, &TargetMark::id);
  const auto& click = std::get<SetOptions>(cell.click);
  EXPECT_EQ(click.values.at("show"), ParameterValue(std::string("difference")));
  EXPECT_TRUE(click.values.contains("layer") && click.values.contains("head"));
}

TEST(CompareView, ComparesEveryHeadWithOne) {
  const auto trace = made_trace("gpt2", {1, 2, 5, 9, 2, 7});
  const Figure figure =
      compared(*trace, {{"show", std::string("heads")}, {"other_layer", Index{2}}, {"other_head", Index{1}}});
  const MatrixView map = *mark(figure.heatmaps, "map")->source->held();
  const MatrixView other = head_of(*trace, "layer2.weights", 0);
  EXPECT_EQ(map.at(1, 0), 0);
  EXPECT_FLOAT_EQ(map.at(0, 1), static_cast<float>(head_distance(head_of(*trace, "layer1.weights", 1), other) / 6));
  EXPECT_EQ(words(figure, "title"), "Every head beside head 1, layer 2");
  EXPECT_EQ(words(figure, "list.title"), "Most alike");
}

TEST(CompareView, ReadsNoStaleHeadsFromItsCache) {
  ViewCache cache;
  ViewOptions options = *view_options({"compare", kEveryHead});
  const auto before = made_trace("gpt2", {1, 2, 5, 9, 2, 7});
  options.pinned = before.get();
  options.cache = &cache;
  Experiment experiment = before->experiment();
  Executor executor;
  const auto same = executor.run(experiment).value();
  const auto first = mark(build_view("compare", *same, options).heatmaps, "map")->source->held()->at(1, 0);
  EXPECT_EQ(first, 0);
  experiment.interventions = {{"layer1.head_outputs", Index{0}, {}, Intervention::Kind::off}};
  const auto changed = executor.run(experiment).value();
  ASSERT_EQ(changed->find("layer1.weights")->tensor, same->find("layer1.weights")->tensor);
  EXPECT_GT(mark(build_view("compare", *changed, options).heatmaps, "map")->source->held()->at(1, 0), 0);
}

TEST(CompareView, CountsTheHeadsThatItLeavesOut) {
  const auto now = made_trace("gpt2", {1, 2, 5, 9});
  const auto note_of = [&](const Trace& baseline) {
    std::string note;
    for (const TextMark& text : compared(*now, kEveryHead, &baseline).texts) {
      if (text.id.starts_with("note.")) note += text.markup + " ";
    }
    return note;
  };
  EXPECT_EQ(note_of(*now).find("Left out"), std::string::npos);
  const std::string note = note_of(*made_trace("gpt2", {1, 2, 5, 9}, {.layers = 1}));
  EXPECT_NE(note.find("Left out: 2 heads, whose weights have another size in the baseline or are not there."),
            std::string::npos)
      << note;
}

TEST(CompareView, SaysWhyNoHeadCanBeCompared) {
  const auto now = made_trace("gpt2", {1, 2, 5});
  const auto before = made_trace("gpt2", {1, 2, 5, 9});
  EXPECT_NE(words(compared(*now, kEveryHead, before.get()), "missing").find("as many queries and keys"),
            std::string::npos);
}

TEST(CompareView, LabelsTheBaselineWithItsOwnWords) {
  const auto now = made_trace("gpt2", {1, 2, 5});
  const auto before = made_trace("gpt2", {1, 2, 4});
  const Figure figure =
      compared(*now, {{"show", std::string("both")}, {"against", std::string("pinned")}}, before.get());
  EXPECT_NE(mark(figure.heatmaps, "first")->row_labels, mark(figure.heatmaps, "second")->row_labels);
}

TEST(CompareView, HasSomethingToShowOfEverySystemWithHeads) {
  for (const std::shared_ptr<const Trace>& trace : small_traces()) {
    const Figure figure = figure_of(*trace, "compare");
    if (find_axis(trace->find("weights")->axes, "head") != nullptr) {
      EXPECT_EQ(figure.heatmaps.size(), 1U) << trace->experiment().system;
    } else {
      EXPECT_EQ(words(figure, "missing"), "There is only one attention: set a baseline (P) to see what changes.");
    }
  }
}

TEST(Compare, TheOtherHeadIsNotChosenWhileThePinnedExperimentIsTheOtherSide) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const View& view = *find_view("compare");
  for (const char* against : {"head", "pinned"}) {
    const ParameterValues chosen = {{"against", std::string(against)}};
    EXPECT_EQ(view.applies(*trace, chosen, "other_head"), std::string(against) == "head");
    EXPECT_TRUE(view.applies(*trace, chosen, "head"));
  }
}

}  // namespace
}  // namespace attnscope::test
