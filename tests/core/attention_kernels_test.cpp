// Fused attention gives the same bits as attention step by step, for any number of threads.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <mutex>

#include "core/kernels/attention.h"
#include "core/kernels/attention_overview.h"
#include "core/kernels/contraction.h"
#include "core/kernels/matrix_product.h"
#include "core/kernels/softmax.h"
#include "made_tensors.h"
#include "support/floats.h"
#include "support/sanitized.h"

namespace attnscope::test {
namespace {

/// Whether they are equal bit for bit, NaN and the sign of zero included.
bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](float x, float y) {
    return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
  });
}

std::vector<float> room(Index count) { return std::vector<float>(static_cast<std::size_t>(count), -7.0F); }

struct AttentionCase {
  Index heads = 1;
  AttentionSizes sizes;
  AttentionOptions options;
  bool masked = false;
};

/// The tensors of all heads. q, k and v are [token, head, dim], as a projection computes them.
struct Tensors {
  std::vector<float> q, k, v, scores, masked, weights, output;
  std::vector<KeptKeys> kept;
};

Tensors random_tensors(const AttentionCase& c, std::mt19937& random) {
  const auto [queries, keys, dim, value_dim] = c.sizes;
  Tensors t;
  t.q = random_numbers(random, queries * c.heads * dim, -2, 2);
  t.k = random_numbers(random, keys * c.heads * dim, -2, 2);
  t.v = random_numbers(random, keys * c.heads * value_dim);
  for (std::vector<float>* each : {&t.scores, &t.masked, &t.weights}) *each = room(c.heads * queries * keys);
  t.output = room(queries * c.heads * value_dim);
  for (Index i = 0; c.masked && i < queries; ++i) {
    const Index begin = random_index(random, 0, keys);
    t.kept.push_back({begin, random_index(random, begin, keys)});
  }
  return t;
}

std::vector<AttentionHead> heads_of(const AttentionCase& c, Tensors& t) {
  const auto [queries, keys, dim, value_dim] = c.sizes;
  std::vector<AttentionHead> heads;
  for (Index h = 0; h < c.heads; ++h) {
    const Index square = h * queries * keys;
    heads.push_back({.q = t.q.data() + h * dim,
                     .q_row = c.heads * dim,
                     .k = t.k.data() + h * dim,
                     .k_row = c.heads * dim,
                     .v = t.v.data() + h * value_dim,
                     .v_row = c.heads * value_dim,
                     .kept = c.masked ? t.kept.data() : nullptr,
                     .scores = t.scores.data() + square,
                     .masked_scores = c.masked ? t.masked.data() + square : nullptr,
                     .weights = t.weights.data() + square,
                     .output = t.output.data() + h * value_dim,
                     .output_row = c.heads * value_dim});
  }
  return heads;
}

void attend_by_steps(const AttentionCase& c, Tensors& t) {
  const auto [queries, keys, dim, value_dim] = c.sizes;
  const std::vector<ContractionLabel> scores = {{c.heads, dim, dim, queries * keys},
                                                {queries, c.heads * dim, 0, keys},
                                                {keys, 0, c.heads * dim, 1},
                                                {dim, 1, 1, 0}};
  contract_strided(scores, t.q.data(), t.k.data(), t.scores.data(), static_cast<Index>(t.scores.size()),
                   static_cast<double>(c.options.divisor), nullptr, never_stopped);
  const auto length = static_cast<std::size_t>(keys);
  for (Index row = 0; row < c.heads * queries; ++row) {
    const std::size_t at = static_cast<std::size_t>(row) * length;
    if (c.masked) {
      const KeptKeys& kept = t.kept[static_cast<std::size_t>(row % queries)];
      for (Index key = 0; key < keys; ++key) {
        const std::size_t i = at + static_cast<std::size_t>(key);
        t.masked[i] = key >= kept.begin && key < kept.end ? t.scores[i] : c.options.fill;
      }
    }
    const std::vector<float>& logits = c.masked ? t.masked : t.scores;
    softmax_row(std::span(logits).subspan(at, length), c.options.temperature, std::span(t.weights).subspan(at, length));
  }
  const std::vector<ContractionLabel> sum = {{c.heads, queries * keys, value_dim, value_dim},
                                             {queries, keys, 0, c.heads * value_dim},
                                             {value_dim, 0, 1, 1},
                                             {keys, 1, c.heads * value_dim, 0}};
  contract_strided(sum, t.weights.data(), t.v.data(), t.output.data(), static_cast<Index>(t.output.size()), 1, nullptr,
                   never_stopped);
}

