// Ticks, the mapping from numbers to pixels, flags, and labels that keep their distance.

#include "figure/layout/chart.h"

#include <gtest/gtest.h>

#include <cmath>

#include "figure/layout/bar_row.h"
#include "figure/style/markup.h"

namespace attnscope::test {
namespace {

std::vector<std::string> texts(const std::vector<ChartTick>& ticks) {
  std::vector<std::string> all;
  for (const ChartTick& tick : ticks) all.push_back(tick.markup);
  return all;
}

using Texts = std::vector<std::string>;

TEST(ChartTicks, AreRound) {
  EXPECT_EQ(texts(chart_ticks({0, 1}, 6)), (Texts{"0", "0.2", "0.4", "0.6", "0.8", "1"}));
  EXPECT_EQ(texts(chart_ticks({0, 1}, 5)), (Texts{"0", "0.5", "1"}));
  EXPECT_EQ(texts(chart_ticks({-0.31, 0.31}, 3)), (Texts{"−0.2", "0", "0.2"}));
  EXPECT_EQ(texts(chart_ticks({-3, 12}, 4)), (Texts{"0", "5", "10"}));
  EXPECT_EQ(texts(chart_ticks({0, 42}, 1)), (Texts{"0"}));
  EXPECT_EQ(texts(chart_ticks({7, 7}, 4)), (Texts{"7"}));
}

TEST(ChartTicks, OfPowers) {
  EXPECT_EQ(texts(chart_ticks({1, 1024, 2}, 20)),
            (Texts{"1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1,024"}));
  EXPECT_EQ(texts(chart_ticks({1, 1024, 2}, 6)), (Texts{"1", "4", "16", "64", "256", "1,024"}));
  EXPECT_EQ(texts(chart_ticks({0.5, 2000, 10}, 6)), (Texts{"1", "10", "100", "1,000"}));
  EXPECT_EQ(texts(chart_ticks({50, 2800, 10}, 6)), (Texts{"50", "100", "200", "500", "1,000", "2,000"}));
  EXPECT_EQ(texts(chart_ticks({0.02, 0.3, 10}, 5)), (Texts{"0.02", "0.05", "0.1", "0.2"}));
  EXPECT_EQ(texts(chart_ticks({50, 2800, 10}, 5)), (Texts{"100", "1,000"})) << "no room for more";
  EXPECT_EQ(texts(chart_ticks({0.0005, 30, 10}, 6)), (Texts{"0.001", "0.01", "0.1", "1", "10"}));
  EXPECT_EQ(texts(chart_ticks({1, 1e9, 10}, 4)), (Texts{"1", "10^{3}", "10^{6}", "10^{9}"}));
}

TEST(ChartTicks, AreNoMoreThanThereIsRoomFor) {
  for (std::size_t most = 1; most < 12; ++most) {
    for (const ChartRange& range :
         {ChartRange{0, 0.37}, {-1e-9, 5e-9}, {-1234, 987}, {1, 65536, 2}, {3, 7e11, 10}, {1e-7, 1e-2, 10}}) {
      const std::vector<ChartTick> ticks = chart_ticks(range, most);
      EXPECT_LE(ticks.size(), most) << range.low << " to " << range.high;
      for (const ChartTick& tick : ticks) {
        EXPECT_GE(range.share(tick.value), -1e-6);
        EXPECT_LE(range.share(tick.value), 1 + 1e-6);
      }
    }
  }
}

TEST(Chart, GoesFromNumbersToPixels) {
  const Chart chart = {"a", {10, 20, 100, 200}, {1, 100, 10}, {-1, 3}};
  EXPECT_EQ(chart.at(1, -1), (Point{10, 220}));
  EXPECT_EQ(chart.at(100, 3), (Point{110, 20}));
  EXPECT_NEAR(chart.at(10, 0).x, 60, 1e-9);
  EXPECT_NEAR(chart.at(10, 0).y, 170, 1e-9);
}

TEST(Chart, FlagsStandApart) {
  const Chart chart = {"a", {0, 100, 200, 100}, {0, 100}, {0, 1}};
  for (const double first : {0.0, 20.0, 60.0, 99.0}) {
    for (const double second : {0.0, 25.0, 40.0}) {
      Figure figure;
      add_flags(figure, chart, {{"one", first, "a flag"}, {"two", second, "another"}, {"three", 45, "the third"}});
      ASSERT_EQ(figure.texts.size(), 3U);
      for (std::size_t i = 0; i < 3; ++i) {
        const TextMark& text = figure.texts[i];
        const double width = markup_width(text.markup, text.size, text.weight);
        const double left = text.horizontal == HorizontalAlign::left ? text.at.x : text.at.x - width;
        EXPECT_GE(left, chart.box.x);
        EXPECT_LE(left + width, chart.box.right());
        for (std::size_t j = 0; j < 3; ++j) {
          if (i == j) continue;
          EXPECT_GE(std::abs(text.at.y - figure.texts[j].at.y), kFlagHeight);
          const LineMark& line = figure.lines[j];
          const bool through = line.to.y < text.at.y && line.to.x > left && line.to.x < left + width;
          EXPECT_FALSE(through && text.horizontal == HorizontalAlign::left) << text.markup << " by " << line.id;
        }
      }
    }
  }
}

TEST(Spread, KeepsPlacesThatAreFarApart) {
  EXPECT_EQ(spread({30, 0, 15}, 12), (std::vector<double>{30, 0, 15}));
  EXPECT_TRUE(spread({}, 12).empty());
}

TEST(Spread, MovesNeighboursAsLittleAsCanBe) {
  EXPECT_EQ(spread({10, 10}, 12), (std::vector<double>{4, 16}));
  EXPECT_EQ(spread({14, 10, 100}, 10), (std::vector<double>{17, 7, 100}));
  const std::vector<double> places = {0, 1, 2, 20, 23, 90};
  const std::vector<double> apart = spread(places, 10);
  for (std::size_t i = 1; i < apart.size(); ++i) EXPECT_GE(apart[i] - apart[i - 1], 10 - 1e-9);
  EXPECT_EQ(apart.back(), 90);
}

TEST(Legend, GoesToFurtherLines) {
  const std::vector<LegendEntry> entries = {{"one", {}}, {"another one", {}}, {"the third", {}, true}};
  Figure wide;
  const double one_line = add_legend(&wide, "a", entries, {5, 7}, 400);
  Figure narrow;
  EXPECT_EQ(add_legend(&narrow, "a", entries, {5, 7}, 100), 3 * one_line);
  EXPECT_EQ(add_legend(nullptr, "a", entries, {5, 7}, 100), 3 * one_line);
  EXPECT_EQ(wide.texts[2].at.y, wide.texts[0].at.y);
  EXPECT_EQ(narrow.texts[2].at.x, narrow.texts[0].at.x);
  EXPECT_TRUE(narrow.curves[2].dashed);
}

TEST(Caption, BreaksBetweenWords) {
  Figure figure;
  const std::string text = "some words that do not fit into one line";
  const double height = add_caption(&figure, "a", text, {0, 0}, 100);
  EXPECT_EQ(height, add_caption(nullptr, "a", text, {0, 0}, 100));
  ASSERT_GT(figure.texts.size(), 1U);
  std::string whole;
  for (const TextMark& line : figure.texts) {
    EXPECT_LE(markup_width(line.markup, line.size, line.weight), 100);
    EXPECT_LE(line.at.y, height);
    whole += (whole.empty() ? "" : " ") + line.markup;
  }
  EXPECT_EQ(whole, text);
}

TEST(BarColumns, ShareOutAllNumbers) {
  for (const Index numbers : {1, 7, 100, 101, 350, 9999}) {
    const BarColumns columns = {16, 100, numbers};
    EXPECT_EQ(columns.count(), std::min<Index>(numbers, 100));
    EXPECT_EQ(columns.first(0), 0);
    EXPECT_EQ(columns.first(columns.count()), numbers);
    for (Index column = 0; column < columns.count(); ++column) {
      const Index members = columns.first(column + 1) - columns.first(column);
      EXPECT_GE(members, 1);
      EXPECT_LE(members, columns.most());
      for (Index i = columns.first(column); i < columns.first(column + 1); ++i) EXPECT_EQ(columns.column_of(i), column);
    }
  }
}

TEST(BarRow, RangeHoldsZeroAndBothSigns) {
  BarRow row;
  row.numbers = {1, 3};
  EXPECT_EQ(bar_range(row).low, 0);
  EXPECT_EQ(bar_range(row).high, 3);
  row.numbers = {-2, std::nan(""), 1};
  EXPECT_EQ(bar_range(row).low, -2);
  EXPECT_EQ(bar_range(row).high, 2);
  row.sums = {-2, -9};
  EXPECT_EQ(bar_range(row).low, -9);
  row.sums.clear();
  row.left_out = {true, false, false};
  EXPECT_EQ(bar_range(row).low, 0);
  EXPECT_EQ(bar_range(row).high, 1);
}

TEST(BarRow, SharesOfManyEndAboveTheLargest) {
  BarRow row;
  row.numbers.assign(32, 0.01);
  EXPECT_EQ(share_range(row).high, 1);
  row.numbers.assign(40, 0.01);
  row.numbers[3] = 0.13;
  EXPECT_EQ(share_range(row).high, 0.2);
  row.numbers[3] = 0.7;
  EXPECT_EQ(share_range(row).high, 1);
  row.numbers.assign(40, 0);
  EXPECT_EQ(share_range(row).high, 1);
}

}  // namespace
}  // namespace attnscope::test
