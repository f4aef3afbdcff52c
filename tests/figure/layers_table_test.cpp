// The view Metrics of all layers: one table and one map of every head.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/heads/attention_list.h"
#include "core/heads/head_measures.h"
#include "core/imported/imported_layers.h"
#include "layout_faults.h"
#include "support/imported_tensors.h"
#include "support/made_model.h"
#include "traces.h"

namespace attnscope::test {
namespace {

ParameterValues all_with(ParameterValues others) {
  others["layers"] = std::string("all");
  return others;
}

std::string row_id(Index layer, Index head) { return "all." + std::to_string(layer) + "." + std::to_string(head); }

/// The rows from top to bottom, by their ids.
std::vector<std::string> rows_of(const Figure& figure) {
  std::vector<std::pair<double, std::string>> rows;
  for (const TextMark& each : figure.texts) {
    if (each.id.starts_with("all.") && each.id.ends_with(".head"))
      rows.emplace_back(each.at.y, each.id.substr(4, each.id.size() - 9));
  }
  std::ranges::sort(rows);
  std::vector<std::string> ids;
  for (const auto& [y, id] : rows) ids.push_back(id);
  return ids;
}

TEST(LayersTable, HasTheMeasuresOfEveryHeadOfEveryLayer) {
  for (const auto& trace :
       {made_trace("gpt2", {1, 2, 3, 1}), made_trace("bert", {1, 2, 3}), trace_with({}, "hand-made-heads")}) {
    const Figure figure = figure_of(*trace, "metrics", all_with({}));
    Index layer = 0;
    for (const LayerAttention& each : layer_attentions(*trace)) {
      ++layer;
      const HeadMeasures expected = *measure_heads(*trace, each.weights, 0);
      for (std::size_t head = 0; head < expected.heads.size(); ++head) {
        const std::string id = row_id(layer, static_cast<Index>(head));
        EXPECT_EQ(words(figure, id + ".head"), title_of(each) + " · head " + std::to_string(head + 1));
        for (std::size_t i = 0; i < measures().size(); ++i) {
          const std::optional<double> value = expected.heads[head][i];
          EXPECT_EQ(words(figure, id + "." + std::string(measures()[i].name)), value ? fixed_text(*value, 3) : "–");
        }
      }
    }
    EXPECT_GE(layer, 2);
  }
}

TEST(LayersTable, SortsAcrossLayersAndMapsWhatItIsSortedBy) {
  const auto trace = made_trace("gpt2", {1, 2, 3, 4, 5});
  std::vector<std::pair<double, std::string>> expected;
  Index layer = 0;
  for (const LayerAttention& each : layer_attentions(*trace)) {
    const HeadMeasures measured = *measure_heads(*trace, each.weights, 0);
    ++layer;
    for (std::size_t head = 0; head < measured.heads.size(); ++head)
      expected.emplace_back(-*measured.heads[head][0], std::to_string(layer) + "." + std::to_string(head));
  }
  std::ranges::sort(expected);
  const Figure figure = figure_of(*trace, "metrics", all_with({{"sort", std::string(measures()[0].name)}}));
  std::vector<std::string> order;
  for (const auto& [value, id] : expected) order.push_back(id);
  EXPECT_EQ(rows_of(figure), order);
  const HeatmapMark* const map = mark(figure.heatmaps, "map");
  ASSERT_NE(map, nullptr);
  for (const auto& [value, id] : expected)
    EXPECT_EQ(map->source->held()->at(id[0] - '1', id[2] - '0'), static_cast<float>(-value));
  EXPECT_TRUE(words(figure, "map.title").starts_with("Entropy by layer")) << words(figure, "map.title");
  const auto* const open = std::get_if<OpenView>(&mark(figure.targets, "map.all.2.1")->click);
  ASSERT_NE(open, nullptr);
  EXPECT_EQ(*open, (OpenView{"head", {{"head", Index{2}}, {"layer", Index{2}}}}));
}

TEST(LayersTable, IsOfTheItemAndOfImportedWeights) {
  const auto tensors = made({{"attn", {2, 3, 4, 6, 6}}});
  const auto trace = *run(*experiment_on(tensors));
  ASSERT_EQ(layer_attentions(*trace).size(), 2U);
  const Figure figure = figure_of(*trace, "metrics", all_with({{"item", Index{2}}}));
  EXPECT_EQ(words(figure, "title"), "Every head of every layer, item 2");
  const HeadMeasures second = *measure_heads(*trace, layer_attentions(*trace)[1].weights, 1);
  EXPECT_EQ(words(figure, row_id(2, 1) + ".entropy"), fixed_text(*second.heads[1][0], 3));
}

TEST(LayersTable, IsOfferedWhereThereAreLayers) {
  const View& view = *find_view("metrics");
  EXPECT_TRUE(view.applies(*made_trace("gpt2", {1, 2}), {}, "layers"));
  EXPECT_FALSE(view.applies(*trace_with({}), {}, "layers"));
  const auto trace = made_trace("gpt2", {1, 2});
  for (const char* const option : {"layer", "head", "attention"})
    EXPECT_FALSE(view.applies(*trace, all_with({}), option)) << option;
}

TEST(LayersTable, MeasuresOnceAndStops) {
  const auto trace = made_trace("gpt2", {1, 2, 3});
  ViewCache cache;
  ViewOptions options = *view_options({"metrics", all_with({})});
  options.cache = &cache;
  std::vector<double> told;
  options.progress = [&](double share) { told.push_back(share); };
  build_view("metrics", *trace, options);
  EXPECT_EQ(told, (std::vector<double>{0, 0.5}));
  build_view("metrics", *trace, options);
  EXPECT_EQ(told.size(), 2U) << "kept";
  StopSource source;
  source.request_stop();
  ViewOptions stopped = *view_options({"metrics", all_with({})});
  stopped.stop = source.token();
  EXPECT_TRUE(build_view("metrics", *trace, stopped).texts.empty());
}

TEST(LayersTable, IsInOrder) {
  for (const auto& trace : {made_trace("gpt2", {1, 2, 3, 4, 5}), made_trace("gpt2", {1, 2}, {30, 12, 24}),
                            made_trace("attention-only", {1, 2}, {3, 80, 80}), trace_with({}, "hand-made-heads")}) {
    for (const auto& [width, height] : {std::pair(560.0, 420.0), {760.0, 640.0}, {1400.0, 900.0}, {672.0, 0.0}}) {
      for (const Index page : {1, 3}) {
        const Figure figure = figure_of(*trace, "metrics", all_with({{"page", page}}), width, height);
        for (const auto& faults : {layout_faults(figure), shared_ids(figure), slice_faults(figure, *trace)})
          EXPECT_TRUE(faults.empty()) << width << " × " << height << ":\n" << join(faults, "\n");
      }
    }
  }
}

}  // namespace
}  // namespace attnscope::test
