#include "core/heads/head_measures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/stop.h"
#include "core/trace/run.h"
#include "measured_head.h"

namespace attnscope::test {
namespace {

std::shared_ptr<const Trace> trace_of(const std::string& system,
                                      const std::vector<std::pair<std::string, Index>>& set) {
  Experiment experiment = *default_experiment(system);
  for (const auto& [name, value] : set) EXPECT_TRUE(set_parameter(experiment, name, value));
  return *run(experiment);
}

TEST(HeadMeasures, AreThoseOfEachHead) {
  const std::shared_ptr<const Trace> trace = trace_of("stacked-multihead", {{"batch", 2}, {"tokens", 5}});
  const std::vector<int> steps = attention_steps_of(*trace);
  ASSERT_EQ(steps.size(), 1U);
  const Step& step = trace->steps()[static_cast<std::size_t>(steps.front())];
  const std::optional<HeadMeasures> measured = measure_heads(*trace, steps.front(), 1);
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->tensor, "weights");
  EXPECT_EQ(measured->queries, 5);
  EXPECT_EQ(measured->keys, 5);
  ASSERT_EQ(measured->heads.size(), 4U);
  for (Index head = 0; head < 4; ++head) {
    const std::vector<Index> leading = {1, head};
    const HeadPattern pattern = head_pattern(*trace, step, leading, step.tensor->matrix(leading));
    const MeasureRow expected = measure_head(pattern);
    for (std::size_t i = 0; i < measures().size(); ++i)
      EXPECT_EQ(measured->heads[static_cast<std::size_t>(head)][i], expected[i]) << measures()[i].name;
    for (Index other = 0; other < 4; ++other) {
      const std::vector<Index> of_other = {1, other};
      const double distance = head_distance(pattern.weights, step.tensor->matrix(of_other));
      EXPECT_NEAR(measured->distances[static_cast<std::size_t>(head)][static_cast<std::size_t>(other)], distance,
                  1e-12);
    }
  }
  EXPECT_NEAR(*measured->uniform.front(), std::log(5), 1e-7);
}

TEST(HeadMeasures, OfWeightsThatAreNotHeldAreTheSame) {
  const std::shared_ptr<const Trace> held = trace_of("stacked-multihead", {{"tokens", 70}});
  const int step = attention_steps_of(*held).front();
  // Like a large experiment: nothing computed from the scores is in memory.
  std::vector<StepResult> results;
  const auto scores = static_cast<std::size_t>(held->find("scores") - held->steps().data());
  for (std::size_t i = 0; i < held->steps().size(); ++i)
    results.push_back(i < scores ? StepResult{held->steps()[i].tensor, 0} : StepResult{});
  const Trace lazy(held->experiment(), held->plan(), std::move(results), 0);
  ASSERT_EQ(lazy.steps()[static_cast<std::size_t>(step)].tensor, nullptr);
  const auto a = measure_heads(*held, step, 0);
  const auto b = measure_heads(lazy, step, 0);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->heads, b->heads);
  EXPECT_EQ(a->distances, b->distances);
}

TEST(HeadMeasures, EndWhenStopped) {
  const std::shared_ptr<const Trace> trace = trace_of("stacked-multihead", {});
  StopSource source;
  source.request_stop();
  EXPECT_EQ(measure_heads(*trace, attention_steps_of(*trace).front(), 0, source.token()), std::nullopt);
}

TEST(HeadMeasures, GoOnWhereTheyWerePaused) {
  const std::shared_ptr<const Trace> trace = trace_of("stacked-multihead", {{"tokens", 70}});
  const int step = attention_steps_of(*trace).front();
  const auto whole = measure_heads(*trace, step, 0);
  StopSource pause;
  pause.request_stop();
  MeasuredSoFar so_far;
  Measuring measuring;
  measuring.pause = pause.token();
  measuring.so_far = &so_far;
  int calls = 0;
  double share = 0;
  std::optional<HeadMeasures> measured;
  for (; !measured; ++calls) {
    measured = measure_heads(*trace, step, measuring);
    EXPECT_GE(so_far.share(), share);
    share = so_far.share();
  }
  EXPECT_GT(calls, 4);
  EXPECT_EQ(share, 1);
  EXPECT_EQ(measured->heads, whole->heads);
  EXPECT_EQ(measured->received, whole->received);
  EXPECT_EQ(measured->uniform, whole->uniform);
  EXPECT_EQ(measured->distances, whole->distances);
}

TEST(HeadMeasures, NearHeadsStandTogether) {
  // Two groups, shuffled: 0, 2, 4 and 1, 3.
  std::vector<std::vector<double>> distances(5, std::vector<double>(5, 0));
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      if (i == j) continue;
      const double within = 0.1 * static_cast<double>(i > j ? i - j : j - i);
      distances[i][j] = i % 2 == j % 2 ? within : 5 + within;
    }
  }
  const std::vector<Index> order = similarity_order(distances);
  ASSERT_EQ(order.size(), 5U);
  const auto changes = [&] {
    int count = 0;
    for (std::size_t i = 1; i < order.size(); ++i) count += order[i] % 2 != order[i - 1] % 2 ? 1 : 0;
    return count;
  }();
  EXPECT_EQ(changes, 1) << "the groups are not apart";
  // In the larger group, the middle head is between its neighbours.
  const auto at = [&](Index head) { return std::find(order.begin(), order.end(), head) - order.begin(); };
  EXPECT_EQ(at(0) + at(4), 2 * at(2));
}

TEST(HeadMeasures, OneHeadOrNoneIsAnOrderToo) {
  EXPECT_EQ(similarity_order({}), std::vector<Index>());
  EXPECT_EQ(similarity_order({{0}}), std::vector<Index>{0});
}

}  // namespace
}  // namespace attnscope::test
