// Measures over all items of a batch: means and standard deviations.
#include "core/heads/item_measures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "imported_trace.h"

namespace attnscope::test {
namespace {

/// Weights [batch, head, query, key] whose rows sum to 1, other ones in each item.
std::shared_ptr<MadeTensors> batch_of_weights(Index items) {
  auto tensors = made({{"batch_attn", {items, 2, 3, 3}}});
  for (Index row = 0; row < items * 6; ++row) {
    const float first = static_cast<float>(1 + row % 7) / 10;
    tensors->instead[{0, 3 * row}] = first;
    tensors->instead[{0, 3 * row + 1}] = 1 - first;
    tensors->instead[{0, 3 * row + 2}] = 0;
  }
  return tensors;
}

TEST(ItemMeasures, AreMeansWithTheirStandardDeviations) {
  const auto trace = trace_on(batch_of_weights(4));
  const auto all = measure_items(*trace, 0, {});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->items, 4);
  std::vector<HeadMeasures> each;
  for (Index item = 0; item < 4; ++item) each.push_back(*measure_heads(*trace, 0, item));
  for (std::size_t head = 0; head < 2; ++head) {
    for (std::size_t measure = 0; measure < measures().size(); ++measure) {
      if (!each[0].heads[head][measure]) {
        EXPECT_FALSE(all->mean.heads[head][measure]) << measures()[measure].name;
        continue;
      }
      double sum = 0;
      for (const HeadMeasures& item : each) sum += *item.heads[head][measure];
      double squares = 0;
      for (const HeadMeasures& item : each) squares += std::pow(*item.heads[head][measure] - sum / 4, 2);
      EXPECT_NEAR(*all->mean.heads[head][measure], sum / 4, 1e-12) << measures()[measure].name;
      EXPECT_NEAR(*all->spread[head][measure], std::sqrt(squares / 3), 1e-12) << measures()[measure].name;
    }
  }
  double distance = 0;
  double received = 0;
  for (const HeadMeasures& item : each) distance += item.distances[0][1], received += item.received[1][0];
  EXPECT_NEAR(all->mean.distances[0][1], distance / 4, 1e-12);
  EXPECT_NEAR(all->mean.received[1][0], received / 4, 1e-12);
  EXPECT_EQ(all->mean.queries, 3);
}

TEST(ItemMeasures, OfOneItemHaveNoSpread) {
  const auto trace = trace_on(made({{"attn", {2, 3, 3}}}));
  const auto all = measure_items(*trace, 0, {});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->items, 1);
  EXPECT_EQ(all->mean.heads, measure_heads(*trace, 0, 0)->heads);
  for (const std::optional<double>& spread : all->spread.front()) EXPECT_FALSE(spread);
}

TEST(ItemMeasures, SayThatTheMasksOfItemsDiffer) {
  auto tensors = batch_of_weights(2);
  // Padding, which is in both items by now, only in one.
  tensors->instead[{0, 2}] = 0.5F;
  const auto all = measure_items(*trace_on(tensors), 0, {});
  EXPECT_EQ(all->mean.mask, "masks that differ between the batch items");
  EXPECT_EQ(measure_items(*trace_on(batch_of_weights(2)), 0, {})->mean.mask,
            "1 padding token, judging by weights of 0; queries that are padding are left out");
}

TEST(ItemMeasures, AreNoneIfStopped) {
  const auto tensors = batch_of_weights(2);
  const auto trace = trace_on(tensors);
  EXPECT_TRUE(measure_items(*trace, 0, {}));
  StopSource source;
  source.request_stop();
  EXPECT_FALSE(measure_items(*trace, 0, {.stop = source.token()}));
}

}  // namespace
}  // namespace attnscope::test
