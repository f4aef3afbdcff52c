// The table of measures: the numbers of the heads, in the selected order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/heads/head_measures.h"
#include "traces.h"

namespace attnscope::test {
namespace {

/// The heads from top to bottom.
std::vector<Index> order_of(const Figure& figure, Index heads) {
  std::vector<std::pair<double, Index>> places;
  for (Index head = 0; head < heads; ++head)
    places.emplace_back(mark(figure.texts, "head." + std::to_string(head) + ".name")->at.y, head);
  std::sort(places.begin(), places.end());
  std::vector<Index> order;
  for (const auto& [y, head] : places) order.push_back(head);
  return order;
}

struct Setting {
  std::string attention;
  std::string tensor;
};

TEST(MetricsView, NamesTheLayer) {
  const auto trace = trace_with({}, "hand-made-heads");
  EXPECT_EQ(words(figure_of(*trace, "metrics", {{"layer", Index{1}}}), "title"), "Layer 1: measures of every head");
  EXPECT_EQ(words(figure_of(*trace, "metrics", {{"layer", Index{2}}}), "title"), "Layer 2: measures of every head");
  EXPECT_EQ(words(figure_of(*trace_with({}), "metrics"), "title"), "Attention: measures of every head");
}

TEST(MetricsView, ShowsTheMeasuresOfEveryHead) {
  Experiment experiment = experiment_with({{"mask", "causal"}, {"tokens", "7"}});
  experiment.labels = {"a", "b", "a", "c", "b", "a", "d"};
  const std::shared_ptr<const Trace> trace = *run(experiment);
  for (const Setting& setting : {Setting{"self", "weights"}, Setting{"cross", "cross_weights"}}) {
    const Figure figure = figure_of(*trace, "metrics", {{"attention", setting.attention}});
    const auto step = static_cast<int>(trace->find(setting.tensor) - trace->steps().data());
    const HeadMeasures expected = *measure_heads(*trace, step, 0);
    int numbers = 0;
    for (std::size_t i = 0; i < measures().size(); ++i) {
      const std::string name(measures()[i].name);
      const auto written = [](const std::optional<double>& value) { return value ? fixed_text(*value, 3) : "–"; };
      EXPECT_EQ(mark(figure.texts, "uniform." + name)->markup, written(expected.uniform[i])) << name;
      for (std::size_t head = 0; head < expected.heads.size(); ++head) {
        const std::string id = "head." + std::to_string(head) + "." + name;
        ASSERT_NE(mark(figure.texts, id), nullptr) << id;
        EXPECT_EQ(mark(figure.texts, id)->markup, written(expected.heads[head][i])) << id;
        numbers += expected.heads[head][i] ? 1 : 0;
      }
    }
    EXPECT_GE(numbers, 20);
  }
}

TEST(MetricsView, HeadingsAreApart) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  for (const double width : {300.0, 672.0, 1200.0}) {
    for (const Measure& sort : measures()) {
      const Figure figure = figure_of(*trace, "metrics", {{"sort", std::string(sort.name)}}, width);
      double ends[2] = {0, 0};  // of the headings so far, in either line
      for (const Measure& measure : measures()) {
        for (const int line : {0, 1}) {
          const TextMark* const heading =
              mark(figure.texts, "header." + std::string(measure.name) + (line == 0 ? ".first" : ""));
          if (heading == nullptr) continue;
          const double left = heading->at.x - text_width(heading->markup, heading->size, heading->weight);
          EXPECT_GE(left, ends[line] + 6) << heading->markup << ", sorted by " << sort.name << ", width " << width;
          ends[line] = heading->at.x;
        }
      }
      const TextMark& last = *mark(figure.texts, "header.profile.first");
      EXPECT_LE(last.at.x + text_width(last.markup, last.size), mark(figure.lines, "header.line")->to.x + 0.01);
    }
  }
}

TEST(MetricsView, SortsByWhatIsAskedFor) {
  const std::shared_ptr<const Trace> trace = trace_with({{"heads", "8"}, {"tokens", "9"}}, "stacked-multihead");
  const HeadMeasures measured = *measure_heads(*trace, attention_steps_of(*trace).front(), 0);
  for (std::size_t i = 0; i < measures().size(); ++i) {
    if (!measured.heads.front()[i]) continue;
    const std::string name(measures()[i].name);
    for (const bool up : {false, true}) {
      const Figure figure = figure_of(*trace, "metrics", {{"sort", name}, {"order", std::string(up ? "up" : "down")}});
      const std::vector<Index> order = order_of(figure, 8);
      for (std::size_t at = 1; at < order.size(); ++at) {
        const double before = *measured.heads[static_cast<std::size_t>(order[at - 1])][i];
        const double after = *measured.heads[static_cast<std::size_t>(order[at])][i];
        EXPECT_TRUE(up ? before <= after : before >= after) << name;
      }
    }
  }
  const Figure by_likeness = figure_of(*trace, "metrics", {{"sort", std::string("similarity")}});
  EXPECT_EQ(order_of(by_likeness, 8), similarity_order(measured.distances));
}

TEST(MetricsView, ItsTitlesSortAndItsRowsChooseAHead) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const ParameterValues by_entropy = {{"sort", std::string("entropy")}};
  const Figure figure = figure_of(*trace, "metrics", by_entropy);
  const TargetMark* other = mark(figure.targets, "sort.diagonal");
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(set_by(*other), (ParameterValues{{"sort", std::string("diagonal")}, {"order", std::string("down")}}));
  const TargetMark* same = mark(figure.targets, "sort.entropy");
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(set_by(*same), (ParameterValues{{"sort", std::string("entropy")}, {"order", std::string("up")}}));
  const TextMark* name = mark(figure.texts, "head.2.name");
  const TargetMark* row = target_at(figure, {name->at.x + 1, name->at.y});
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(set_by(*row), (ParameterValues{{"head", Index{3}}}));
  // The click shows that head's weights next to the map.
  const Figure third = figure_of(*trace, "metrics", set_by(*row));
  EXPECT_EQ(mark(third.texts, "chosen.title")->markup, "head 3");
  EXPECT_EQ(third.heatmaps.back().leading, std::vector<Index>{2});
}

