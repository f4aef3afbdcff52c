// Tokens joined by lines: every line is a weight of the trace, and the selected lines are shown.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "figure/style/markup.h"
#include "support/blank_canvas.h"
#include "traces.h"

namespace attnscope::test {
namespace {

const StrandsMark* strands_of(const Figure& figure, Index head) {
  return mark(figure.strands, "head." + std::to_string(head));
}

/// The lines of a head as (query, key), counted from the first shown ones.
std::map<std::pair<Index, Index>, float> lines_of(const Figure& figure, Index head, Index queries) {
  std::map<std::pair<Index, Index>, float> lines;
  for (const Strand& strand : strands_of(figure, head)->strands)
    EXPECT_TRUE(lines.emplace(std::pair(strand.from_end, strand.to_end - queries), strand.opacity).second);
  return lines;
}

ParameterValues with(ParameterValues options, const std::string& name, const ParameterValue& value) {
  options[name] = value;
  return options;
}

const ParameterValues kAll = {{"heads", std::string("all")}};

TEST(LinesView, AHeadThatIsOffIsSaidToBe) {
  Experiment experiment = experiment_with({});
  experiment.heads_off = {1};
  const auto trace = *run(experiment);
  const auto is_said = [&](const std::string& view, Index head) {
    const Figure figure = figure_of(*trace, view, {{"head", head}});
    return std::ranges::any_of(figure.texts,
                               [](const TextMark& text) { return text.markup.find("off") != std::string::npos; });
  };
  for (const char* const view : {"lines", "text", "head", "dot", "vectors"}) {
    EXPECT_TRUE(is_said(view, 2)) << view;
    EXPECT_FALSE(is_said(view, 1)) << view;
  }
}

TEST(LinesView, EveryLineIsAWeightAndAsOpaque) {
  const std::shared_ptr<const Trace> trace = trace_with({{"mask", "causal"}, {"scale", "sqrt_head_dim"}});
  const Tensor& weights = trace->tensor("weights");
  const Figure all = figure_of(*trace, "lines", kAll);
  ASSERT_EQ(all.strands.size(), 4U);
  for (Index head = 0; head < 4; ++head) {
    const Figure one = figure_of(*trace, "lines", {{"head", head + 1}});
    ASSERT_EQ(one.strands.size(), 1U);
    // A head keeps its hue whichever other heads are shown.
    EXPECT_EQ(strands_of(one, head)->shade, Shade::of_hue(head));
    EXPECT_EQ(strands_of(all, head)->shade, Shade::of_hue(head));
    const auto lines = lines_of(one, head, 6);
    EXPECT_EQ(lines_of(all, head, 6), lines);
    std::size_t positive = 0;
    for (Index query = 0; query < 6; ++query) {
      for (Index key = 0; key < 6; ++key) {
        const float weight = weights.at(std::vector<Index>{head, query, key});
        const auto line = lines.find({query, key});
        ASSERT_EQ(line != lines.end(), weight > 0) << query << " " << key;
        if (weight > 0) {
          EXPECT_EQ(line->second, weight);
          ++positive;
        }
      }
    }
    EXPECT_EQ(mark(one.texts, "note.0")->markup, std::to_string(positive) + " of 36 weights");
  }
}

/// A canvas that keeps the opacities of curves.
class OpacityCanvas final : public BlankCanvas {
 public:
  void curve(std::span<const Point> /*points*/, Rgb /*color*/, double opacity, double /*width*/,
             bool /*dashed*/) override {
    opacities.push_back(opacity);
  }

