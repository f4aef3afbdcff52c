// Sums of products over strided tensors.
#include "core/kernels/contraction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/thread_pool.h"
#include "made_tensors.h"
#include "support/floats.h"

namespace attnscope::test {
namespace {

/// Strides of a tensor with the labels whose bits are set in `has`, in random order, with gaps between elements.
struct StridedNumbers {
  std::vector<Index> strides;  ///< per label; 0 if the tensor lacks it
  Index extent = 1;            ///< elements from the first to past the last
};

StridedNumbers random_operand(std::mt19937& random, const std::vector<Index>& sizes, unsigned has, bool spread) {
  StridedNumbers operand;
  operand.strides.assign(sizes.size(), 0);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if ((has >> i & 1U) != 0) order.push_back(i);
  }
  std::shuffle(order.begin(), order.end(), random);
  for (const std::size_t label : order) {
    operand.strides[label] = operand.extent;
    operand.extent *= sizes[label];
    if (spread) operand.extent += random_index(random, 0, 2);
  }
  return operand;
}

struct Contraction {
  std::vector<ContractionLabel> labels;
  std::vector<float> a, b, start;  ///< no start: zero
  Index out_count = 1;
};

Contraction random_contraction(std::mt19937& random) {
  const auto count = static_cast<std::size_t>(random_index(random, 1, 5));
  std::vector<Index> sizes;
  unsigned in_a = 0;
  unsigned in_b = 0;
  unsigned in_out = 0;
  unsigned in_start = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sizes.push_back(random_index(random, 0, 3) == 0 ? 1 : random_index(random, 1, 13));
    const auto where = static_cast<unsigned>(random_index(random, 1, 3));
    in_a |= (where & 1U) << i;
    in_b |= (where >> 1U) << i;
    in_out |= static_cast<unsigned>(random_index(random, 0, 1)) << i;
    in_start |= static_cast<unsigned>(random_index(random, 0, 1)) << i;
  }
  const bool spread = random_index(random, 0, 1) == 1;
  const StridedNumbers a = random_operand(random, sizes, in_a, spread);
  const StridedNumbers b = random_operand(random, sizes, in_b, spread);
  // The result is contiguous.
  const StridedNumbers out = random_operand(random, sizes, in_out, false);
  const StridedNumbers start = random_operand(random, sizes, in_out & in_start, spread);
  Contraction contraction;
  for (std::size_t i = 0; i < count; ++i)
    contraction.labels.push_back({sizes[i], a.strides[i], b.strides[i], out.strides[i], start.strides[i]});
  if (random_index(random, 0, 1) == 1) contraction.start = random_numbers(random, start.extent);
  contraction.a = random_numbers(random, a.extent);
  contraction.b = random_numbers(random, b.extent);
  contraction.out_count = out.extent;
  return contraction;
}

/// Goes over all values of the labels, the last label fastest.
template <typename Number>
std::vector<Number> plain_loop(const Contraction& contraction, Number divisor) {
  std::vector<Number> out(static_cast<std::size_t>(contraction.out_count), 0);
  std::vector<bool> started(out.size(), contraction.start.empty());
  Index total = 1;
  for (const ContractionLabel& label : contraction.labels) total *= label.size;
  for (Index n = 0; n < total; ++n) {
    Index rest = n;
    Index a = 0;
    Index b = 0;
    Index to = 0;
    Index start = 0;
    for (auto label = contraction.labels.rbegin(); label != contraction.labels.rend(); ++label) {
      const Index at = rest % label->size;
      rest /= label->size;
      a += at * label->a_stride;
      b += at * label->b_stride;
      to += at * label->out_stride;
      start += at * label->start_stride;
    }
    if (!started[static_cast<std::size_t>(to)]) {
      out[static_cast<std::size_t>(to)] = static_cast<Number>(contraction.start[static_cast<std::size_t>(start)]);
      started[static_cast<std::size_t>(to)] = true;
    }
    out[static_cast<std::size_t>(to)] += static_cast<Number>(contraction.a[static_cast<std::size_t>(a)]) *
                                         static_cast<Number>(contraction.b[static_cast<std::size_t>(b)]);
  }
  for (Number& number : out) number /= divisor;
  return out;
}

std::string labels_text(const Contraction& contraction) {
  std::string text;
  for (const ContractionLabel& label : contraction.labels) {
    text += "[" + std::to_string(label.size) + ": " + std::to_string(label.a_stride) + " " +
            std::to_string(label.b_stride) + " " + std::to_string(label.out_stride) + "]";
  }
  return text;
}

