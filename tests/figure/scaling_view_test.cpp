// The view "scaling": the points of the study, the experiment's head dimension, and the cache.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/studies/scaling_study.h"
#include "traces.h"

namespace attnscope::test {
namespace {

const ParameterValues kFew = {{"keys", Index{8}}, {"samples", Index{16}}};

TEST(ScalingView, PointsAreThoseOfTheStudy) {
  const std::shared_ptr<const Trace> trace = trace_with({{"seed", "5"}});
  const Figure figure = figure_of(*trace, "scaling", kFew);
  const std::vector<ScalingPoint> study = study_scaling(5, 8, 16, {});
  const CurveMark& theory = *mark(figure.curves, "variance.theory.plain");
  const CurveMark& flat = *mark(figure.curves, "variance.theory.scaled");
  const CurveMark& uniform = *mark(figure.curves, "entropy.uniform");
  ASSERT_TRUE(theory.dashed && flat.dashed && uniform.dashed);
  // The theoretical variances 1 and 1024 fix the scale; the entropies go from 0 to ln 8.
  const double one = flat.points[0].y;
  const double decade = (theory.points[1].y - one) / std::log10(1024.0);
  const double zero = mark(figure.texts, "entropy.y.0")->at.y;
  const double nat = (uniform.points[0].y - zero) / std::log(8.0);
  for (std::size_t i = 0; i < study.size(); ++i) {
    const ScalingPoint& point = study[i];
    const std::string dim = std::to_string(point.dim);
    EXPECT_NEAR(mark(figure.bars, "variance.plain." + dim)->box.center().y,
                one + std::log10(point.plain.variance) * decade, 1e-6);
    EXPECT_NEAR(mark(figure.curves, "variance.scaled")->points[i].y, one + std::log10(point.scaled.variance) * decade,
                1e-6);
    EXPECT_NEAR(mark(figure.bars, "entropy.scaled." + dim)->box.center().y, zero + point.scaled.entropy * nat, 1e-6);
    EXPECT_NEAR(mark(figure.curves, "entropy.plain")->points[i].y, zero + point.plain.entropy * nat, 1e-6);
    EXPECT_EQ(mark(figure.targets, "variance.plain." + dim)->about, "d = " + grouped_text(point.dim) + ", variance " +
                                                                        number_text(point.plain.variance) +
                                                                        " (theory: " + grouped_text(point.dim) + ")");
    EXPECT_EQ(mark(figure.targets, "entropy.plain." + dim)->about,
              "d = " + grouped_text(point.dim) + ", entropy " + number_text(point.plain.entropy) + ", largest weight " +
                  number_text(point.plain.largest));
  }
}

TEST(ScalingView, TheExperimentsOwnHeadSizeIsMarked) {
  for (const auto& [text, x] : {std::pair("16", 0.4), std::pair("1024", 1.0), std::pair("5000", 1.0)}) {
    const Figure figure = figure_of(*trace_with({{"head_dim", text}, {"heads", "1"}}), "scaling", kFew);
    for (const char* chart : {"variance", "entropy"}) {
      const CurveMark& curve = *mark(figure.curves, chart + std::string(".plain"));
      const LineMark& line = *mark(figure.lines, chart + std::string(".own"));
      EXPECT_NEAR(line.from.x, curve.points.front().x + x * (curve.points.back().x - curve.points.front().x), 1e-6);
    }
  }
  const Settings small = {{"batch", "1"}, {"channels", "8"}, {"height", "2"}, {"width", "2"}, {"head_dim", "24"}};
  EXPECT_EQ(mark(figure_of(*trace_with(small, "conv-attention"), "scaling", kFew).texts, "variance.own")->markup,
            "d = 24 here");
}

TEST(ScalingView, IsWorkedOutOnceForASeedAndOptions) {
  ViewCache cache;
  const std::shared_ptr<const Trace> trace = trace_with({});
  const std::string first = describe(figure_of(*trace, "scaling", kFew, 672, 0, &cache));
  int made = 0;
  const auto make = [&] {
    ++made;
    return std::make_shared<const std::vector<ScalingPoint>>();
  };
  cache.find_or_keep<std::vector<ScalingPoint>>(
      std::tuple(std::string("scaling"), std::uint64_t{42}, Index{8}, Index{16}), make);
  EXPECT_EQ(made, 0);
  cache.find_or_keep<std::vector<ScalingPoint>>(
      std::tuple(std::string("scaling"), std::uint64_t{42}, Index{9}, Index{16}), make);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(describe(figure_of(*trace, "scaling", kFew, 672, 0, &cache)), first);
  EXPECT_EQ(describe(figure_of(*trace, "scaling", kFew)), first);
  EXPECT_NE(describe(figure_of(*trace_with({{"seed", "43"}}), "scaling", kFew, 672, 0, &cache)), first);
}

TEST(ScalingView, NoLineOfTheGridRunsThroughItsLabel) {
  const std::shared_ptr<const Trace> trace = trace_with({});
  for (const Index keys : {2, 10, 16, 20, 128}) {
    for (const double height : {0, 460, 500, 560, 680}) {
      const Figure figure = figure_of(*trace, "scaling", {{"keys", keys}, {"samples", Index{8}}}, 620, height);
      const TextMark* label = mark(figure.texts, "entropy.uniform");
      ASSERT_NE(label, nullptr);
      const double width = text_width(label->markup, label->size);
      const double letters = label->size * kFontCapHeight;
      const Rect box = {label->at.x - width, label->at.y - letters, width, letters};
      for (const BarMark& bar : figure.bars) {
        if (!bar.id.starts_with("entropy.y.")) continue;
        const Rect both = bar.box.intersection(box);
        EXPECT_EQ(both.width * both.height, 0) << bar.id << " in a height of " << height;
      }
    }
  }
}

TEST(ScalingView, LeavesWhenStopped) {
  ViewCache cache;
  ViewOptions options = *view_options({"scaling", {{"keys", Index{256}}, {"samples", Index{1024}}}});
  StopSource source;
  source.request_stop();
  options.stop = source.token();
  options.cache = &cache;
  EXPECT_TRUE(build_view("scaling", *trace_with({}), options).curves.empty());
}

TEST(ScalingView, OptionsHaveLimits) {
  EXPECT_FALSE(view_options({"scaling", {{"keys", Index{1}}}}));
  EXPECT_FALSE(view_options({"scaling", {{"keys", Index{257}}}}));
  EXPECT_FALSE(view_options({"scaling", {{"samples", Index{7}}}}));
  EXPECT_FALSE(view_options({"scaling", {{"samples", Index{1025}}}}));
}

TEST(ViewCache, KeepsSmallThingsBesideTheLastOfATrace) {
  ViewCache cache;
  int made = 0;
  const auto make = [&] { return std::make_shared<const int>(++made); };
  EXPECT_EQ(*cache.find_or_keep<int>(std::string("a"), make), 1);
  EXPECT_EQ(*cache.find_or_keep<int>(std::string("b"), make), 2);
  EXPECT_EQ(*cache.find_or_make<int>(std::string("a"), make), 3);
  EXPECT_EQ(*cache.find_or_keep<int>(std::string("a"), make), 1);
  EXPECT_EQ(*cache.find_or_make<int>(std::string("a"), make), 3);
  EXPECT_EQ(cache.find_or_keep<int>(std::string("c"), [] { return std::shared_ptr<const int>(); }), nullptr);
  EXPECT_EQ(*cache.find_or_keep<int>(std::string("c"), make), 4);
}

}  // namespace
}  // namespace attnscope::test
