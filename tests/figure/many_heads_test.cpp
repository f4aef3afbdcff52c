// Figures of very many heads, layers and tokens: one page at a time, with a limited number of marks.
#include <gtest/gtest.h>

#include <set>

#include "core/base/stop.h"
#include "core/imported/imported_layers.h"
#include "core/trace/run.h"
#include "figure/blocks/layer_grid.h"
#include "figure/layout/page.h"
#include "figure/model/canvas.h"
#include "support/imported_tensors.h"
#include "traces.h"

namespace attnscope::test {
namespace {

/// The most marks of any figure: what the window can paint in a frame.
constexpr std::size_t kMaxMarks = 16000;

std::shared_ptr<const Trace> weights_of(const std::vector<Index>& shape, std::vector<std::string> labels = {}) {
  Experiment experiment = *experiment_on(made({{"attentions", shape}}));
  experiment.labels = std::move(labels);
  return *run(experiment);
}

std::shared_ptr<const Trace> queries_and_keys(Index heads) {
  Experiment experiment = *experiment_on(made({{"q", {heads, 4, 4}}, {"k", {heads, 4, 4}}, {"v", {heads, 4, 4}}}));
  experiment.parameters["axes"] = std::string("head token dim");
  return *run(experiment);
}

std::set<std::string> ids_of(const Figure& figure) {
  std::set<std::string> ids;
  for (const HeatmapMark& mark : figure.heatmaps) ids.insert(mark.id);
  return ids;
}

TEST(ManyHeads, AreShownAPageAtATime) {
  const auto trace = weights_of({100000, 4, 4});
  ASSERT_NE(trace->find("weights"), nullptr);
  const Figure first = figure_of(*trace, "heads", {}, 1000, 700);
  EXPECT_EQ(first.heatmaps.size(), static_cast<std::size_t>(kMaxPanels));
  EXPECT_EQ(words(first, "page"), "heads 1–1,024 of 100,000 · page 1 of 98");
  EXPECT_EQ(first.heatmaps.front().id, "weights.0");
  const Figure last = figure_of(*trace, "heads", {{"page", Index{98}}}, 1000, 700);
  EXPECT_EQ(last.heatmaps.size(), 672U);
  EXPECT_EQ(words(last, "page"), "heads 99,329–100,000 of 100,000 · page 98 of 98");
  EXPECT_EQ(last.heatmaps.back().id, "weights.99999");
  EXPECT_EQ(last.heatmaps.back().leading, std::vector<Index>{99999});
  // Numbers beyond the last page show the last page; colours mean the same on all pages.
  const Figure behind = figure_of(*trace, "heads", {{"page", Index{1000}}}, 1000, 700);
  EXPECT_EQ(describe(behind), describe(last));
  EXPECT_EQ(last.heatmaps.front().scale, first.heatmaps.front().scale);
}

TEST(ManyHeads, EachIsOnOnePage) {
  const auto trace = weights_of({2500, 4, 4});
  const View& view = *find_view("heads");
  const Index pages = option_limit(view, *trace, "page", view_options({"heads", {}})->values);
  ASSERT_EQ(pages, 3);
  std::set<std::string> all;
  std::size_t count = 0;
  for (Index page = 1; page <= pages; ++page) {
    const std::set<std::string> ids = ids_of(figure_of(*trace, "heads", {{"page", page}}));
    count += ids.size();
    all.insert(ids.begin(), ids.end());
  }
  EXPECT_EQ(count, 2500U);
  EXPECT_EQ(all.size(), 2500U);
}

TEST(ManyHeads, AsManyAsFitHaveNoPages) {
  const auto trace = weights_of({kMaxPanels, 4, 4});
  const View& view = *find_view("heads");
  const ParameterValues options = view_options({"heads", {}})->values;
  EXPECT_EQ(option_limit(view, *trace, "page", options), 1);
  EXPECT_FALSE(view.applies(*trace, options, "page"));
  EXPECT_EQ(figure_of(*trace, "heads").heatmaps.size(), static_cast<std::size_t>(kMaxPanels));
  EXPECT_EQ(words(figure_of(*trace, "heads"), "page"), "no page");
}

/// Six layers of three heads.
Figure layers_in(double width, double height) {
  return figure_of(*weights_of({6, 3, 30, 30}), "heads", {}, width, height);
}

TEST(ManyHeads, OfLayersInALowRoomStandSideBySide) {
  const Figure low = layers_in(1200, 320);
  const Figure high = layers_in(1200, 900);
  ASSERT_EQ(low.heatmaps.size(), 18U);
  ASSERT_EQ(high.heatmaps.size(), 18U);
  const auto lefts = [](const Figure& figure) {
    std::set<double> all;
    for (const HeatmapMark& mark : figure.heatmaps) all.insert(mark.box.x);
    return all.size();
  };
  EXPECT_EQ(lefts(high), 3U);     // one run, from top to bottom
  EXPECT_EQ(lefts(low) % 3, 0U);  // several
  EXPECT_GT(lefts(low), 3U);
  // Six maps above each other would have 28 pixels each at most.
  EXPECT_GT(low.heatmaps.front().box.width, 1.4 * (320 - 2 * 16 - 48 - 44) / 6 - 6);
  std::vector<Rect> boxes;
  for (const HeatmapMark& mark : low.heatmaps) {
    EXPECT_GE(mark.box.x, 0);
    EXPECT_LE(mark.box.right(), low.width);
    for (const Rect& other : boxes)
      EXPECT_EQ(mark.box.intersection(other).width * mark.box.intersection(other).height, 0) << mark.id;
    boxes.push_back(mark.box);
  }
  // Each run names its heads, and each row its layer, beside its own maps.
  std::size_t above = 0;
  std::size_t beside = 0;
  for (const TextMark& text : low.texts) {
    above += text.id.starts_with("head.") ? 1 : 0;
    beside += text.id.starts_with("layer.") ? 1 : 0;
  }
  EXPECT_EQ(above, lefts(low));
  EXPECT_EQ(beside, 6U);
}

TEST(ManyHeads, LiesWithinTheFigureAndApart) {
  const auto trace = weights_of({3000, 4, 4});
  for (const double height : {0.0, 600.0}) {
    const Figure figure = figure_of(*trace, "heads", {}, 900, height);
    std::vector<Rect> boxes;
    for (const HeatmapMark& mark : figure.heatmaps) {
      EXPECT_GE(mark.box.x, 0);
      EXPECT_LE(mark.box.right(), figure.width);
      EXPECT_LE(mark.box.bottom(), figure.height);
      EXPECT_GT(mark.box.width, 0);
      if (!boxes.empty() && boxes.back().y == mark.box.y) {
        EXPECT_GE(mark.box.x, boxes.back().right());
      }
      boxes.push_back(mark.box);
    }
  }
}

TEST(ManyHeads, LayersAndHeadsShareAPage) {
  // Forty-eight layers of sixty-four heads fit on one page; more do not.
  const Figure glance = figure_of(*weights_of({48, 64, 3, 3}), "heads", {}, 1200, 800);
  EXPECT_EQ(glance.heatmaps.size(), 48U * 64U);
  EXPECT_EQ(words(glance, "page"), "no page");
  const auto trace = weights_of({40, 130, 3, 3});
  const View& view = *find_view("heads");
  const Index pages = option_limit(view, *trace, "page", view_options({"heads", {}})->values);
  ASSERT_EQ(pages, 4);
  std::set<std::string> all;
  for (Index page = 1; page <= pages; ++page) {
    const Figure figure = figure_of(*trace, "heads", {{"page", page}});
    EXPECT_LE(std::ssize(figure.heatmaps), kMaxMaps);
    const std::set<std::string> ids = ids_of(figure);
    all.insert(ids.begin(), ids.end());
  }
  EXPECT_EQ(all.size(), 40U * 130U);
  EXPECT_EQ(words(figure_of(*trace, "heads", {{"page", Index{2}}}), "page"),
            "layers 1–32 of 40 · heads 129–130 of 130 · page 2 of 4");
}

TEST(ManyHeads, NoViewHasMoreMarksThanAFrameCanPaint) {
  std::vector<std::string> labels;
  for (int i = 0; i < 1000; ++i) labels.push_back("token" + std::to_string(i));
  const std::vector<std::shared_ptr<const Trace>> traces = {
      weights_of({100000, 4, 4}), queries_and_keys(30000), weights_of({48, 64, 4, 4}),
      weights_of({300, 20, 20}, labels), weights_of({2, 1000, 1000}, labels)};
  for (const auto& trace : traces) {
    for (const View& view : views()) {
      for (const double height : {0.0, 700.0}) {
        const Figure figure = figure_of(*trace, view.name, {}, 1000, height);
        EXPECT_LE(mark_count(figure), kMaxMarks) << view.name << " of " << trace->steps().front().axes.front().size;
        EXPECT_LE(std::ssize(figure.heatmaps), kMaxMaps) << view.name;
        std::size_t strands = 0;
        for (const StrandsMark& mark : figure.strands) strands += mark.strands.size();
        EXPECT_LE(strands, 140000U) << view.name;
      }
    }
  }
}

TEST(ManyHeads, QueriesAndKeysHavePages) {
  const auto trace = queries_and_keys(300);
  const Figure second = figure_of(*trace, "qkv", {{"page", Index{2}}});
  EXPECT_EQ(words(second, "page"), "heads 129–256 of 300 · page 2 of 3");
  EXPECT_EQ(second.heatmaps.size(), 128U * 3U);
  EXPECT_EQ(second.heatmaps.front().id, "q.128");
  EXPECT_EQ(words(second, "head.128"), "head 129");
}

TEST(ManyHeads, TheTableOfMeasuresHasPages) {
  const auto trace = weights_of({250, 4, 4});
  const Figure last = figure_of(*trace, "metrics", {{"page", Index{3}}});
  EXPECT_EQ(words(last, "page"), "rows 201–250 of 250 · page 3 of 3");
  EXPECT_EQ(words(last, "head.249.name"), "head 250");
  EXPECT_EQ(words(last, "head.199.name"), "no head.199.name");
  // Extreme sizes are left to the command line.
  EXPECT_NE(missing_for(*find_view("metrics"), *weights_of({100000, 4, 4})), "");
}

TEST(ManyHeads, ABuildThatIsToldToStopDoesSo) {
  const auto trace = weights_of({100000, 4, 4});
  StopSource stop;
  stop.request_stop();
  for (const View& view : views()) {
    ViewOptions options = *view_options({view.name, {}});
    options.stop = stop.token();
    const Figure figure = build_view(view.name, *trace, options);
    // A row of the grid, or text that does not depend on the number of heads.
    EXPECT_LE(std::ssize(figure.heatmaps), 128) << view.name;
  }
}

/// A canvas that counts calls.
class CountingCanvas final : public Canvas {
 public:
  void heatmap(const HeatmapMark& /*mark*/, const Rect& /*box*/, double /*gap*/) override { ++calls; }
  void gradient(ColorMap /*map*/, const Rect& /*box*/) override { ++calls; }
  void fill(const Rect& /*box*/, Rgb /*color*/, double /*opacity*/) override { ++calls; }
  void outline(const Rect& /*box*/, Rgb /*color*/, double /*width*/, double /*radius*/) override { ++calls; }
  void line(Point /*from*/, Point /*to*/, Rgb /*color*/, double /*width*/, bool /*dashed*/) override { ++calls; }
  void curve(std::span<const Point> /*points*/, Rgb /*color*/, double /*opacity*/, double /*width*/,
             bool /*dashed*/) override {
    ++calls;
  }
  void triangle(Point /*a*/, Point /*b*/, Point /*c*/, Rgb /*color*/) override { ++calls; }
  void text(const PlacedText& /*text*/) override { ++calls; }