std::vector<AttentionCase> cases() {
  return {{1, {1, 1, 1, 1}, {1, 1, 0}, false},
          {4, {6, 6, 7, 7}, {std::sqrt(7.0F), 1, 0}, false},
          {3, {50, 33, 5, 9}, {2, 0.5F, -1e9F}, true},
          {2, {7, 1500, 20, 17}, {3, 1, -kInfinity}, true},
          {2, {30, 2 * kSumBlock + 100, 8, 4}, {1, 0.7F, -1e9F}, true},
          {5, {310, 300, 64, 40}, {8, 1, 0}, false},
          // Large enough to bypass the caches, with vector-aligned rows and with others, the latter in two groups of
          // heads.
          {3, {400, 1024, 16, 16}, {4, 1, 0}, false},
          {3, {400, 1024, 16, 16}, {4, 1, -kInfinity}, true},
          {2, {300, 2032, 300, 20}, {17, 1, 0}, true},
          {9, {250, 2100, 64, 64}, {8, 1, -kInfinity}, true}};
}

TEST(Attention, InOneGoIsAttentionStepByStep) {
  std::mt19937 random(11);
  for (const AttentionCase& c : cases()) {
    SCOPED_TRACE(std::to_string(c.sizes.queries) + " queries, " + std::to_string(c.sizes.keys) + " keys");
    Tensors expected = random_tensors(c, random);
    Tensors computed = expected;
    attend_by_steps(c, expected);
    for (const unsigned threads : {0U, 1U, 3U}) {
      if (kSanitized && threads == 1) continue;
      ThreadPool pool(threads);
      for (std::vector<float>* each : {&computed.scores, &computed.masked, &computed.weights, &computed.output})
        std::fill(each->begin(), each->end(), -7.0F);
      attend(heads_of(c, computed), c.sizes, c.options, &pool, never_stopped);
      EXPECT_TRUE(same_bits(computed.scores, expected.scores));
      EXPECT_TRUE(same_bits(computed.masked, expected.masked));
      EXPECT_TRUE(same_bits(computed.weights, expected.weights));
      EXPECT_TRUE(same_bits(computed.output, expected.output));
    }
  }
}

TEST(Attention, TellsOfTheOutputs) {
  std::mt19937 random(19);
  for (const AttentionCase& c : cases()) {
    Tensors t = random_tensors(c, random);
    std::vector<float> told = room(static_cast<Index>(t.output.size()));
    std::mutex mutex;
    const RowSink note = [&](const float* first, Index length, Index count, Index apart) {
      const std::lock_guard lock(mutex);
      for (Index row = 0; row < count; ++row)
        std::copy_n(first + row * apart, length, told.begin() + (first - t.output.data()) + row * apart);
    };
    ThreadPool pool(1);
    attend(heads_of(c, t), c.sizes, c.options, &pool, never_stopped, &note);
    EXPECT_TRUE(same_bits(told, t.output)) << c.sizes.queries << " queries";
  }
}

TEST(Attention, WhatIsNotKeptIsNotWritten) {
  std::mt19937 random(12);
  const AttentionCase c = cases()[2];
  Tensors expected = random_tensors(c, random);
  Tensors computed = expected;
  attend_by_steps(c, expected);
  // The same mask, as bytes.
  std::vector<std::uint8_t> keep;
  for (const KeptKeys& kept : computed.kept) {
    for (Index key = 0; key < c.sizes.keys; ++key) keep.push_back(key >= kept.begin && key < kept.end ? 1 : 0);
  }
  std::vector<AttentionHead> heads = heads_of(c, computed);
  for (AttentionHead& head : heads) {
    head.kept = nullptr;
    head.keep = keep.data();
    head.scores = head.masked_scores = head.weights = nullptr;
  }
  attend(heads, c.sizes, c.options, nullptr, never_stopped);
  EXPECT_TRUE(same_bits(computed.output, expected.output));
}

