// A view in one file: it is listed, has its options, builds a figure and is exported.
#include "figure/views/view.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/trace/run.h"
#include "io/figures/figure_file.h"

namespace attnscope {
namespace {

Figure build(const Trace& trace, const ViewOptions& options) {
  Figure figure;
  figure.width = figure.height = options.width;
  figure.title = "dummy";
  figure.texts.push_back(title_mark("title", {16, 30}, std::to_string(trace.steps().size()) + " steps"));
  figure.bars.push_back({"bar", {16, 60, static_cast<double>(options.integer("length")), 8}, Shade::of(Ink::accent)});
  return figure;
}

}  // namespace

View dummy_view() {
  return {"dummy",
          "Dummy",
          "How many steps the trace has.",
          {integer_parameter("length", "Length", "How long the bar is.", 40, 1, 100)},
          nullptr,
          build};
}

namespace test {
namespace {

TEST(DummyView, IsListedWithItsOptions) {
  ASSERT_NE(find_view("dummy"), nullptr);
  EXPECT_EQ(find_view("dummy"), &views().back());
  EXPECT_EQ(views().front().name, "flow") << "after those that were there before";
  const Result<ViewOptions> options = view_options({"dummy", {{"length", Index{7}}}});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->integer("length"), 7);
  EXPECT_EQ(view_options({"dummy", {{"width", Index{7}}}}).error().message,
            "view option \"width\" is unknown to dummy; allowed: length");
}

TEST(DummyView, IsBuiltAndExported) {
  Experiment experiment = *default_experiment("worked-example");
  experiment.view = {"dummy", {{"length", Index{7}}}};
  const std::shared_ptr<const Trace> trace = *run(experiment);
  const Figure figure = build_view("dummy", *trace, *view_options(experiment.view));
  ASSERT_EQ(figure.bars.size(), 1U);
  EXPECT_EQ(figure.bars.front().box.width, 7);
  const ExperimentSource source = {experiment, std::nullopt, true};
  const Result<std::string> svg = figure_bytes(figure, FigureFormat::svg, {}, &source);
  ASSERT_TRUE(svg) << svg.error().message;
  EXPECT_NE(svg->find(std::to_string(trace->steps().size()) + " steps"), std::string::npos);
  EXPECT_NE(svg->find("view dummy"), std::string::npos) << "in the caption";
}

}  // namespace
}  // namespace test
}  // namespace attnscope