  std::vector<double> opacities;
};

// A weight of a tenth, painted so, could not be seen on dark; the legend shows the same.
TEST(LinesView, LinesAreStrongerOnDark) {
  const Figure figure = figure_of(*trace_with({}), "lines", {{"head", Index{1}}});
  const auto opacities_on = [&](Theme theme) {
    OpacityCanvas canvas;
    paint(figure, palette(theme), {}, {0, 0, figure.width, figure.height}, canvas);
    return canvas.opacities;
  };
  const std::vector<double> paper = opacities_on(Theme::paper);
  const std::vector<double> dark = opacities_on(Theme::dark);
  ASSERT_EQ(paper.size(), dark.size());
  ASSERT_EQ(paper.size(), figure.strands.front().strands.size() + figure.curves.size());
  for (std::size_t i = 0; i < paper.size(); ++i) EXPECT_NEAR(dark[i], 1 - (1 - paper[i]) * (1 - paper[i]), 1e-12);
  for (const Strand& strand : figure.strands.front().strands)
    EXPECT_NE(std::ranges::find(paper, static_cast<double>(strand.opacity)), paper.end());
}

TEST(LinesView, LinesJoinTheirTokens) {
  const std::shared_ptr<const Trace> trace = trace_with({{"tokens", "5"}});
  for (const std::string attention : {"self", "cross"}) {
    const Index queries = attention == "self" ? 5 : 3;
    const Figure figure = figure_of(*trace, "lines", {{"attention", attention}, {"head", Index{2}}}, 1000, 700);
    ASSERT_EQ(strands_of(figure, 1)->strands.size(), static_cast<std::size_t>(queries * 5));
    for (const Strand& strand : strands_of(figure, 1)->strands) {
      const TargetMark* from = mark(figure.targets, "query." + std::to_string(strand.from_end));
      const TargetMark* to = mark(figure.targets, "key." + std::to_string(strand.to_end - queries));
      ASSERT_TRUE(from != nullptr && to != nullptr);
      EXPECT_NEAR(strand.from.y, from->box.center().y, 1e-9);
      EXPECT_NEAR(strand.to.y, to->box.center().y, 1e-9);
      EXPECT_GE(strand.from.x, from->box.right());
      EXPECT_LE(strand.to.x, to->box.x);
      // A hovered token shows its lines alone.
      EXPECT_EQ(from->isolates, strand.from_end);
      EXPECT_EQ(to->isolates, strand.to_end);
    }
  }
}

TEST(LinesView, LinesOfSeveralHeadsDoNotCoverEachOther) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const Figure figure = figure_of(*trace, "lines", with(kAll, "head", Index{3}));
  std::set<double> heights;
  for (Index head = 0; head < 4; ++head) {
    for (const Strand& strand : strands_of(figure, head)->strands) {
      if (strand.from_end == 2) heights.insert(strand.from.y);
    }
  }
  EXPECT_EQ(heights.size(), 4U);
  // The selected head is on top.
  EXPECT_EQ(figure.strands.back().id, "head.2");
}

TEST(LinesView, TheMassShownIsHeldByTheFewestKeys) {
  const std::shared_ptr<const Trace> trace = trace_with({{"scale", "sqrt_head_dim"}, {"temperature", "4"}});
  const Tensor& weights = trace->tensor("weights");
  for (const double mass : {0.0, 0.3, 0.5, 0.8, 0.99}) {
    const Figure figure = figure_of(*trace, "lines", with(kAll, "mass", mass));
    std::size_t drawn = 0;
    for (Index head = 0; head < 4; ++head) {
      const auto lines = lines_of(figure, head, 6);
      drawn += lines.size();
      for (Index query = 0; query < 6; ++query) {
        double shown = 0;
        double least = 2;
        double most_hidden = 0;
        double total = 0;
        for (Index key = 0; key < 6; ++key) {
          const double weight = weights.at(std::vector<Index>{head, query, key});
          total += weight;
          if (lines.count({query, key}) != 0) {
            shown += weight;
            least = std::min(least, weight);
          } else {
            most_hidden = std::max(most_hidden, weight);
          }
        }
        EXPECT_GE(shown, mass * total - 2e-6);
        // Without the smallest weight, the share would be too small.
        if (shown > 0) {
          EXPECT_LT(shown - least, mass * total);
        }
        EXPECT_LE(most_hidden, least);
      }
    }
    EXPECT_TRUE(mark(figure.texts, "note.0")->markup.starts_with(std::to_string(drawn) + " of 144 weights")) << mass;
  }
}

TEST(LinesView, AChosenQueryShowsItsWeights) {
  const std::shared_ptr<const Trace> trace = trace_with({{"scale", "sqrt_head_dim"}});
  const Tensor& weights = trace->tensor("weights");
  for (const ParameterValues& heads : {ParameterValues{}, kAll}) {
    const Figure figure = figure_of(*trace, "lines", with(with(heads, "query", Index{4}), "head", Index{2}));
    for (const StrandsMark& mark : figure.strands) {
      EXPECT_FALSE(mark.strands.empty());
      for (const Strand& strand : mark.strands) EXPECT_EQ(strand.from_end, 3);
    }
    for (Index key = 0; key < 6; ++key) {
      const std::string id = "weight." + std::to_string(key);
      const std::vector<Index> cell = {1, 3, key};
      ASSERT_NE(mark(figure.texts, id), nullptr);
      EXPECT_EQ(mark(figure.texts, id)->markup, fixed_text(static_cast<double>(weights.at(cell)), 3));
      const TargetMark* target = mark(figure.targets, id);
      ASSERT_NE(target, nullptr);
      ASSERT_TRUE(target->cell);
      EXPECT_EQ(trace->steps()[static_cast<std::size_t>(target->cell->step)].name, "weights");
      EXPECT_EQ(target->cell->index, cell);
      EXPECT_TRUE(target->box.contains({mark(figure.texts, id)->at.x - 1, mark(figure.texts, id)->at.y}));
    }
  }
  EXPECT_EQ(mark(figure_of(*trace, "lines").texts, "weight.0"), nullptr);
}

TEST(LinesView, AClickOnAQueryChoosesItAndAnotherLetsGo) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  ParameterValues options;
  for (int times = 0; times < 2; ++times) {
    const Figure before = figure_of(*trace, "lines", options);
    const TargetMark* target = mark(before.targets, "query.2");
    ASSERT_NE(target, nullptr);
    EXPECT_EQ(set_by(*target), (ParameterValues{{"query", times == 0 ? Index{3} : Index{0}}}));
    options = set_by(*target);
  }
  EXPECT_EQ(describe(figure_of(*trace, "lines", options)), describe(figure_of(*trace, "lines")));
  // While one query is selected, the others have no lines to isolate, but can be selected.
  const Figure chosen = figure_of(*trace, "lines", {{"query", Index{3}}});
  EXPECT_EQ(mark(chosen.targets, "query.0")->isolates, -1);
  EXPECT_EQ(set_by(*mark(chosen.targets, "query.0")), (ParameterValues{{"query", Index{1}}}));
  EXPECT_EQ(mark(chosen.targets, "query.2")->isolates, 2);
  EXPECT_TRUE(set_by(*mark(chosen.targets, "key.1")).empty());
}

