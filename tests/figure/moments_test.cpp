// The computation of one query, moment by moment.

#include "figure/slices/moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/base/text.h"
#include "figure/slices/moment_terms.h"
#include "figure/slices/selected.h"
#include "layout_faults.h"
#include "support/sanitized.h"
#include "traces.h"

namespace attnscope::test {
namespace {

using Part = Moment::Part;

PlayedQuery played_in(const Trace& trace, const ParameterValues& options) {
  return *played_query(trace, *view_options({"flow", options}));
}

/// How many cells of the figure are empty.
Index empty_cells(const Figure& figure) {
  Index count = 0;
  for (const HeatmapMark& mark : figure.heatmaps) {
    for (Index row = 0; row < mark.rows() && !mark.not_yet.empty(); ++row) {
      for (Index column = 0; column < mark.columns(); ++column) count += is_not_yet(mark, row, column) ? 1 : 0;
    }
  }
  return count;
}

const HeatmapMark& matrix(const Figure& figure, const Trace& trace, const std::string& name) {
  const auto found = std::find_if(figure.heatmaps.begin(), figure.heatmaps.end(), [&](const HeatmapMark& mark) {
    return mark.step >= 0 && trace.steps()[static_cast<std::size_t>(mark.step)].name == name;
  });
  EXPECT_NE(found, figure.heatmaps.end()) << name;
  return *found;
}

TEST(Moments, GoFromTheProductsToTheOutputInAtMostSixty) {
  for (const Settings& settings : {Settings{}, Settings{{"tokens", "200"}, {"head_dim", "100"}},
                                   Settings{{"mask", "causal"}, {"positions", "alibi"}, {"dropout", "0.3"}}}) {
    const auto trace = trace_with(settings);
    const std::vector<Moment> list = moments_of(*trace, *first_weights(*trace), false);
    ASSERT_FALSE(list.empty());
    EXPECT_LE(list.size(), 60U);
    for (std::size_t i = 1; i < list.size(); ++i) {
      EXPECT_LE(list[i - 1].part, list[i].part);
      if (list[i - 1].part == list[i].part) {
        EXPECT_LT(list[i - 1].done, list[i].done);
      }
    }
    const auto last_of = [&](Part part) {
      Index done = 0;
      for (const Moment& each : list) done = each.part == part ? each.done : done;
      return done;
    };
    EXPECT_EQ(last_of(Part::products), head_dim(*trace));
    EXPECT_EQ(last_of(Part::scores), first_weights(*trace)->axes.back().size);
    EXPECT_EQ(last_of(Part::values), first_weights(*trace)->axes.back().size);
    EXPECT_EQ(list.back().part, Part::output);
  }
}

TEST(Moments, EveryMomentHasFewerEmptyCellsAndTheLastOneNone) {
  const auto trace = trace_with({{"mask", "causal"}, {"dropout", "0.3"}});
  const std::size_t count = played_in(*trace, {}).moments.size();
  Index before = empty_cells(figure_of(*trace, "flow", {{"query", Index{3}}, {"moment", Index{1}}}));
  EXPECT_GT(before, 0);
  for (std::size_t moment = 2; moment <= count; ++moment) {
    const Figure figure = figure_of(*trace, "flow", {{"query", Index{3}}, {"moment", static_cast<Index>(moment)}});
    const Index now = empty_cells(figure);
    EXPECT_LE(now, before) << moment;
    before = now;
  }
  EXPECT_EQ(before, 0);
}

TEST(Moments, OnlyTheRowOfTheQueryAndHeadIsEmpty) {
  const auto trace = trace_with({});
  const Figure figure = figure_of(*trace, "flow", {{"query", Index{3}}, {"head", Index{2}}, {"moment", Index{1}}});
  const HeatmapMark& weights = matrix(figure, *trace, "weights");
  for (Index query = 0; query < 6; ++query) {
    for (Index key = 0; key < 6; ++key) EXPECT_EQ(is_not_yet(weights, query, key), query == 2) << query << " " << key;
  }
  const HeatmapMark& q = matrix(figure, *trace, "q");
  EXPECT_TRUE(q.not_yet.empty());
  // What is empty answers to no mouse and shows no number.
  const double cell = weights.box.height / 6;
  EXPECT_FALSE(hit_test(figure, {weights.box.x + cell / 2, weights.box.y + 2.5 * cell}));
  EXPECT_TRUE(hit_test(figure, {weights.box.x + cell / 2, weights.box.y + 1.5 * cell}));
}

TEST(Moments, AreShownByTheMatricesThatTheyComputeWith) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const auto tensors = [&](Index moment) {
    return played_tensors(*trace, *view_options({"flow", {{"moment", moment}}}));
  };
  const PlayedQuery played = played_in(*trace, {});
  const auto count = static_cast<Index>(played.moments.size());
  const std::vector<std::string> attention = {"scores", "weights", "head_outputs"};
  EXPECT_EQ(tensors(0), std::vector<std::string>());
  EXPECT_EQ(tensors(1), attention);
  EXPECT_EQ(tensors(count), std::vector<std::string>{"out"});
  EXPECT_EQ(tensors(count - 2), attention);
}

TEST(Moments, TheBlendIsTheSumOfWeightedValuesAndEndsInTheOutputOfTheHead) {
  for (const Settings& settings : {Settings{}, Settings{{"dropout", "0.3"}}, Settings{{"mask", "causal"}}}) {
    const auto trace = trace_with(settings);
    const PlayedQuery played = played_in(*trace, {{"query", Index{4}}, {"head", Index{2}}});
    const std::vector<double> sums = blended_values(*trace, played, 6);
    const std::vector<double> none = blended_values(*trace, played, 1);
    const std::vector<double> factors = played.row(*trace, played.factors());
    for (std::size_t dim = 0; dim < sums.size(); ++dim) {
      const std::vector<Index> at = {1, 3, static_cast<Index>(dim)};
      const int heads = static_cast<int>(trace->find("head_outputs") - trace->steps().data());
      EXPECT_NEAR(sums[dim], static_cast<double>(trace->value(heads, at)), 1e-5) << dim;
      const int v = static_cast<int>(trace->find("v") - trace->steps().data());
      const std::vector<Index> first = {1, 0, static_cast<Index>(dim)};
      EXPECT_NEAR(none[dim], factors[0] * static_cast<double>(trace->value(v, first)), 1e-12);
    }
  }
}

TEST(Moments, TheSumSoFarStandsInThePlaceOfTheOutput) {
  const auto trace = trace_with({});
  const PlayedQuery played = played_in(*trace, {{"query", Index{2}}});
  Index number = 0;
  while (played.moments[static_cast<std::size_t>(number)] != Moment{Part::values, 2}) ++number;
  const Figure figure = figure_of(*trace, "flow", {{"query", Index{2}}, {"moment", number + 1}});
  const HeatmapMark* sum = mark(figure.heatmaps, "moment.sum");
  ASSERT_NE(sum, nullptr);
  const HeatmapMark& whole = matrix(figure, *trace, "head_outputs");
  EXPECT_NEAR(sum->box.y, whole.box.y + whole.box.height / 6, 1e-9);
  EXPECT_NEAR(sum->box.height, whole.box.height / 6, 1e-9);
  const std::optional<FigureHit> hit = hit_test(figure, sum->box.center());
  ASSERT_TRUE(hit);
  EXPECT_EQ(figure.heatmaps[hit->heatmap].id, "moment.sum");
  const std::vector<double> expected = blended_values(*trace, played, 2);
  for (std::size_t dim = 0; dim < expected.size(); ++dim)
    EXPECT_FLOAT_EQ(sum->source->held()->at(0, static_cast<Index>(dim)), static_cast<float>(expected[dim]));
}

TEST(Moments, TheArithmeticComesToTheNumbersOfTheTrace) {
  const auto trace = trace_with({{"scale", "sqrt_head_dim"}});
  const PlayedQuery played = played_in(*trace, {{"query", Index{5}}, {"head", Index{3}}});
  const auto last_value = [&](const Moment& moment) { return moment_terms(*trace, played, moment).back().value; };
  const auto of = [&](const char* name, std::vector<Index> at) {
    return static_cast<double>(trace->value(static_cast<int>(trace->find(name) - trace->steps().data()), at));
  };
  double sum = 0;
  for (Index dim = 0; dim < 7; ++dim) {
    sum += of("q", {2, 4, dim}) * of("k", {2, 0, dim});
    EXPECT_EQ(last_value({Part::products, dim + 1}), number_text(sum));
  }
  for (Index key = 0; key < 6; ++key) {
    EXPECT_EQ(last_value({Part::scores, key + 1}), number_text(of("scores", {2, 4, key})));
    const std::vector<ArithmeticTerm> terms = moment_terms(*trace, played, {Part::scores, key + 1});
    ASSERT_EQ(terms.size(), 3U);
    EXPECT_EQ(terms[1].caption, "√7");
  }
  double powers = 0;
  double largest = 0;
  for (Index key = 0; key < 6; ++key) {
    powers += std::exp(of("scores", {2, 4, key}));
    largest = std::max(largest, of("weights", {2, 4, key}));
  }
  EXPECT_EQ(last_value({Part::powers, 1}), number_text(powers, 3));
  EXPECT_EQ(last_value({Part::weights, 1}), number_text(largest));
}

TEST(Moments, PowersNameTheTemperatureThatDividesTheScores) {
  const auto trace = trace_with({{"scale", "sqrt_head_dim"}, {"temperature", "0.5"}});
  const PlayedQuery played = played_in(*trace, {{"query", Index{5}}});
  const auto score = static_cast<double>(
      trace->value(static_cast<int>(trace->find("scores") - trace->steps().data()), std::vector<Index>{0, 4, 0}));
  const ArithmeticTerm first = moment_terms(*trace, played, {Part::powers, 1}).front();
  EXPECT_EQ(first.caption, "e^{" + number_text(score, 3) + " ÷ 0.5}");
  EXPECT_EQ(first.value, number_text(std::exp(score / 0.5), 3));
  EXPECT_EQ(moment_text(played, {Part::powers, 1}),
            "softmax, first half: e to the power of each score divided by the temperature 0.5, and the sum of these "
            "powers");
}

TEST(Moments, AloneTheyStillShowWhatAScoreIsMadeOf) {
  for (const Settings& settings : {Settings{}, Settings{{"mask", "causal"}}, Settings{{"positions", "alibi"}}}) {
    const auto trace = trace_with(settings);
    ViewOptions options = *view_options({"flow", {{"moment", Index{1}}}});
    options.tensors = played_tensors(*trace, options);
    const Figure figure = build_view("flow", *trace, options);
    for (const char* const id : {"attend.q", "attend.k.transposed", "scores", "weights", "head_outputs"})
      EXPECT_NE(mark(figure.heatmaps, id), nullptr) << id;
  }
}

TEST(Moments, MaskedKeysAreSaidToBeMasked) {
  const auto trace = trace_with({{"scale", "sqrt_head_dim"}, {"mask", "causal"}});
  const PlayedQuery played = played_in(*trace, {{"query", Index{5}}});
  const std::vector<ArithmeticTerm> terms = moment_terms(*trace, played, {Part::powers, 1});
  ASSERT_EQ(terms.size(), 7U);
  EXPECT_EQ(terms[5].caption, "masked");
  EXPECT_EQ(terms[5].value, "0");
  EXPECT_NE(terms[4].caption, "masked");
}

TEST(Moments, PowersOfLargeScoresAreNumbers) {
  Experiment experiment = experiment_with({});
  for (Index query = 0; query < 6; ++query)
    for (Index feature = 0; feature < 4; ++feature)
      experiment.edits.push_back({"x", {query, feature}, 500.0 * static_cast<double>(query + 1)});
  const auto trace = *run(experiment);
  const PlayedQuery played = played_in(*trace, {{"query", Index{6}}});
  for (const ArithmeticTerm& term : moment_terms(*trace, played, {Part::powers, 1}))
    EXPECT_EQ(term.value.find("∞"), std::string::npos) << term.value;
}

TEST(Moments, EverySystemIsPlayedOrSaysThatItCannotBe) {
  int played = 0;
  for (const std::shared_ptr<const Trace>& trace : small_traces()) {
    for (const char* name : {"flow", "dot"}) {
      const View& view = *find_view(name);
      if (!missing_for(view, *trace).empty()) continue;
      const Index count = view.moments(*trace, view_options({name, {}})->values);
      played += count > 0 ? 1 : 0;
      for (Index moment = 1; moment <= count; moment += kSanitized ? 5 : 1) {
        const Figure figure = figure_of(*trace, name, {{"moment", moment}}, 700, 500);
        for (const TextMark& text : figure.texts)
          EXPECT_TRUE(std::isfinite(text.at.x) && std::isfinite(text.at.y)) << text.id;
        EXPECT_EQ(failure_of(figure), "");
        std::set<std::string> ids;
        for (const TextMark& text : figure.texts) EXPECT_TRUE(ids.insert(text.id).second) << text.id;
      }
      // The last one has everything that the finished figure has.
      if (count > 0) {
        const Figure last = figure_of(*trace, name, {{"moment", count}}, 700);
        EXPECT_EQ(empty_cells(last), 0) << trace->experiment().system;
        EXPECT_GE(mark_count(last), mark_count(figure_of(*trace, name, {}, 700)));
      }
    }
  }
  EXPECT_GT(played, 8);
}

TEST(Moments, AllMomentsOfAFigureHaveOneSizeAndPlace) {
  const auto trace = trace_with({{"mask", "causal"}});
  for (const char* name : {"flow", "dot"}) {
    const View& view = *find_view(name);
    const Index count = view.moments(*trace, view_options({name, {}})->values);
    const Figure first = figure_of(*trace, name, {{"moment", Index{1}}}, 700, 560);
    for (Index moment = 2; moment <= count; ++moment) {
      const Figure figure = figure_of(*trace, name, {{"moment", moment}}, 700, 560);
      EXPECT_EQ(figure.width, first.width);
      EXPECT_EQ(figure.height, first.height) << name << " " << moment;
      for (std::size_t i = 0; i < first.heatmaps.size(); ++i) {
        EXPECT_EQ(figure.heatmaps[i].id, first.heatmaps[i].id);
        EXPECT_EQ(figure.heatmaps[i].box.y, first.heatmaps[i].box.y);
      }
    }
  }
}

TEST(Moments, EachShowsSomethingThatTheOneBeforeDoesNot) {
  for (const Settings& settings :
       {Settings{}, Settings{{"mask", "causal"}}, Settings{{"positions", "alibi"}}, Settings{{"tokens", "1"}}}) {
    const auto trace = trace_with(settings);
    for (const char* name : {"flow", "dot"}) {
      const View& view = *find_view(name);
      const Index count = view.moments(*trace, view_options({name, {}})->values);
      std::string before;
      for (Index moment = 1; moment <= count; ++moment) {
        std::string now = describe(figure_of(*trace, name, {{"moment", moment}}));
        EXPECT_NE(now, before) << name << " " << moment;
        before = std::move(now);
      }
    }
  }
}

TEST(Moments, DotShowsTheTermsSoFarAndTheirSum) {
  const auto trace = trace_with({});
  const ParameterValues third = {{"moment", Index{3}}};
  const Figure figure = figure_of(*trace, "dot", third);
  EXPECT_NE(mark(figure.bars, "terms.2"), nullptr);
  EXPECT_EQ(mark(figure.bars, "terms.3"), nullptr);
  EXPECT_EQ(mark(figure.bars, "weights.1"), nullptr);
  EXPECT_EQ(mark(figure.targets, "weights.1"), nullptr);
  EXPECT_EQ(words(figure, "sum.value"), "no sum.value");
  const Figure whole = figure_of(*trace, "dot");
  EXPECT_EQ(mark(figure.bars, "terms.2")->box.y, mark(whole.bars, "terms.2")->box.y);
  EXPECT_TRUE(words(figure, "terms.note").starts_with("sum so far "));
  EXPECT_EQ(describe(figure_of(*trace, "dot", {{"moment", find_view("dot")->moments(*trace, {})}})), describe(whole));
}

TEST(Moments, TheSentenceOfAFileSaysWhichMomentItIs) {
  const auto trace = trace_with({});
  const Figure figure = figure_for_file_of(*trace, "flow", {{"moment", Index{2}}, {"query", Index{99}}});
  EXPECT_NE(figure.sentence.find("Moment 2 of "), std::string::npos) << figure.sentence;
  EXPECT_NE(figure.sentence.find("of query 6;"), std::string::npos) << figure.sentence;
}

}  // namespace
}  // namespace attnscope::test
