#include "app/figure_builder.h"

#include <gtest/gtest.h>

#include <semaphore>

#include "core/run.h"

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

TEST(FigureBuilder, EndsWithWorkWaiting) {
  FigureBuilder builder([] {});
  for (int i = 0; i < 20; ++i) builder.request(request_of(700 + i));
}

}  // namespace
}  // namespace attnscope