TEST(LinesView, TheLegendShowsAHeadAlone) {
  const std::shared_ptr<const Trace> trace = trace_with({{"heads", "10"}});
  const Figure figure = figure_of(*trace, "lines", kAll, 420);
  for (Index head = 0; head < 10; ++head) {
    const std::string id = "legend.head." + std::to_string(head);
    const CurveMark* line = mark(figure.curves, id);
    ASSERT_NE(line, nullptr);
    EXPECT_EQ(line->shade, Shade::of_hue(head));
    const TargetMark* target = target_at(figure, line->points.front());
    ASSERT_NE(target, nullptr);
    EXPECT_EQ(set_by(*target), (ParameterValues{{"head", head + 1}, {"heads", std::string("one")}}));
    const Figure alone = figure_of(*trace, "lines", set_by(*target));
    ASSERT_EQ(alone.strands.size(), 1U);
    EXPECT_EQ(alone.strands.front().id, "head." + std::to_string(head));
  }
  EXPECT_EQ(mark(figure_of(*trace, "lines").targets, "legend.head.0"), nullptr);
}

TEST(LinesView, TokensHaveTheirLabels) {
  Experiment experiment = experiment_with({{"tokens", "4"}});
  experiment.labels = {"W_{Q}", "incomprehensibilities and more than that"};
  const std::shared_ptr<const Trace> trace = *run(experiment);
  const Figure figure = figure_of(*trace, "lines");
  EXPECT_EQ(plain_text(mark(figure.texts, "query.0")->markup), "W_{Q}");
  EXPECT_TRUE(mark(figure.texts, "key.1")->markup.ends_with("…"));
  EXPECT_EQ(mark(figure.texts, "query.2")->markup, "3");
  EXPECT_EQ(mark(figure.targets, "key.1")->about, "key “incomprehensibilities and more than that”");
  // The second sequence has no labels.
  const Figure cross = figure_of(*trace, "lines", {{"attention", std::string("cross")}});
  EXPECT_EQ(mark(cross.texts, "query.0")->markup, "1");
  EXPECT_EQ(plain_text(mark(cross.texts, "key.0")->markup), "W_{Q}");
}

