// Searching for tokens in figures: in matrices, in running text, beside lines.
#include "figure/slices/found_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/made_model.h"
#include "traces.h"

namespace attnscope::test {
namespace {

std::shared_ptr<const Trace> sentence(const std::vector<std::string>& labels, const Settings& settings = {}) {
  Settings all = settings;
  all.emplace_back("tokens", std::to_string(labels.size()));
  Experiment experiment = experiment_with(all);
  experiment.labels = labels;
  return *run(experiment);
}

std::vector<FoundToken> found(const Figure& figure, const Trace& trace, const std::string& part) {
  return find_tokens(figure, trace,
                     [&](Index, std::string_view name) { return name.find(part) != std::string_view::npos; });
}

const std::vector<std::string> kCats = {"the", "cat", "saw", "the", "other", "cat"};

TEST(FoundTokens, AreRowsAndColumnsOfMatrices) {
  const std::shared_ptr<const Trace> trace = sentence(kCats);
  const Figure figure = figure_of(*trace, "head");
  const std::vector<FoundToken> cats = found(figure, *trace, "cat");
  ASSERT_EQ(cats.size(), 2U);
  EXPECT_EQ(cats[0].position, 1);
  EXPECT_EQ(cats[1].position, 5);
  EXPECT_EQ(cats[1].name, "cat");
  const Rect& box = figure.heatmaps.front().box;
  const double cell = box.width / 6;
  ASSERT_EQ(cats[1].places.size(), 2U);
  EXPECT_EQ(cats[1].places[0], (Rect{box.x, box.y + 5 * cell, box.width, cell})) << "the row of the query";
  EXPECT_EQ(cats[1].places[1], (Rect{box.x + 5 * cell, box.y, cell, box.height})) << "the column of the key";
  const Point middle = cats[1].center(1e9);
  EXPECT_NEAR(middle.x, box.x + 5.5 * cell, 1e-9);
  EXPECT_NEAR(middle.y, box.y + 5.5 * cell, 1e-9);
  EXPECT_EQ(found(figure, *trace, "the").size(), 3U) << "“other” too";
  EXPECT_TRUE(found(figure, *trace, "dog").empty());
}

TEST(FoundTokens, WithoutNamesAreNumbers) {
  const std::shared_ptr<const Trace> trace = trace_with({{"queries", "3"}, {"keys", "40"}}, "scaled-dot-product");
  const Figure figure = figure_of(*trace, "head");
  const std::vector<FoundToken> all = found(figure, *trace, "3");
  // 3, 13, 23, 30 to 39.
  ASSERT_EQ(all.size(), 13U);
  EXPECT_EQ(all.front().name, "3");
  EXPECT_EQ(all.front().places.size(), 2U) << "there are that many queries";
  EXPECT_EQ(all.back().name, "39");
  ASSERT_EQ(all.back().places.size(), 1U);
  const Rect& box = figure.heatmaps.front().box;
  EXPECT_EQ(all.back().center(1e9).y, box.center().y);
}

TEST(FoundTokens, OfAllHeadsAreOne) {
  const std::shared_ptr<const Trace> trace = sentence(kCats, {{"heads", "4"}, {"cross_queries", "0"}});
  const std::vector<FoundToken> cats = found(figure_of(*trace, "heads"), *trace, "cat");
  ASSERT_EQ(cats.size(), 2U);
  EXPECT_EQ(cats[0].places.size(), 4U * 2U);
  // Small maps have no labels of their own.
  const std::shared_ptr<const Trace> many = sentence(kCats, {{"heads", "300"}, {"cross_queries", "0"}});
  const Figure grid = figure_of(*many, "heads");
  ASSERT_TRUE(grid.heatmaps.front().row_labels.empty());
  EXPECT_EQ(found(grid, *many, "saw").front().places.size(), grid.heatmaps.size() * 2);
}

TEST(FoundTokens, AreWordsAndLabelsBesideLines) {
  const std::shared_ptr<const Trace> trace = sentence(kCats);
  for (const char* view : {"text", "lines"}) {
    const Figure figure = figure_of(*trace, view);
    const std::vector<FoundToken> cats = found(figure, *trace, "cat");
    ASSERT_EQ(cats.size(), 2U) << view;
    for (const FoundToken& cat : cats) {
      for (const Rect& place : cat.places) {
        const bool is_a_target =
            std::ranges::any_of(figure.targets, [&](const TargetMark& target) { return target.box == place; });
        EXPECT_TRUE(is_a_target) << view;
      }
    }
    EXPECT_EQ(cats[0].places.size(), std::string(view) == "lines" ? 2U : cats[1].places.size());
  }
}

TEST(FoundTokens, TransposedMatricesHaveThemTheOtherWayRound) {
  const std::shared_ptr<const Trace> trace = sentence(kCats);
  const Figure figure = figure_of(*trace, "flow");
  // Kᵀ: the tokens are its columns, and its rows are none.
  const auto keys = std::ranges::find_if(figure.heatmaps, [](const HeatmapMark& mark) {
    return mark.transposed && mark.axes[mark.axes.size() - 2].name == "key";
  });
  ASSERT_NE(keys, figure.heatmaps.end()) << describe(figure);
  Figure alone;
  alone.heatmaps = {*keys};
  const std::vector<FoundToken> cats = found(alone, *trace, "cat");
  ASSERT_EQ(cats.size(), 2U);
  const double cell = keys->box.width / 6;
  ASSERT_EQ(cats[1].places.size(), 1U);
  EXPECT_EQ(cats[1].places[0], (Rect{keys->box.x + 5 * cell, keys->box.y, cell, keys->box.height}));
}

TEST(FoundTokens, AreSearchedUpToALimit) {
  const std::shared_ptr<const Trace> trace = trace_with({{"queries", "1"}, {"keys", "70000"}}, "scaled-dot-product");
  const Figure figure = figure_of(*trace, "head");
  Index asked = 0;
  const auto nobody = [&](Index position, std::string_view) {
    asked = std::max(asked, position + 1);
    return false;
  };
  EXPECT_TRUE(find_tokens(figure, *trace, nobody).empty());
  EXPECT_EQ(asked, kMostSearched);
  EXPECT_TRUE(has_more_tokens(figure));
  // One that is asked for by its number is found wherever it is.
  const std::vector<FoundToken> last = find_tokens(figure, *trace, nobody, 69'999);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last.front().name, "70000");
  EXPECT_FALSE(has_more_tokens(figure_of(*sentence(kCats), "head")));
}

TEST(FoundTokens, AreNoMorePlacesThanAFrameHasTimeFor) {
  const std::shared_ptr<const Trace> trace = trace_with({{"queries", "300"}, {"keys", "30000"}}, "scaled-dot-product");
  Index places = 0;
  for (const FoundToken& token : found(figure_of(*trace, "head"), *trace, "")) places += std::ssize(token.places);
  EXPECT_EQ(places, kMostPlaces);
}

TEST(FoundTokens, AreNamesBesideWhatAViewComputed) {
  const auto trace = made_trace("gpt2", {1, 2, 5, 9, 2, 7});
  const Figure figure = figure_of(*trace, "next");
  const auto lens = std::ranges::find_if(figure.heatmaps, [](const HeatmapMark& mark) { return mark.step < 0; });
  ASSERT_NE(lens, figure.heatmaps.end());
  const std::vector<FoundToken> cats = found(figure, *trace, "cat");
  ASSERT_EQ(cats.size(), 2U);
  const double width = lens->box.width / static_cast<double>(lens->columns());
  EXPECT_EQ(cats[0].places, (std::vector<Rect>{{lens->box.x + width, lens->box.y, width, lens->box.height}}));
  EXPECT_EQ(cats[1].position, 4);
}

TEST(FoundTokens, AWidePlaceIsShownFromItsBeginning) {
  FoundToken token;
  token.places = {{100, 20, 4000, 2}};
  EXPECT_EQ(token.center(600), (Point{400, 21}));
  EXPECT_EQ(token.center(9000), (Point{2100, 21}));
}

}  // namespace
}  // namespace attnscope::test