// Products with zero weights are skipped, unless the other factor is not finite.
TEST(Attention, AMaskDoesNotHideValuesThatAreNotFinite) {
  std::mt19937 random(18);
  for (const std::size_t number : {2U, 3U}) {
    const AttentionCase c = cases()[number];
    Tensors expected = random_tensors(c, random);
    for (const std::size_t at : {expected.v.size() / 2, expected.v.size() - 1}) expected.v[at] = kInfinity;
    Tensors computed = expected;
    attend_by_steps(c, expected);
    attend(heads_of(c, computed), c.sizes, c.options, nullptr, never_stopped);
    EXPECT_TRUE(same_bits(computed.weights, expected.weights));
    EXPECT_TRUE(same_bits(computed.output, expected.output));
    EXPECT_TRUE(
        std::any_of(computed.output.begin(), computed.output.end(), [](float each) { return std::isnan(each); }));
  }
}

TEST(Attention, IsLeftWhenStopped) {
  std::mt19937 random(13);
  const AttentionCase c = cases()[5];
  Tensors computed = random_tensors(c, random);
  int asked = 0;
  attend(heads_of(c, computed), c.sizes, c.options, nullptr, [&] { return ++asked > 3; });
  EXPECT_NE(computed.output.front(), -7.0F);
  EXPECT_EQ(computed.output.back(), -7.0F);
  EXPECT_EQ(asked, 4);
}

TEST(Attention, TheOverviewIsThatOfTheStoredRows) {
  std::mt19937 random(14);
  for (const AttentionCase& c : cases()) {
    SCOPED_TRACE(std::to_string(c.sizes.queries) + " queries, " + std::to_string(c.sizes.keys) + " keys");
    Tensors t = random_tensors(c, random);
    attend_by_steps(c, t);
    const auto keys = static_cast<std::size_t>(c.sizes.keys);
    const std::vector<float>& logits = c.masked ? t.masked : t.scores;
    const double flops = 2 * static_cast<double>(c.heads * c.sizes.queries * c.sizes.keys * c.sizes.dim);
    const OverviewHead head = {.q = t.q.data(),
                               .q_row = c.heads * c.sizes.dim,
                               .k = t.k.data(),
                               .k_row = c.heads * c.sizes.dim,
                               .kept = c.masked ? t.kept.data() : nullptr,
                               .sizes = c.sizes,
                               .options = c.options,
                               .fused = rounds_once(flops)};
    ThreadPool pool(2);
    const AttentionOverview overview(head, &pool);
    for (const Index bin : {1, 4, 64, 1024}) {
      const Index first = c.sizes.queries / 3;
      std::vector<SoftmaxStatistics> statistics(static_cast<std::size_t>(c.sizes.queries - first));
      std::vector<float> maxima(statistics.size() * static_cast<std::size_t>(overview.bins(bin)));
      overview.rows(first, 1, bin, statistics, maxima, &pool, never_stopped);
      auto largest = maxima.begin();
      for (std::size_t i = 0; i < statistics.size(); ++i) {
        const auto row = std::span(logits).subspan((i + static_cast<std::size_t>(first)) * keys, keys);
        const SoftmaxStatistics expected = softmax_statistics(row, c.options.temperature);
        ASSERT_EQ(statistics[i].maximum, expected.maximum);
        ASSERT_EQ(std::bit_cast<std::uint32_t>(statistics[i].sum), std::bit_cast<std::uint32_t>(expected.sum)) << i;
        for (std::size_t at = 0; at < keys; at += static_cast<std::size_t>(bin)) {
          const auto part = row.subspan(at, std::min(static_cast<std::size_t>(bin), keys - at));
          ASSERT_EQ(*largest++, *std::max_element(part.begin(), part.end()));
        }
      }
    }
  }
}