TEST(LinesView, OfManyTokensItShowsTheBlockOfTheChosenOne) {
  const std::shared_ptr<const Trace> trace =
      trace_with({{"queries", "300"}, {"keys", "300"}, {"head_dim", "4"}}, "scaled-dot-product");
  const Tensor& weights = trace->tensor("weights");
  const ParameterValues near = {{"keys", std::string("near")}};
  const Figure first = figure_of(*trace, "lines", near, 1000, 700);
  EXPECT_EQ(first.strands.front().strands.size(), 64U * 64U);
  EXPECT_EQ(mark(first.texts, "note.1")->markup, "queries 1 to 64 of 300");
  EXPECT_TRUE(mark(first.texts, "note.2")->markup.starts_with("keys 1 to 64 of 300, with 0."));
  EXPECT_NE(mark(first.targets, "key.63"), nullptr);
  EXPECT_EQ(mark(first.targets, "key.64"), nullptr);

  const Figure chosen = figure_of(*trace, "lines", with(near, "query", Index{271}), 1000, 700);
  EXPECT_EQ(mark(chosen.texts, "note.1")->markup, "queries 257 to 300 of 300");
  double held = 0;
  for (Index key = 256; key < 300; ++key) held += weights.at(std::vector<Index>{270, key});
  EXPECT_EQ(mark(chosen.texts, "note.2")->markup,
            "keys 257 to 300 of 300, with " + fixed_text(held, 3) + " of the row's weight");
  for (const Strand& strand : chosen.strands.front().strands)
    EXPECT_EQ(strand.opacity, weights.at(std::vector<Index>{270, 256 + strand.to_end - 44}));
  EXPECT_EQ(mark(chosen.texts, "weight.256")->markup,
            fixed_text(static_cast<double>(weights.at(std::vector<Index>{270, 256})), 3));
}

TEST(LinesView, OfManyKeysItShowsTheStrongestHoweverFar) {
  const std::shared_ptr<const Trace> trace =
      trace_with({{"queries", "300"}, {"keys", "300"}, {"head_dim", "4"}}, "scaled-dot-product");
  const MatrixView weights = trace->tensor("weights").matrix({});
  const Figure figure = figure_of(*trace, "lines", {{"page", Index{2}}}, 1000, 700);
  EXPECT_EQ(mark(figure.texts, "note.1")->markup, "queries 65 to 128 of 300");
  std::vector<std::pair<float, Index>> largest;
  for (Index key = 0; key < 300; ++key) {
    float most = 0;
    for (Index query = 64; query < 128; ++query) most = std::max(most, weights.at(query, key));
    largest.emplace_back(-most, key);
  }
  std::ranges::sort(largest);
  std::set<Index> expected;
  double held = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    expected.insert(largest[i].second);
    for (Index query = 64; query < 128; ++query) held += static_cast<double>(weights.at(query, largest[i].second));
  }
  EXPECT_EQ(mark(figure.texts, "note.2")->markup,
            "the 64 strongest of 300 keys, with " + fixed_text(held / 64, 3) + " of the rows' weight");
  std::vector<Index> order(expected.begin(), expected.end());
  for (const Index key : order) EXPECT_NE(mark(figure.targets, "key." + std::to_string(key)), nullptr) << key;
  const StrandsMark& strands = figure.strands.front();
  EXPECT_EQ(strands.strands.size(), 64U * 64U);
  for (const Strand& strand : strands.strands)
    EXPECT_EQ(strand.opacity, weights.at(64 + strand.from_end, order[static_cast<std::size_t>(strand.to_end - 64)]));
}

TEST(LinesView, KeysWithGapsSayWhereTheyStand) {
  Experiment experiment = experiment_with({{"queries", "70"}, {"keys", "70"}}, "scaled-dot-product");
  for (int i = 0; i < 70; ++i) experiment.labels.push_back("w");
  const Figure figure = figure_of(**run(experiment), "lines", {}, 1000, 1400);
  int counted = 0;
  for (const TextMark& text : figure.texts)
    counted += text.id.starts_with("key.") && text.markup.ends_with(" w") ? 1 : 0;
  EXPECT_GT(counted, 10);
  EXPECT_EQ(mark(figure.texts, "query.0")->markup, "w");
}

