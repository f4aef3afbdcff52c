// Positional encodings: their values, and their effect on the order of tokens.
#include <gtest/gtest.h>

#include <cmath>

#include "core/experiment/order.h"
#include "core/experiment/system.h"
#include "core/operations/draw.h"
#include "core/studies/permutation.h"
#include "core/trace/lazy_tensors.h"
#include "core/trace/run.h"
#include "system_variations.h"

namespace attnscope::test {
namespace {

const std::vector<std::string> kKinds = {"none", "sinusoidal", "learned", "rotary", "alibi"};

std::shared_ptr<const Trace> positioned(const std::string& kind, const char* system = "worked-example") {
  return *run(set(*default_experiment(system), "positions", kind.c_str()));
}

TEST(Positions, OtherDrawsAreAsWithout) {
  for (const char* system : {"worked-example", "stacked-multihead"}) {
    const auto without = positioned("none", system);
    for (const std::string& kind : kKinds) {
      const auto with = positioned(kind, system);
      for (const Step& step : without->steps()) {
        if (!is<DrawOperation>(step.operation)) continue;
        const auto numbers = with->find(step.name)->tensor->values();
        EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), step.tensor->values().begin())) << kind << step.name;
      }
      if (kind == "none") continue;
      EXPECT_GT(with->steps().size(), without->steps().size()) << kind;
      const auto out = with->find("out")->tensor->values();
      EXPECT_FALSE(std::equal(out.begin(), out.end(), without->find("out")->tensor->values().begin())) << kind;
    }
  }
}

TEST(Positions, SinesAndCosinesAreThoseOfThePaper) {
  const auto trace = positioned("sinusoidal");
  const Tensor& positions = *trace->find("positions")->tensor;
  // d = 9: sin(2 / 10000^0), cos of the same, then sin(2 / 10000^(2/9)).
  EXPECT_FLOAT_EQ(positions.at(std::vector<Index>{2, 0}), 0.9092974F);
  EXPECT_FLOAT_EQ(positions.at(std::vector<Index>{2, 1}), -0.4161468F);
  EXPECT_FLOAT_EQ(positions.at(std::vector<Index>{2, 2}), 0.2554469F);
  EXPECT_FLOAT_EQ(positions.at(std::vector<Index>{0, 8}), 0.0F);
  EXPECT_FLOAT_EQ(positions.at(std::vector<Index>{0, 7}), 1.0F);
}

TEST(Positions, TurningKeepsLengthsAndMakesScoresDependOnTheDistance) {
  const auto trace = positioned("rotary");
  for (const char* name : {"q", "k"}) {
    const Tensor& before = *trace->find(name)->tensor;
    const Tensor& after = *trace->find(std::string("rotated_") + name)->tensor;
    for (Index row = 0; row < 4 * 6; ++row) {
      double length = 0;
      double turned = 0;
      for (Index i = 0; i < 7; ++i) {
        length += std::pow(static_cast<double>(before.values()[static_cast<std::size_t>(row * 7 + i)]), 2);
        turned += std::pow(static_cast<double>(after.values()[static_cast<std::size_t>(row * 7 + i)]), 2);
      }
      EXPECT_NEAR(turned, length, 1e-5 * length) << name << " " << row;
      EXPECT_EQ(after.values()[static_cast<std::size_t>(row * 7 + 6)],
                before.values()[static_cast<std::size_t>(row * 7 + 6)])
          << "the last of seven has no partner";
    }
  }
  // With equal tokens, a score depends only on the distance.
  auto same = std::make_shared<Tensor>(trace->find("x")->axes);
  for (Index i = 0; i < same->count(); ++i)
    same->values()[static_cast<std::size_t>(i)] = 0.1F * static_cast<float>(i % 9 + 1);
  const auto uniform = *run(trace->experiment(), {}, {{"x", same}});
  const MatrixView scores = uniform->tensor("scores").matrix(std::vector<Index>{1});
  for (Index i = 1; i < 6; ++i) {
    for (Index j = 1; j < 6; ++j) EXPECT_NEAR(scores.at(i, j), scores.at(i - 1, j - 1), 1e-4F * scores.at(i, j));
  }
  EXPECT_GT(std::abs(scores.at(0, 5) - scores.at(0, 0)), 1e-3F);
}

TEST(Positions, AlibiTakesOffTheDistanceTimesTheSlopeOfTheHead) {
  const auto trace = positioned("alibi");
  const Tensor& scores = *trace->find("scores")->tensor;
  const Tensor& biased = *trace->find("biased_scores")->tensor;
  const std::vector<float> slopes = {0.25F, 0.0625F, 0.015625F, 0.00390625F};  // 2^(−8h/4)
  for (Index head = 0; head < 4; ++head) {
    for (Index query = 0; query < 6; ++query) {
      for (Index key = 0; key < 6; ++key) {
        const std::vector<Index> at = {head, query, key};
        const float distance = static_cast<float>(std::abs(query - key));
        EXPECT_FLOAT_EQ(biased.at(at), scores.at(at) - slopes[static_cast<std::size_t>(head)] * distance);
      }
    }
  }
  EXPECT_EQ(trace->find("single.biased_scores")->axes.size(), 2U);
  EXPECT_EQ(trace->find("cross_biased_scores"), nullptr) << "a second sequence has places of its own";
}

