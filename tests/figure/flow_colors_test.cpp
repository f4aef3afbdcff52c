// Which matrices of Flow share a colour scale.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "figure/views/view.h"
#include "traces.h"

namespace attnscope::test {
namespace {

const ColorScale& scale_of(const Figure& figure, const std::string& id) {
  return std::ranges::find(figure.heatmaps, id, &HeatmapMark::id)->scale;
}

std::string others_title(const Figure& figure) {
  for (const ColorBarMark& bar : figure.color_bars) {
    if (bar.id == "legend.red_blue") return bar.title;
  }
  return "";
}

TEST(FlowColors, AHalfOfAValueLooksLikeAHalf) {
  const Figure figure = figure_of(*trace_with({{"random_numbers", "signed"}}), "flow");
  const ColorScale& values = scale_of(figure, "v");
  EXPECT_EQ(scale_of(figure, "attend.v"), values);
  EXPECT_EQ(scale_of(figure, "head_outputs"), values);
  EXPECT_NE(scale_of(figure, "q").high, values.high);
  EXPECT_EQ(others_title(figure), "other matrices, each scaled to its maximum, head like V");
}

TEST(FlowColors, ValuesWithoutNegativeNumbersHaveTheColorsOfTheirBlend) {
  // Dropout makes the remaining weights larger, and with them what is blended.
  const Figure figure = figure_of(*trace_with({{"dropout", "0.5"}, {"mask", "causal"}}), "flow");
  EXPECT_EQ(scale_of(figure, "v").low, 0);
  EXPECT_EQ(scale_of(figure, "head_outputs"), scale_of(figure, "v"));
}

TEST(FlowColors, TheLegendNamesOnlyWhatIsShown) {
  ViewOptions options = *view_options({"flow", {}});
  options.width = 900;
  options.height = 700;
  options.tensors = {"q"};
  const Figure figure = build_view("flow", *trace_with({{"random_numbers", "signed"}}), options);
  EXPECT_EQ(others_title(figure), "matrices, each scaled to its maximum");
}

}  // namespace
}  // namespace attnscope::test