TEST(MetricsView, TheMapHasTheDistances) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  const HeadMeasures measured =
      *measure_heads(*trace, static_cast<int>(trace->find("weights") - trace->steps().data()), 0);
  const Figure figure = figure_of(*trace, "metrics");
  const HeatmapMark& map = figure.heatmaps.front();
  ASSERT_EQ(map.id, "map");
  for (Index row = 0; row < map.rows(); ++row) {
    const Index a = std::stol(map.row_labels[static_cast<std::size_t>(row)]) - 1;
    for (Index column = 0; column < map.columns(); ++column) {
      const Index b = std::stol(map.column_labels[static_cast<std::size_t>(column)]) - 1;
      const double distance = measured.distances[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
      EXPECT_FLOAT_EQ(map.source->held()->at(row, column), static_cast<float>(distance));
    }
  }
}

TEST(MetricsView, HeadsThatAreAllAlikeAreDarkInTheMap) {
  const HeatmapMark map = figure_of(*trace_with({{"tokens", "1"}}), "metrics").heatmaps.front();
  ASSERT_EQ(map.id, "map");
  EXPECT_EQ(map.source->held()->at(0, 1), 0);
  EXPECT_EQ(cell_color(0, map.scale), cell_color(0, {ColorMap::magma, 0, 1}));
}

TEST(MetricsView, ALaterLayerStandsBesideWhatItHasOfTheEarlierOne) {
  const std::shared_ptr<const Trace> trace = trace_with({}, "hand-made-heads");
  const Figure first = figure_of(*trace, "metrics", {});
  EXPECT_EQ(mark(first.texts, "composition.1"), nullptr);
  EXPECT_EQ(mark(first.heatmaps, "rollout"), nullptr);
  const Figure figure = figure_of(*trace, "metrics", {{"layer", Index{2}}});
  const auto step = static_cast<int>(trace->find("layer2.weights") - trace->steps().data());
  const HeadMeasures expected = *measure_heads(*trace, step, 0);
  const auto& shares = expected.compositions.at(0).shares.at(0);
  ASSERT_EQ(shares.size(), 7U);
  for (std::size_t head = 0; head < shares.size(); ++head) {
    const std::array<const char*, 3> through = {"query", "key", "value"};
    for (std::size_t i = 0; i < through.size(); ++i) {
      const std::string id = "composition.1.head." + std::to_string(head) + "." + through[i];
      ASSERT_NE(mark(figure.texts, id), nullptr) << id;
      EXPECT_EQ(mark(figure.texts, id)->markup, shares[head][i] ? fixed_text(*shares[head][i], 3) : "–") << id;
    }
  }
  const HeatmapMark* const map = mark(figure.heatmaps, "rollout");
  ASSERT_NE(map, nullptr);
  for (Index query = 0; query < 12; ++query) {
    for (Index key = 0; key < 12; ++key)
      EXPECT_EQ(map->source->held()->at(query, key), expected.rollout->matrix({}).at(query, key));
  }
}

TEST(MetricsView, LeavesTooManyWeightsToTheCommandLine) {
  const View& view = *find_view("metrics");
  EXPECT_EQ(missing_for(view, *trace_with({})), "");
  const std::shared_ptr<const Trace> large = trace_with({{"tokens", "20000"}, {"heads", "1"}, {"cross_queries", "0"}});
  EXPECT_NE(missing_for(view, *large), "");
}

TEST(MetricsView, MeasuresOnceForAllFiguresOfATrace) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  ViewCache cache;
  ViewOptions options = *view_options({"metrics", {}});
  options.cache = &cache;
  const Figure first = build_view("metrics", *trace, options);
  // Stopped before it began: only cached results are available.
  StopSource source;
  source.request_stop();
  options.stop = source.token();
  options.values["order"] = std::string("up");
  EXPECT_EQ(build_view("metrics", *trace, options).texts.size(), first.texts.size());
  const std::shared_ptr<const Trace> other = trace_with({{"tokens", "5"}});
  EXPECT_TRUE(build_view("metrics", *other, options).texts.empty());
}

}  // namespace
}  // namespace attnscope::test
