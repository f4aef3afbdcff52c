#include <gtest/gtest.h>

#include "traces.h"

namespace attnscope::test {
namespace {

TEST(ClickIntent, IsThatOfTheTargetOrOfTheCellBelowIt) {
  Figure figure;
  figure.heatmaps.push_back(heatmap_of("a", {10, 20, 30, 40}, {{"row", 2}, {"column", 3}}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(click_intent(figure, {25, 50}), ClickIntent()) << "a heatmap that picks nothing";
  figure.heatmaps.front().picks.name = "query";
  EXPECT_EQ(click_intent(figure, {25, 50}), ClickIntent(SetOptions{{{"query", Index{5}}}}));
  EXPECT_EQ(click_intent(figure, {5, 5}), ClickIntent());
  TargetMark target;
  target.box = {20, 40, 10, 20};
  target.click = ToggleHead{2};
  figure.targets.push_back(target);
  EXPECT_EQ(click_intent(figure, {25, 50}), ClickIntent(ToggleHead{2}));
  EXPECT_EQ(click_intent(figure, {35, 50}), ClickIntent(SetOptions{{{"query", Index{6}}}}));
}

}  // namespace
}  // namespace attnscope::test