TEST(Contraction, SumsInFloatFromFirstToLast) {
  std::mt19937 random(42);
  int summed_over_two = 0;
  for (int i = 0; i < 1500; ++i) {
    const Contraction contraction = random_contraction(random);
    SCOPED_TRACE(labels_text(contraction));
    const float divisor = i % 3 == 0 ? std::sqrt(7.0F) : 1.0F;
    std::vector<float> out(static_cast<std::size_t>(contraction.out_count), 5);
    contract_strided(contraction.labels, contraction.a.data(), contraction.b.data(), out.data(), contraction.out_count,
                     static_cast<double>(divisor), nullptr, never_stopped,
                     contraction.start.empty() ? nullptr : contraction.start.data());
    const std::vector<float> in_float = plain_loop<float>(contraction, divisor);
    const std::vector<double> in_double = plain_loop<double>(contraction, static_cast<double>(divisor));
    double terms = 1;
    int sums = 0;
    for (const ContractionLabel& label : contraction.labels) {
      if (label.out_stride == 0) terms *= static_cast<double>(label.size), sums += label.size > 1 ? 1 : 0;
    }
    if (sums >= 2) ++summed_over_two;
    for (std::size_t at = 0; at < out.size(); ++at) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(out[at]), std::bit_cast<std::uint32_t>(in_float[at])) << at;
      ASSERT_NEAR(static_cast<double>(out[at]), in_double[at], terms * terms * 1.2e-7) << at;
    }
  }
  EXPECT_GT(summed_over_two, 100);
}

TEST(Contraction, ALongSumIsNotReordered) {
  // In float, 1 + 1e8 − 1e8 depends on the order: any order except the sequential one would show.
  std::mt19937 random(3);
  Contraction contraction;
  contraction.labels = {{5, 1000, 0, 9}, {9, 0, 1000, 1}, {1000, 1, 1, 0}};
  contraction.a = random_numbers(random, 5000);
  for (std::size_t i = 0; i < contraction.a.size(); i += 7) contraction.a[i] *= 1e8F;
  contraction.b = random_numbers(random, 9000);
  contraction.out_count = 45;
  std::vector<float> out(45, 0);
  contract_strided(contraction.labels, contraction.a.data(), contraction.b.data(), out.data(), 45, 1, nullptr,
                   never_stopped);
  EXPECT_EQ(out, plain_loop<float>(contraction, 1.0F));
}

/// A product of `rows` rows with a matrix [columns, depth] or [depth, columns], for each of `products`.
Contraction matrix_products(std::mt19937& random, Index products, Index rows, Index depth, Index columns,
                            bool depth_first) {
  Contraction contraction;
  const ContractionLabel column =
      depth_first ? ContractionLabel{columns, 0, depth, 1, 1} : ContractionLabel{columns, 0, 1, 1, 1};
  const ContractionLabel sum = {depth, 1, depth_first ? 1 : columns, 0, 0};
  contraction.labels = {
      {products, rows * depth, depth * columns, rows * columns, 0}, {rows, depth, 0, columns, 0}, column, sum};
  contraction.a = random_numbers(random, products * rows * depth);
  contraction.b = random_numbers(random, products * depth * columns);
  contraction.start = random_numbers(random, columns);
  contraction.out_count = products * rows * columns;
  return contraction;
}

// Few rows go another way than many; the first rows of many must not differ.
TEST(Contraction, OfFewRowsHasTheBitsOfMany) {
  std::mt19937 random(11);
  ThreadPool pool(1);
  for (const bool fused : {false, true}) {
    for (const bool depth_first : {false, true}) {
      for (const auto& [depth, columns] :
           {std::pair<Index, Index>{300, 517}, {64, 33}, {1037, 3}, {7, 2000}, {2500, 1}}) {
        const Index products = columns < 100 ? 3 : 1;
        const Contraction many = matrix_products(random, products, 9, depth, columns, depth_first);
        SCOPED_TRACE(labels_text(many) + (fused ? " fused" : ""));
        const auto compute = [&](const Contraction& contraction) {
          std::vector<float> out(static_cast<std::size_t>(contraction.out_count), 5);
          contract_strided(contraction.labels, contraction.a.data(), contraction.b.data(), out.data(),
                           contraction.out_count, 1.7, &pool, never_stopped, contraction.start.data(), fused);
          return out;
        };
        const std::vector<float> all = compute(many);
        for (const Index rows : {1, 2, 4}) {
          Contraction few = many;
          few.labels[1].size = rows;
          few.labels[0].out_stride = rows * columns;
          few.out_count = products * rows * columns;
          const std::vector<float> out = compute(few);
          for (Index product = 0; product < products; ++product) {
            const auto begin = all.begin() + product * 9 * columns;
            ASSERT_TRUE(std::equal(begin, begin + rows * columns, out.begin() + product * rows * columns)) << rows;
          }
        }
      }
    }
  }
}