  int calls = 0;
};

TEST(ManyHeads, WhatIsOutOfSightIsNotPainted) {
  std::vector<std::string> labels;
  for (int i = 0; i < 1000; ++i) labels.push_back("token" + std::to_string(i));
  const Figure figure = figure_of(*weights_of({60, 1000, 1000}, labels), "heads", {}, 1000, 700);
  ASSERT_EQ(figure.heatmaps.size(), 60U);
  ASSERT_EQ(figure.heatmaps[0].row_labels.size(), 1000U);
  // Zoomed in until each of 120,000 labels would fit.
  const Rect visible = {0, 0, 1000, 700};
  const HeatmapMark& mark = figure.heatmaps[30];
  FigureTransform transform;
  transform.scale = 12 * 1000 / mark.box.width;
  const Point center = mark.box.center();
  transform.offset = {500 - center.x * transform.scale, 350 - center.y * transform.scale};
  CountingCanvas canvas;
  paint(figure, palette(Theme::dark), transform, visible, canvas);
  EXPECT_LE(canvas.calls, 1000);
}

TEST(Labels, AreSharedAndMeasuredOnce) {
  const auto trace = weights_of({8, 3, 3}, {"a", "a longer one", "b"});
  const Figure figure = figure_of(*trace, "heads");
  const Labels& first = figure.heatmaps.front().row_labels;
  EXPECT_EQ(&first.texts(), &figure.heatmaps.back().row_labels.texts());
  EXPECT_EQ(&first.texts(), &Figure(figure).heatmaps.back().row_labels.texts());
  EXPECT_DOUBLE_EQ(first.widest(13), text_width("a longer one", 13));
  EXPECT_FALSE(first.are_counted());
  EXPECT_TRUE(Labels({"1", "2", "3"}).are_counted());
  EXPECT_FALSE(Labels().are_counted());
  EXPECT_TRUE(Labels(std::vector<std::string>()).empty());
}

TEST(Labels, AsLongAsABookAreShortened) {
  const auto trace = weights_of({4, 3, 3}, {std::string(1000000, 'm'), "b", "c"});
  for (const View& view : views()) {
    const Figure figure = figure_of(*trace, view.name, {}, 800, 600);
    EXPECT_LT(figure.width, 4000) << view.name;
    EXPECT_LT(describe(figure).size(), 200000U) << view.name;
  }
}

TEST(Page, HasAsManyAsAreLeft) {
  EXPECT_EQ(page_of(10, 4, 3).first, 8);
  EXPECT_EQ(page_of(10, 4, 3).count, 2);
  EXPECT_EQ(page_of(10, 4, 9).number, 3);
  EXPECT_EQ(page_of(8, 4, 1).pages, 2);
  EXPECT_EQ(page_of(0, 4, 1).pages, 1);
  EXPECT_EQ(page_of(0, 4, 1).count, 0);
  EXPECT_EQ(page_of(4, 4, 1).text("heads"), "");
  EXPECT_EQ(page_of(10, 4, 2).text("rows"), "rows 5–8 of 10 · page 2 of 3");
}

}  // namespace
}  // namespace attnscope::test