TEST(Positions, WithoutThemTheOutputPermutesWithTheTokens) {
  const std::vector<Index> order = {4, 2, 0, 1, 5, 3};
  for (const char* system : {"worked-example", "stacked-multihead"}) {
    for (const std::string& kind : kKinds) {
      const auto trace = positioned(kind, system);
      const auto other = *run_in_order(*trace, order, {});
      const Tensor& before = *trace->find("out")->tensor;
      const Tensor& after = *other->find("out")->tensor;
      const Index columns = before.size(-1);
      float apart = 0;
      float largest = 0;
      for (Index i = 0; i < before.count(); ++i) {
        const Index from = order[static_cast<std::size_t>(i / columns)] * columns + i % columns;
        const float expected = before.values()[static_cast<std::size_t>(from)];
        apart = std::max(apart, std::abs(after.values()[static_cast<std::size_t>(i)] - expected));
        largest = std::max(largest, std::abs(expected));
      }
      EXPECT_EQ(apart < 1e-5F * largest, kind == "none") << system << " " << kind << " " << apart;
    }
  }
}

TEST(Positions, ArePartsOfWhatIsComputedOnDemand) {
  for (const std::string& kind : kKinds) {
    const Experiment experiment = set(*default_experiment("stacked-multihead"), "positions", kind.c_str());
    const auto held = *run(experiment);
    // Only random tensors are in memory.
    std::vector<std::shared_ptr<const Tensor>> drawn;
    for (const Step& step : held->steps()) drawn.push_back(step.inputs.empty() ? step.tensor : nullptr);
    const LazyTensors lazy(held->plan(), drawn, experiment.seed);
    for (std::size_t i = 0; i < held->steps().size(); ++i) {
      const Step& step = held->steps()[i];
      if (step.name != "rotated_q" && step.name != "biased_scores" && step.name != "weights") continue;
      Region region = whole_region(static_cast<int>(i), step.axes);
      region.begin = {0, 1, 2, 3};
      region.end = {1, 3, 5, 6};
      const auto part = lazy.numbers(region, {experiment.seed, nullptr, {}});
      const auto expected = part_of(step.tensor, region);
      for (Index at = 0; at < part->count(); ++at) {
        EXPECT_NEAR(part->values()[static_cast<std::size_t>(at)], expected->values()[static_cast<std::size_t>(at)],
                    1e-6F)
            << kind << " " << step.name;
      }
    }
  }
}

TEST(Order, IsReadAndWrittenShortly) {
  EXPECT_EQ(full_order("", 3), (std::vector<Index>{0, 1, 2}));
  EXPECT_EQ(full_order("3 1", 4), (std::vector<Index>{2, 0, 1, 3}));
  EXPECT_EQ(full_order("9 2", 3), (std::vector<Index>{1, 0, 2})) << "there is no ninth token";
  EXPECT_EQ(swapped_order("3 1", 4, 0, 3), "4");
  EXPECT_EQ(swapped_order("2 1", 3, 0, 1), "");
  EXPECT_EQ(order_text({0, 1, 2}), "");
  EXPECT_EQ(order_text({1, 0, 2}), "2");
  EXPECT_EQ(order_text({2, 1, 0}), "3 2");
  for (const char* wrong : {"0", "-1", "a", "1 1", "1.5", "1,2", "99999999999999999999"})
    EXPECT_FALSE(parse_order(wrong)) << wrong;
  std::vector<Index> order = {0, 1, 2, 3};
  do {
    EXPECT_EQ(full_order(order_text(order), 4), order);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Permutation, NeedsASequenceOfTokens) {
  EXPECT_EQ(permutable_tokens(*positioned("none")), 6);
  for (const char* system : {"scaled-dot-product", "projected-multihead", "image-self-attention"})
    EXPECT_EQ(permutable_tokens(**run(small_experiment(*find_system(system)))), 0) << system;
  EXPECT_GT(permutable_tokens(**run(*default_experiment("hand-made-heads"))), 0);
}

TEST(Permutation, MovesTheRowsOfEveryBatchItem) {
  const auto trace = *run(set(*default_experiment("stacked-multihead"), "batch", "2"));
  const std::vector<Index> order = {5, 0, 1, 2, 3, 4};
  const auto other = *run_in_order(*trace, order, {});
  for (Index item = 0; item < 2; ++item) {
    for (Index token = 0; token < 6; ++token) {
      EXPECT_EQ(other->tensor("x").at(std::vector<Index>{item, token, 3}),
                trace->tensor("x").at(std::vector<Index>{item, order[static_cast<std::size_t>(token)], 3}));
    }
  }
}

}  // namespace
}  // namespace attnscope::test