TEST(Contraction, OfNothingIsZero) {
  std::vector<float> out(6, 0);
  const float number = 1;
  const std::array<ContractionLabel, 3> labels = {{{2, 0, 0, 3}, {3, 0, 0, 1}, {0, 1, 1, 0}}};
  contract_strided(labels, &number, &number, out.data(), 6, 2, nullptr, never_stopped);
  for (const float value : out) EXPECT_EQ(value, 0.0F);
}

TEST(Contraction, NaNStaysInItsRowAndColumn) {
  std::mt19937 random(5);
  Contraction contraction;
  contraction.labels = {{6, 10, 0, 11}, {11, 0, 1, 1}, {10, 1, 11, 0}};
  contraction.a = random_numbers(random, 60);
  contraction.b = random_numbers(random, 110);
  contraction.out_count = 66;
  contraction.a[3 * 10 + 2] = kNaN;
  std::vector<float> out(66, 0);
  contract_strided(contraction.labels, contraction.a.data(), contraction.b.data(), out.data(), 66, 1, nullptr,
                   never_stopped);
  for (std::size_t i = 0; i < 66; ++i) EXPECT_EQ(std::isnan(out[i]), i / 11 == 3) << i;
}

TEST(Contraction, IsLeftWhenStopped) {
  std::mt19937 random(6);
  // 64 products of 64 × 64 × 64, one per value of the first label.
  Contraction contraction;
  contraction.labels = {{64, 4096, 4096, 4096}, {64, 64, 0, 64}, {64, 0, 1, 1}, {64, 1, 64, 0}};
  contraction.a = random_numbers(random, 64 * 4096, 0.5F, 1);
  contraction.b = random_numbers(random, 64 * 4096, 0.5F, 1);
  std::vector<float> out(64 * 4096, 0);
  int asked = 0;
  contract_strided(contraction.labels, contraction.a.data(), contraction.b.data(), out.data(), 64 * 4096, 2, nullptr,
                   [&] { return ++asked > 20; });
  EXPECT_NE(out.front(), 0.0F);
  EXPECT_EQ(out.back(), 0.0F);
  EXPECT_LT(asked, 40) << "it asks on, but does not leave";
}

// More than one depth block, with any initial sums in any place.
TEST(Contraction, OfLongSumsIsThatOfTheLoop) {
  std::mt19937 random(20);
  for (const Index depth : {300, 1008, 1100}) {
    Contraction contraction;
    // A different last label in the result, and a sum over two labels.
    contraction.labels = {{7, 2 * depth, 0, 90, 1},
                          {45, 0, 2 * depth, 2, 0},
                          {2, 7 * 2 * depth, 45 * 2 * depth, 1, 7},
                          {2, depth, depth, 0, 0},
                          {depth, 1, 1, 0, 0}};
    contraction.a = random_numbers(random, 2 * 7 * 2 * depth);
    contraction.b = random_numbers(random, 2 * 45 * 2 * depth);
    contraction.start = random_numbers(random, 14);
    contraction.out_count = 7 * 45 * 2;
    std::vector<float> out(630, -7);
    contract_strided(contraction.labels, contraction.a.data(), contraction.b.data(), out.data(), 630, 3, nullptr,
                     never_stopped, contraction.start.data());
    EXPECT_EQ(out, plain_loop<float>(contraction, 3.0F)) << depth;
  }
}

// Such rows are copied, and the copy is multiplied with enough columns at a time.
TEST(Contraction, RowsThatArePagesApartGiveTheSameNumbers) {
  std::mt19937 random(21);
  constexpr Index kRights = 3;
  constexpr Index kRows = 1300;
  constexpr Index kColumns = 600;
  constexpr Index kDepth = 5;
  constexpr Index kSums = 2;
  const std::vector<float> b = random_numbers(random, kRights * kSums * kDepth * kColumns);
  const auto product = [&](const std::vector<float>& a, const std::array<Index, 4>& strides) {
    const auto& [right, row, sum, depth] = strides;
    const std::vector<ContractionLabel> labels = {{kRights, right, kSums * kDepth * kColumns, kRows * kColumns},
                                                  {kRows, row, 0, kColumns},
                                                  {kColumns, 0, 1, 1},
                                                  {kSums, sum, kDepth * kColumns, 0},
                                                  {kDepth, depth, kColumns, 0}};
    std::vector<float> out(static_cast<std::size_t>(kRights * kRows * kColumns), -7);
    ThreadPool pool(2);
    contract_strided(labels, a.data(), b.data(), out.data(), std::ssize(out), 1, &pool, never_stopped);
    return out;
  };
  const std::vector<float> dense = random_numbers(random, kRights * kRows * kSums * kDepth);
  const std::array<Index, 4> strides = {kRows * kSums * kDepth, kSums * kDepth, kDepth, 1};
  const std::vector<float> expected = product(dense, strides);
  // Rows of 4096 bytes with strided sums; and rows one number apart.
  for (const std::array<Index, 4>& other : {std::array<Index, 4>{kRows * 1024, 1024, 7, 1},
                                            std::array<Index, 4>{kSums * kDepth * kRows, 1, kDepth * kRows, kRows}}) {
    std::vector<float> a(static_cast<std::size_t>(kRights * kRows * 1024), -7);
    for (Index i = 0; i < std::ssize(dense); ++i) {
      Index rest = i;
      Index place = 0;
      for (std::size_t label = 0; label < strides.size(); ++label) {
        place += rest / strides[label] * other[label];
        rest %= strides[label];
      }
      a[static_cast<std::size_t>(place)] = dense[static_cast<std::size_t>(i)];
    }
    EXPECT_TRUE(product(a, other) == expected);
  }
}