TEST(LinesView, OffersPagesAndKeysOnlyWhereThereAreMore) {
  const View& view = *find_view("lines");
  const auto small = trace_with({});
  const auto large = trace_with({{"queries", "300"}, {"keys", "300"}, {"head_dim", "4"}}, "scaled-dot-product");
  for (const char* const option : {"keys", "page"}) {
    EXPECT_FALSE(view.applies(*small, {}, option)) << option;
    EXPECT_TRUE(view.applies(*large, {}, option)) << option;
  }
  EXPECT_FALSE(view.applies(*large, {{"query", Index{3}}}, "page"));
  EXPECT_EQ(view.pages(*large, {}), 5);
  EXPECT_EQ(view.pages(*small, {}), 1);
}

TEST(LinesView, ThereAreNeverTooManyLines) {
  for (const auto& [tokens, heads] : {std::pair("64", "16"), {"100", "40"}, {"600", "3"}}) {
    const std::shared_ptr<const Trace> trace =
        trace_with({{"tokens", tokens}, {"heads", heads}, {"head_dim", "2"}, {"cross_queries", "0"}});
    const Figure figure = figure_of(*trace, "lines", kAll, 1000, 700);
    std::size_t lines = 0;
    for (const StrandsMark& mark : figure.strands) lines += mark.strands.size();
    EXPECT_LE(lines, 40000U) << tokens << " " << heads;
    EXPECT_GT(lines, 100U);
    EXPECT_LE(figure.height, 700.5);
  }
}

TEST(LinesView, OfManyHeadsItShowsTheBlockOfTheChosenOne) {
  const std::shared_ptr<const Trace> trace = trace_with({{"tokens", "3"}, {"heads", "40"}});
  const Figure figure = figure_of(*trace, "lines", with(kAll, "head", Index{35}));
  EXPECT_EQ(figure.strands.size(), 8U);
  EXPECT_NE(strands_of(figure, 34), nullptr);
  EXPECT_EQ(mark(figure.texts, "note.1")->markup, "heads 33 to 40 of 40");
}

TEST(LinesView, WeightsThatAreNotHeldAreComputed) {
  const std::shared_ptr<const Trace> trace =
      trace_with({{"tokens", "20000"}, {"heads", "2"}, {"head_dim", "2"}, {"features", "2"}, {"cross_queries", "0"}});
  const Step* weights = trace->find("weights");
  ASSERT_EQ(weights->tensor, nullptr);
  const auto step = static_cast<int>(weights - trace->steps().data());
  ViewCache cache;
  // The second time from the cache.
  for (const Index query : {Index{0}, Index{0}, Index{19000}}) {
    for (const double mass : {1.0, 0.4}) {
      const ParameterValues options = with(with(with(kAll, "query", query), "mass", mass), "keys", std::string("near"));
      ViewOptions set = *view_options({"lines", options});
      set.cache = &cache;
      const Figure figure = build_view("lines", *trace, set);
      EXPECT_EQ(describe(figure), describe(figure_of(*trace, "lines", options)));
      const Index first = query == 0 ? 0 : 18944;
      for (Index head = 0; head < 2; ++head) {
        const auto lines = lines_of(figure, head, 64);
        if (mass == 1) {
          EXPECT_GT(lines.size(), 40U);
        }
        for (const auto& [at, weight] : lines) {
          EXPECT_EQ(weight, trace->value(step, std::vector<Index>{head, first + at.first, first + at.second}));
        }
      }
    }
  }
  StopSource stop;
  stop.request_stop();
  for (const auto& each : {trace, trace_with({})}) {
    ViewOptions stopped = *view_options({"lines", {{"query", Index{2}}}});
    stopped.stop = stop.token();
    EXPECT_TRUE(build_view("lines", *each, stopped).strands.empty());
  }
}

TEST(LinesView, HasSomethingToShowOfEverySystem) {
  for (const std::shared_ptr<const Trace>& trace : small_traces()) {
    EXPECT_EQ(missing_for(*find_view("lines"), *trace), "");
    EXPECT_FALSE(figure_of(*trace, "lines").strands.front().strands.empty()) << trace->experiment().system;
  }
}

}  // namespace
}  // namespace attnscope::test
