// Unreadable numbers: always an error, never a number.
#include "core/base/read_failure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/stop.h"
#include "core/explain/explain.h"
#include "core/heads/head_measures.h"
#include "core/imported/imported_layers.h"
#include "core/trace/lazy_matrix.h"
#include "core/trace/run.h"
#include "support/imported_tensors.h"

namespace attnscope::test {
namespace {

constexpr double kSmallBudget = 100e6;
const std::string kChanged = "made.npz: the file has changed";

std::shared_ptr<const Trace> trace_of_file(const std::shared_ptr<MadeTensors>& tensors) {
  const Result<std::shared_ptr<const Trace>> trace = Executor(kSmallBudget).run(*experiment_on(tensors));
  EXPECT_TRUE(trace) << trace.error().message;
  return *trace;
}

/// Scores too large for memory: they are read on demand.
std::shared_ptr<MadeTensors> large_scores() { return made({{"scores", {4, 4096, 2048}}}); }

bool is_no_number(const Tensor& tensor) {
  return std::all_of(tensor.values().begin(), tensor.values().end(), [](float each) { return std::isnan(each); });
}

TEST(ReadFailure, KeepsTheFirstMessage) {
  ReadFailure failure;
  EXPECT_FALSE(failure.any());
  EXPECT_EQ(failure.message(), std::nullopt);
  failure.note("first");
  failure.note("second");
  EXPECT_TRUE(failure.any());
  EXPECT_EQ(failure.count(), 2U);
  EXPECT_EQ(failure.message(), "first");
}

TEST(ReadFailure, EndsTheRunThatNeedsTheNumbers) {
  const auto tensors = made({{"q", {2, 4, 3}}, {"k", {2, 4, 3}}, {"v", {2, 4, 3}}});
  const Experiment experiment = *experiment_on(tensors);
  Executor runner;
  tensors->broken = true;
  const auto failed = runner.run(experiment);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, kChanged);
  // The failure does not affect the next read.
  tensors->broken = false;
  const auto trace = runner.run(experiment);
  ASSERT_TRUE(trace);
  EXPECT_EQ((*trace)->tensor("q").values()[1], tensors->value(0, {0, 0, 1}));
  EXPECT_EQ((*trace)->failure(), std::nullopt);
}

TEST(ReadFailure, EndsARunThatOnlyLooksAtSomeRows) {
  const auto tensors = made({{"attn", {4, 4096, 2048}}});
  tensors->broken = true;
  const auto failed = Executor(kSmallBudget).run(*experiment_on(tensors));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, kChanged);
}

TEST(ReadFailure, IsNoNumberWhereTensorsAreNotHeld) {
  const auto tensors = large_scores();
  const std::shared_ptr<const Trace> trace = trace_of_file(tensors);
  for (int step = 0; step < 2; ++step) {
    const Region row =
        region_within(step, trace->steps()[static_cast<std::size_t>(step)].axes, std::vector<Index>{1, 7});
    tensors->broken = true;
    ReadFailure failure;
    EXPECT_TRUE(is_no_number(*trace->numbers(row, {0, nullptr, {}, &failure}))) << step;
    EXPECT_EQ(failure.message(), kChanged);
    EXPECT_EQ(trace->failure(), kChanged);
    EXPECT_TRUE(std::isnan(trace->value(step, std::vector<Index>{1, 7, 9})));
    EXPECT_TRUE(std::isnan(explain(*trace, step, std::vector<Index>{1, 7, 9}).value));
    // Statistics of the row from the failed read, such as its maximum, are forgotten.
    tensors->broken = false;
    const auto numbers = trace->numbers(row);
    EXPECT_TRUE(std::all_of(numbers->values().begin(), numbers->values().end(), [](float each) {
      return std::isfinite(each);
    })) << step;
  }
}

TEST(ReadFailure, OfAPartOfAMatrixIsToldAndTriedAgain) {
  const auto tensors = large_scores();
  const std::shared_ptr<const Trace> trace = trace_of_file(tensors);
  for (int step = 0; step < 2; ++step) {
    const LazyMatrix matrix(trace->lazy(), MatrixPlace{step, {1}}, false);
    const MatrixPart tile = {0, 0, 64, 0, 32, 32};
    std::vector<float> texels(32 * 32);
    tensors->broken = true;
    EXPECT_TRUE(matrix.needs_sketch());
    EXPECT_FALSE(LazyMatrix(trace->lazy(), MatrixPlace{step, {2}}, false).sketch({}));
    EXPECT_FALSE(matrix.read(tile, texels, {}));
    EXPECT_EQ(matrix.failure(), kChanged);
    EXPECT_FALSE(matrix.needs_sketch()) << "it would be tried without end";
    EXPECT_FALSE(matrix.coarse(tile, texels));
    const MatrixPart all = overview_part(matrix, 256);
    std::vector<float> overview(static_cast<std::size_t>(all.rows * all.columns));
    EXPECT_FALSE(matrix.read(all, overview, {}));
    EXPECT_EQ(matrix.progress(), 1) << "nothing more comes";
    EXPECT_TRUE(matrix.some_rows(0).empty());
    tensors->broken = false;
    EXPECT_TRUE(matrix.read(tile, texels, {}));
    EXPECT_TRUE(std::all_of(texels.begin(), texels.end(), [](float each) { return std::isfinite(each); }));
  }
}

TEST(ReadFailure, EndsMeasuring) {
  const auto tensors = large_scores();
  const std::shared_ptr<const Trace> trace = trace_of_file(tensors);
  tensors->broken = true;
  EXPECT_EQ(measure_heads(*trace, attention_steps_of(*trace).front(), 0), std::nullopt);
  EXPECT_EQ(trace->failure(), kChanged);
}

TEST(ReadFailure, IsNotThatReadingWasStopped) {
  const auto tensors = large_scores();
  const std::shared_ptr<const Trace> trace = trace_of_file(tensors);
  StopSource source;
  source.request_stop();
  tensors->broken = true;
  const Region row = region_within(0, trace->steps()[0].axes, std::vector<Index>{1, 7});
  (void)trace->numbers(row, {0, nullptr, source.token()});
  EXPECT_EQ(trace->failure(), std::nullopt);
}

}  // namespace
}  // namespace attnscope::test
