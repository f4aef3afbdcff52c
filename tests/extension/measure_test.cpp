// A measure of heads in one file: it is computed for every head, and the view Metrics has a column for it.
#include "core/heads/measure.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/heads/head_measures.h"
#include "core/trace/run.h"
#include "figure/views/view.h"

namespace attnscope {

Measure dummy_measure() {
  return {"last_token", "last token", "Mean of A[q,n−1], where n is the number of keys.", "",
          [](const AttentionRow& row, MeasureSum& sum) {
            if (row.weights.empty()) return;
            sum.sum += static_cast<double>(row.weights.back());
            ++sum.count;
          }};
}

namespace test {
namespace {

TEST(DummyMeasure, IsComputedForEveryHead) {
  ASSERT_EQ(measures().back().name, "last_token");
  const std::shared_ptr<const Trace> trace = *run(*default_experiment("worked-example"));
  const Step& step = *trace->find("weights");
  const HeadMeasures measured = *measure_heads(*trace, static_cast<int>(&step - trace->steps().data()), 0);
  const Tensor& weights = *step.tensor;
  for (Index head = 0; head < std::ssize(measured.heads); ++head) {
    const std::vector<Index> leading = {head};
    const MatrixView matrix = weights.matrix(leading);
    double sum = 0;
    for (Index query = 0; query < matrix.rows; ++query)
      sum += static_cast<double>(matrix.at(query, matrix.columns - 1));
    EXPECT_NEAR(*measured.heads[static_cast<std::size_t>(head)].back(), sum / static_cast<double>(matrix.rows), 1e-12);
  }
  EXPECT_NEAR(*measured.uniform.back(), 1 / static_cast<double>(measured.keys), 1e-7);
}

TEST(DummyMeasure, HasAColumnInTheViewMetrics) {
  const std::shared_ptr<const Trace> trace = *run(*default_experiment("worked-example"));
  const Result<ViewOptions> sorted = view_options({"metrics", {{"sort", std::string("last_token")}}});
  ASSERT_TRUE(sorted) << sorted.error().message;
  const Figure figure = build_view("metrics", *trace, *sorted);
  const auto has_text = [&](const std::string& id) {
    return std::ranges::any_of(figure.texts, [&](const TextMark& mark) { return mark.id == id; });
  };
  EXPECT_TRUE(has_text("header.last_token"));
  EXPECT_TRUE(has_text("head.0.last_token"));
}

}  // namespace
}  // namespace test
}  // namespace attnscope