/// The results that a contraction reports, each number in its place, and how often.
struct Told {
  explicit Told(Index count) : numbers(static_cast<std::size_t>(count)), times(numbers.size(), 0) {}

  RowSink listener(const float* begin) {
    return [this, begin](const float* first, Index length, Index count, Index apart) {
      const std::lock_guard lock(mutex);
      for (Index row = 0; row < count; ++row) {
        for (Index i = 0; i < length; ++i) {
          const auto at = static_cast<std::size_t>(first - begin + row * apart + i);
          numbers.at(at) = first[row * apart + i];
          ++times.at(at);
        }
      }
    };
  }

  std::mutex mutex;
  std::vector<float> numbers;
  std::vector<int> times;
};

TEST(Contraction, TellsOfEveryNumberOnceItIsThere) {
  std::mt19937 random(19);
  std::vector<Contraction> contractions;
  for (int i = 0; i < 200; ++i) contractions.push_back(random_contraction(random));
  // Large enough to bypass the caches without a listener; nothing to sum; no numbers at all.
  for (const std::array<Index, 3>& size : {std::array<Index, 3>{1100, 1000, 8}, {70, 300, 1}, {5, 7, 0}}) {
    const auto [rows, columns, depth] = size;
    Contraction contraction;
    contraction.labels = {{rows, depth, 0, columns}, {columns, 0, 1, 1}, {depth, 1, columns, 0}};
    contraction.a = random_numbers(random, rows * depth + 1);
    contraction.b = random_numbers(random, depth * columns + 1);
    contraction.out_count = rows * columns;
    contractions.push_back(contraction);
  }
  for (const Contraction& c : contractions) {
    SCOPED_TRACE(labels_text(c));
    std::vector<float> out(static_cast<std::size_t>(c.out_count), -7);
    Told told(c.out_count);
    const RowSink made = told.listener(out.data());
    ThreadPool pool(2);
    contract_strided(c.labels, c.a.data(), c.b.data(), out.data(), c.out_count, 3, &pool, never_stopped,
                     c.start.empty() ? nullptr : c.start.data(), std::nullopt, &made);
    EXPECT_EQ(told.numbers, out);
    EXPECT_EQ(told.times, std::vector<int>(out.size(), 1));
  }
}

TEST(Contraction, IsTheSameBitsForAnyNumberOfThreads) {
  std::mt19937 random(10);
  // Large enough for fused arithmetic and several threads, with sizes that do not fill a block.
  Contraction contraction;
  contraction.labels = {{3, 500 * 70, 70 * 301, 500 * 301}, {500, 70, 0, 301}, {301, 0, 1, 1}, {70, 1, 301, 0}};
  contraction.a = random_numbers(random, 3 * 500 * 70);
  contraction.b = random_numbers(random, 3 * 70 * 301);
  contraction.out_count = 3 * 500 * 301;
  const auto compute = [&](ThreadPool* pool) {
    std::vector<float> out(static_cast<std::size_t>(contraction.out_count), 0);
    contract_strided(contraction.labels, contraction.a.data(), contraction.b.data(), out.data(), contraction.out_count,
                     1, pool, never_stopped);
    return out;
  };
  const std::vector<float> alone = compute(nullptr);
  const std::vector<double> exact = plain_loop<double>(contraction, 1.0);
  for (std::size_t i = 0; i < alone.size(); ++i)
    ASSERT_NEAR(static_cast<double>(alone[i]), exact[i], 70 * 70 * 1.2e-7) << i;
  for (const unsigned threads : {0U, 1U, 2U, 7U}) {
    ThreadPool pool(threads);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(compute(&pool), alone) << threads;
  }
}

}  // namespace
}  // namespace attnscope::test
