#include "app/jobs/figure_builder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <semaphore>
#include <thread>

#include "core/imported/imported_layers.h"
#include "core/trace/run.h"
#include "support/imported_tensors.h"

namespace attnscope {
namespace {

FigureRequest request_of(double width, const std::string& view = "heads") {
  static const std::shared_ptr<const Trace> trace = *run(*default_experiment("worked-example"));
  return {trace, 1, {view, {}}, width, 500};
}

TEST(FigureBuilder, BuildsWhatIsBuiltOtherwise) {
  std::binary_semaphore ready(0);
  FigureBuilder builder([&] { ready.release(); });
  EXPECT_FALSE(builder.take());
  builder.request(request_of(700));
  ready.acquire();
  const std::optional<BuiltFigure> built = builder.take();
  ASSERT_TRUE(built);
  EXPECT_EQ(built->request, request_of(700));
  EXPECT_EQ(describe(built->figure), describe(build(request_of(700))));
  EXPECT_FALSE(builder.take()) << "it is there once";
  EXPECT_FALSE(builder.busy());
}

TEST(FigureBuilder, TheNewestRequestWins) {
  std::counting_semaphore<10> ready(0);
  std::counting_semaphore<10> go_on(0);
  FigureBuilder builder([&] {
    ready.release();
    go_on.acquire();
  });
  builder.request(request_of(700));
  ready.acquire();
  // Held in its callback: of these only the last is built.
  for (const double width : {710.0, 720.0, 730.0}) builder.request(request_of(width));
  go_on.release();
  ready.acquire();
  const std::optional<BuiltFigure> built = builder.take();
  ASSERT_TRUE(built);
  EXPECT_EQ(built->request.width, 730);
  go_on.release(8);
}

TEST(FigureBuilder, WhatIsCancelledIsNotDelivered) {
  std::counting_semaphore<10> ready(0);
  FigureBuilder builder([&] { ready.release(); });
  builder.request(request_of(700));
  ready.acquire();
  builder.cancel();
  EXPECT_FALSE(builder.take());
}

TEST(FigureBuilder, WaitsForAPictureThatIsSoonThere) {
  FigureBuilder builder([] {});
  EXPECT_TRUE(builder.wait(std::chrono::seconds(0))) << "nothing is wanted";
  builder.request(request_of(700));
  ASSERT_TRUE(builder.wait(std::chrono::seconds(60)));
  EXPECT_TRUE(builder.take());
}

/// Measures that take seconds, if nobody stops them.
FigureRequest long_request(double width) {
  static const std::shared_ptr<const Trace> trace = *run(*experiment_on(test::made({{"attentions", {400, 48, 48}}})));
  return {trace, 2, {"metrics", {}}, width, 500};
}

/// The measures of all layers.
FigureRequest layers_request() {
  static const std::shared_ptr<const Trace> trace = *run(*default_experiment("hand-made-heads"));
  return {trace, 3, {"metrics", {{"layers", std::string("all")}}}, 700, 500};
}

TEST(FigureBuilder, WhatHasNotEnoughMemorySaysSo) {
  const auto tensors = test::made({{"attentions", {2, 48, 48}}});
  const std::shared_ptr<const Trace> trace = *Executor(0).run(*experiment_on(tensors));
  tensors->too_large = true;
  FigureBuilder builder([] {});
  builder.request({trace, 4, {"metrics", {}}, 700, 500});
  ASSERT_TRUE(builder.wait(std::chrono::seconds(60)));
  const std::optional<BuiltFigure> built = builder.take();
  ASSERT_TRUE(built);
  EXPECT_TRUE(built->figure.only_says_why);
  EXPECT_NE(describe(built->figure).find("not enough memory"), std::string::npos);
  tensors->too_large = false;
  builder.request({trace, 4, {"metrics", {}}, 710, 500});
  ASSERT_TRUE(builder.wait(std::chrono::seconds(60)));
  EXPECT_FALSE(builder.take()->figure.only_says_why);
}

TEST(FigureBuilder, AnotherViewStopsWhatIsBuilt) {
  std::atomic<int> ended = 0;
  FigureBuilder builder([&] { ++ended; });
  builder.request(long_request(700));
  while (!builder.busy()) std::this_thread::yield();
  // Let it begin.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  builder.request(request_of(700, "lines"));
  ASSERT_TRUE(builder.wait(std::chrono::seconds(120)));
  const std::optional<BuiltFigure> built = builder.take();
  ASSERT_TRUE(built);
  EXPECT_EQ(built->request.view.name, "lines");
  EXPECT_FALSE(builder.take());
}

TEST(FigureBuilder, WhatHasHadItsTimeMakesWay) {
  FigureBuilder builder([] {});
  builder.request(long_request(700));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  // The one that is under way is let go on at first; then it is stopped, without anybody asking again.
  builder.request(long_request(720));
  const auto start = std::chrono::steady_clock::now();
  while (builder.busy() && std::chrono::steady_clock::now() - start < std::chrono::milliseconds(700)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const std::optional<BuiltFigure> built = builder.take();
  EXPECT_TRUE(!built || built->request.width == 720 || built->seconds < 0.7);
}

TEST(FigureBuilder, GoesOnInTheNextStepWhereEachIsShort) {
  std::atomic<int> calls = 0;
  FigureBuilder builder([&] { ++calls; }, std::chrono::microseconds(1));
  for (const FigureRequest& request : {request_of(700, "metrics"), layers_request()}) {
    calls = 0;
    builder.request(request);
    ASSERT_TRUE(builder.wait(std::chrono::seconds(60)));
    const std::optional<BuiltFigure> built = builder.take();
    ASSERT_TRUE(built);
    EXPECT_EQ(describe(built->figure), describe(build(request)));
    // The last call comes after the figure that it is about.
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (calls < 2 && std::chrono::steady_clock::now() < last) std::this_thread::yield();
    EXPECT_GT(calls, 1) << "it says how far it is";
    EXPECT_EQ(builder.progress(), 0);
  }
  // Another one takes the place of what is paused.
  builder.request(long_request(700));
  while (builder.busy() && builder.progress() == 0) std::this_thread::yield();
  builder.request(request_of(700, "lines"));
  ASSERT_TRUE(builder.wait(std::chrono::seconds(120)));
  EXPECT_EQ(builder.take()->request.view.name, "lines");
}

TEST(FigureBuilder, MeasuresAreThoseOfTheWeightMatricesToo) {
  // What a head copies depends on an output projection that its weights of attention do not know.
  Executor runner;
  Experiment experiment = *default_experiment("worked-example");
  FigureRequest request = {*runner.run(experiment), 1, {"metrics", {}}, 900, 500};
  FigureBuilder builder([] {});
  builder.request(request);
  ASSERT_TRUE(builder.wait(std::chrono::seconds(60)));
  const std::string before = describe(builder.take()->figure);
  experiment.edits = {{"w_out", {0, 0}, 25.0F}};
  request.trace = *runner.run(experiment);
  request.trace_number = 2;
  builder.request(request);
  ASSERT_TRUE(builder.wait(std::chrono::seconds(60)));
  const std::string after = describe(builder.take()->figure);
  EXPECT_EQ(after, describe(build(request)));
  EXPECT_NE(after, before);
}

TEST(FigureBuilder, AFileIsAsTheCommandLineHasIt) {
  FigureRequest request = request_of(0);
  request.height = 0;
  request.file = FigureFileOptions{};
  const Figure figure = build(request);
  const LayoutSize size = layout_size({});
  EXPECT_EQ(figure.width, size.width);
  FigureRequest sized = request_of(size.width);
  sized.height = size.height;
  EXPECT_EQ(describe(figure), describe(build(sized)));
}

TEST(FigureBuilder, APageThatIsNotThereIsSaid) {
  const std::shared_ptr<const Trace> trace = long_request(0).trace;
  const Result<ViewOptions> options = view_options({"metrics", {{"page", Index{5}}}});
  ASSERT_TRUE(options);
  const Result<void> checked = check_view(*trace, "metrics", *options);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message, "view option page: 5 is not allowed; the view has 1 to 4");
  EXPECT_TRUE(check_view(*trace, "metrics", *view_options({"metrics", {{"page", Index{4}}}})));
}

TEST(FigureBuilder, EndsWithWorkWaiting) {
  FigureBuilder builder([] {});
  for (int i = 0; i < 20; ++i) builder.request(request_of(700 + i));
}

}  // namespace
}  // namespace attnscope