TEST(Softmax, APartOfARowHasTheWeightsOfTheRow) {
  std::mt19937 random(15);
  for (const Index length : {Index{1}, Index{9}, Index{1000}, kSumBlock, kSumBlock + 1, 3 * kSumBlock - 500}) {
    for (const float temperature : {1.0F, 0.3F}) {
      std::vector<float> row = random_numbers(random, length, -20, 20);
      if (length > kSumBlock) std::fill(row.begin(), row.begin() + kSumBlock, -kInfinity);
      std::vector<float> whole = room(length);
      softmax_row(row, temperature, whole);
      const SoftmaxStatistics statistics = softmax_statistics(row, temperature);
      double sum = 0;
      for (const float logit : row)
        sum += std::exp((static_cast<double>(logit) - static_cast<double>(statistics.maximum)) /
                        static_cast<double>(temperature));
      EXPECT_NEAR(static_cast<double>(statistics.sum), sum, 1e-5 * sum);
      std::vector<float> parts = row;
      for (std::size_t at = 0; at < row.size();) {
        const std::size_t count = std::min(row.size() - at, static_cast<std::size_t>(random_index(random, 1, 40)));
        const auto part = std::span(parts).subspan(at, count);
        softmax_part(part, temperature, statistics, part);
        at += count;
      }
      EXPECT_TRUE(same_bits(parts, whole)) << length;
    }
  }
}

TEST(Softmax, AMaskedRowIsTheRowThatHasTheFill) {
  std::mt19937 random(19);
  int shorter = 0;
  for (int i = 0; i < 600; ++i) {
    const Index length = random_index(random, 1, i % 20 == 0 ? kSumBlock + 50 : 400);
    std::vector<float> row = random_numbers(random, length, -20, 20);
    const Index begin = random_index(random, 0, length);
    const KeptKeys kept = {begin, random_index(random, begin, length)};
    const float fill = std::array{-1e9F, -kInfinity, -9e15F, -30.0F, 0.0F, 50.0F}[static_cast<std::size_t>(i) % 6];
    const float odd = std::array{kInfinity, -kInfinity, std::nanf("")}[static_cast<std::size_t>(i) % 3];
    if (i % 4 == 0) row[static_cast<std::size_t>(random_index(random, 0, length - 1))] = odd;
    mask_row(row, kept, 0, fill, row.data());
    const float temperature = i % 5 == 0 ? 0.3F : 1;
    std::vector<float> expected = room(length);
    softmax_row(row, temperature, expected);
    std::vector<float> weights = row;
    const KeptKeys used = softmax_masked_row(weights, kept, fill, temperature, weights);
    ASSERT_TRUE(same_bits(weights, expected)) << i;
    for (Index key = 0; key < length; ++key) {
      if (key < used.begin || key >= used.end) {
        ASSERT_EQ(weights[static_cast<std::size_t>(key)], 0) << i;
      }
    }
    shorter += used.end - used.begin < length ? 1 : 0;
  }
  EXPECT_GT(shorter, 150);
}

TEST(Contraction, FromZeroOnlyWrites) {
  std::mt19937 random(16);
  // Rows and columns that do not fill a block, a depth of several blocks, and strided factors on both sides.
  for (const Index depth : {1, 5, 600}) {
    const std::vector<ContractionLabel> labels = {
        {2, 50 * depth, 40 * depth, 2000}, {50, 1, 0, 40}, {40, 0, depth, 1}, {depth, 50, 1, 0}};
    const std::vector<float> a = random_numbers(random, 100 * depth);
    const std::vector<float> b = random_numbers(random, 80 * depth);
    std::vector<float> added(4000, 0);
    std::vector<float> written = room(4000);
    contract_strided(labels, a.data(), b.data(), added.data(), 4000, 3, nullptr, never_stopped);
    contract_strided(labels, a.data(), b.data(), written.data(), 4000, 3, nullptr, never_stopped);
    EXPECT_TRUE(same_bits(added, written)) << depth;
  }
}

}  // namespace
}  // namespace attnscope::test
