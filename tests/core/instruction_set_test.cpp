// The innermost loops of every instruction set.
#include "core/kernels/isa/instruction_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "made_tensors.h"
#include "support/floats.h"

namespace attnscope::test {
namespace {

TEST(Kernels, OfEveryInstructionSetAgreeWithDoublePrecision) {
  std::mt19937 random(9);
  int run = 0;
  for (const Kernels* loops : compiled_kernels()) {
    if (!runs_here(*loops)) continue;
    SCOPED_TRACE(loops->name);
    ++run;
    for (const Index count : {1, 5, 16, 33, 1000}) {
      std::vector<float> in = random_numbers(random, count, -100, 0);
      in[static_cast<std::size_t>(count / 2)] = 0;
      std::vector<float> out(in.size());
      const float sum = loops->exponentials(in.data(), {2, -1, false}, out.data(), count);
      double expected = 0;
      for (std::size_t i = 0; i < in.size(); ++i) {
        const double exact = std::exp(static_cast<double>(in[i]) / 2 + 1);
        EXPECT_NEAR(static_cast<double>(out[i]), exact, 3e-7 * exact + 1e-37);
        expected += exact;
      }
      EXPECT_NEAR(static_cast<double>(sum), expected, 1e-6 * expected);
      EXPECT_EQ(loops->largest(in.data(), count), 0.0F);
      loops->divide(out.data(), sum, nullptr, count);
      EXPECT_EQ(out[static_cast<std::size_t>(count / 2)], std::exp(1.0F) / sum);
    }
    // The whole range.
    std::vector<float> in = random_numbers(random, 5000, -87, 0);
    std::vector<float> exponentials(in.size());
    loops->exponentials(in.data(), {}, exponentials.data(), std::ssize(in));
    for (std::size_t i = 0; i < in.size(); ++i) {
      const double exact = std::exp(static_cast<double>(in[i]));
      EXPECT_NEAR(static_cast<double>(exponentials[i]), exact, (in[i] > -20 ? 1.3e-7 : 3.1e-7) * exact) << in[i];
    }
    const std::vector<float> special = {kNaN, -kInfinity, -1e30F, 0, kNaN, -88};
    std::vector<float> out(special.size());
    loops->exponentials(special.data(), {}, out.data(), 6);
    EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[4]));
    EXPECT_EQ(out[1], 0.0F);
    EXPECT_EQ(out[2], 0.0F);
    EXPECT_EQ(out[5], 0.0F);
    EXPECT_EQ(loops->largest(special.data(), 6), 0.0F);
  }
  EXPECT_GE(run, 1);
}

struct ActivationCase {
  const char* name;
  void (*compute)(const Kernels& loops, const float* in, float* out, Index count);
  double (*exact)(double x);
};

const std::array<ActivationCase, 4> kActivations = {{
    {"gelu", [](const Kernels& loops, const float* in, float* out, Index count) { loops.gelu(in, out, count); },
     [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }},
    {"gelu_tanh",
     [](const Kernels& loops, const float* in, float* out, Index count) { loops.gelu_tanh(in, out, count); },
     [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x))); }},
    {"silu",
     [](const Kernels& loops, const float* in, float* out, Index count) { loops.times_sigmoid(in, 1, out, count); },
     [](double x) { return x / (1 + std::exp(-x)); }},
    {"quick_gelu",
     [](const Kernels& loops, const float* in, float* out, Index count) {
       loops.times_sigmoid(in, 1.702F, out, count);
     },
     [](double x) { return x / (1 + std::exp(-1.702F * x)); }},
}};

TEST(Kernels, ActivationsAgreeWithDoublePrecision) {
  std::mt19937 random(10);
  for (const Kernels* loops : compiled_kernels()) {
    if (!runs_here(*loops)) continue;
    for (const ActivationCase& each : kActivations) {
      SCOPED_TRACE(std::string(loops->name) + " " + each.name);
      std::vector<float> in = random_numbers(random, 5001, -20, 20);
      std::fill_n(in.begin(), 2, 0.0F);
      in[1] = -0.0F;
      std::vector<float> out(in.size());
      each.compute(*loops, in.data(), out.data(), std::ssize(in));
      for (std::size_t i = 0; i < in.size(); ++i) {
        const double exact = each.exact(static_cast<double>(in[i]));
        ASSERT_NEAR(static_cast<double>(out[i]), exact, 4e-7 * std::max(std::abs(exact), 0.1)) << in[i];
      }
      // The same number at another place, and in place.
      std::vector<float> part(in.begin() + 1, in.begin() + 38);
      each.compute(*loops, part.data(), part.data(), std::ssize(part));
      EXPECT_TRUE(std::equal(part.begin(), part.end(), out.begin() + 1));
    }
  }
}

TEST(Kernels, ActivationsKeepWhatIsNotANumber) {
  const std::vector<float> special = {kNaN, kInfinity, -kInfinity, 1e30F, -1e30F};
  for (const Kernels* loops : compiled_kernels()) {
    if (!runs_here(*loops)) continue;
    for (const ActivationCase& each : kActivations) {
      SCOPED_TRACE(std::string(loops->name) + " " + each.name);
      std::vector<float> out(special.size());
      each.compute(*loops, special.data(), out.data(), std::ssize(special));
      EXPECT_TRUE(std::isnan(out[0]));
      EXPECT_EQ(out[1], kInfinity);
      EXPECT_TRUE(std::isnan(out[2])) << "−∞ · 0";
      EXPECT_EQ(out[3], 1e30F);
      EXPECT_EQ(out[4], 0.0F);
    }
  }
}

// Aligned outputs are streamed, others are written normally.
TEST(Kernels, ADividedRowGoesToItsCopyToo) {
  for (const Kernels* loops : compiled_kernels()) {
    if (!runs_here(*loops)) continue;
    for (const Index count : {1, 16, 45, 64}) {
      // Aligned to 64 bytes, to fewer bytes, and unaligned.
      for (const std::size_t at : {0U, 8U, 3U}) {
        std::vector<float> row(static_cast<std::size_t>(count));
        std::iota(row.begin(), row.end(), 1.0F);
        alignas(64) std::array<float, 80> copy;
        copy.fill(-7);
        loops->divide(row.data(), 2, copy.data() + at, count);
        loops->end_stream();
        for (std::size_t i = 0; i < row.size(); ++i) EXPECT_EQ(row[i], static_cast<float>(i + 1) / 2);
        for (std::size_t i = 0; i < copy.size(); ++i)
          EXPECT_EQ(copy[i], i >= at && i < at + row.size() ? row[i - at] : -7)
              << loops->name << " " << count << " " << i;
      }
    }
  }
}

// Vectors reach beyond the edges: the memory before and after must not change.
TEST(Kernels, TouchNothingBesideTheirNumbers) {
  constexpr Index kRoom = 80;
  constexpr float kUntouched = -7;
  std::mt19937 random(12);
  const std::vector<float> a = random_numbers(random, 5 * 3);
  const std::vector<float> b = random_numbers(random, 3 * kRoom);
  std::vector<float> right(3 * kRoom);
  for (const Kernels* loops : compiled_kernels()) {
    if (!runs_here(*loops)) continue;
    for (Index columns = 1; columns <= loops->block_columns; ++columns) {
      SCOPED_TRACE(std::string(loops->name) + " " + std::to_string(columns));
      loops->pack_panel(b.data(), columns, 1, 3, columns, right.data());
      std::vector<float> out(5 * kRoom, kUntouched);
      std::vector<float> copy = out;
      PanelProduct product;
      product.rows = 5;
      product.depth = 3;
      product.columns = columns;
      product.a = a.data();
      product.a_row = 3;
      product.b = right.data();
      product.out = out.data();
      product.out_row = product.copy_row = kRoom;
      product.copy = copy.data();
      loops->multiply_panel(product);
      loops->end_stream();
      EXPECT_EQ(out, copy);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t row = i / kRoom;
        const std::size_t column = i % kRoom;
        double exact = 0;
        for (std::size_t k = 0; k < 3; ++k)
          exact += static_cast<double>(a[row * 3 + k]) * b[k * static_cast<std::size_t>(columns) + column % kRoom];
        if (column < static_cast<std::size_t>(columns)) {
          EXPECT_NEAR(static_cast<double>(out[i]), exact, 1e-6 + 1e-6 * std::abs(exact));
        } else {
          ASSERT_EQ(out[i], kUntouched) << i;
        }
      }
      std::vector<float> row(kRoom, kUntouched);
      loops->scale(b.data(), 2, 1, false, row.data(), columns);
      EXPECT_EQ(row[static_cast<std::size_t>(columns) - 1], 2 * b[static_cast<std::size_t>(columns) - 1]);
      loops->exponentials(row.data(), {1, 200, false}, row.data(), columns);
      loops->divide(row.data(), 2, nullptr, columns);
      EXPECT_EQ(std::count(row.begin() + columns, row.end(), kUntouched), kRoom - columns);
    }
  }
}

// Whole and partial panels, and every number of rows in a block.
TEST(Kernels, MultiplySpreadRowsToTheSameBits) {
  constexpr Index kDepth = 37;
  std::mt19937 random(13);
  bool any = false;
  for (const Kernels* loops : compiled_kernels()) {
    if (!runs_here(*loops) || loops->spread == nullptr) continue;
    any = true;
    const Index rows = 2 * loops->block_rows - 1;
    const Index most = loops->block_columns;
    const std::vector<float> a = random_numbers(random, rows * kDepth);
    const std::vector<float> b = random_numbers(random, kDepth * most);
    for (const Index a_depth : {Index{1}, rows}) {
      for (const Index columns : {most, most - 3, Index{1}}) {
        std::vector<float> right(b.size());
        loops->pack_panel(b.data(), columns, 1, kDepth, columns, right.data());
        PanelProduct product;
        product.rows = rows;
        product.depth = kDepth;
        product.columns = columns;
        product.a = a.data();
        product.a_row = a_depth == 1 ? kDepth : 1;
        product.a_depth = a_depth;
        product.b = right.data();
        product.out_row = columns;
        std::vector<float> expected(static_cast<std::size_t>(rows * columns));
        product.out = expected.data();
        loops->multiply_panel(product);

        std::vector<float> spread(a.size() * static_cast<std::size_t>(loops->lanes));
        const Index spread_row = kDepth * loops->lanes;
        for (Index row = 0; row < rows; ++row)
          loops->spread(a.data() + row * product.a_row, a_depth, kDepth, spread.data() + row * spread_row);
        std::vector<float> out(expected.size());
        product.a = spread.data();
        product.a_row = spread_row;
        product.a_depth = loops->lanes;
        product.spread = true;
        product.out = out.data();
        loops->multiply_panel(product);
        EXPECT_EQ(out, expected) << loops->name << " " << columns << " " << a_depth;
      }
    }
  }
  if (!any) GTEST_SKIP() << "no instruction set for this processor spreads rows";
}

// Also where rounding to double first makes a tie, and where the result is not a normal number.
TEST(Kernels, UniformNumbersAreRoundedOnce) {
  constexpr std::array<std::array<float, 2>, 9> kRanges = {{{0.2F, -0.1F},
                                                            {1, 1},
                                                            {3, 0.7F},
                                                            {16777215, 1},
                                                            {0x1.fffffep-100F, 0x1.234568p-70F},
                                                            {0x1.fffffep-127F, 0x1p-149F},
                                                            {1e-38F, -0.5e-38F},
                                                            {3.4e38F, 3e38F},
                                                            {kInfinity, 0}}};
  std::mt19937 random(14);
  std::vector<std::uint32_t> draws(4099);
  std::ranges::generate(draws, random);
  draws[0] = 0;
  draws[1] = 1;
  draws[2] = 0xFFFFFFFF;
  std::vector<float> out(draws.size());
  for (const Kernels* loops : compiled_kernels()) {
    if (!runs_here(*loops)) continue;
    for (const auto& [width, from] : kRanges) {
      loops->uniform(draws.data(), width, from, out.data(), std::ssize(out));
      for (std::size_t i = 0; i < out.size(); ++i) {
        const float expected = std::fma(static_cast<float>(draws[i] & 0xFFFFFFU) * 0x1p-24F, width, from);
        if (std::isnan(expected) && std::isnan(out[i])) continue;
        ASSERT_EQ(out[i], expected) << loops->name << " " << draws[i] << " " << width << " " << from;
      }
    }
  }
}

TEST(Kernels, OfEveryInstructionSetTwistAlike) {
  std::mt19937 default_value(5);
  std::vector<std::uint32_t> first(kTwisterWords);
  std::ranges::generate(first, default_value);
  const Kernels& plain = *compiled_kernels().front();
  for (const Kernels* loops : compiled_kernels()) {
    if (!runs_here(*loops)) continue;
    std::vector<std::uint32_t> expected = first;
    std::vector<std::uint32_t> state = first;
    std::vector<std::uint32_t> expected_draws(kTwisterWords);
    std::vector<std::uint32_t> draws(kTwisterWords);
    for (int round = 0; round < 5; ++round) {
      plain.twist(expected.data());
      loops->twist(state.data());
      ASSERT_EQ(state, expected) << loops->name;
      plain.temper(expected.data(), expected_draws.data());
      loops->temper(state.data(), draws.data());
      ASSERT_EQ(draws, expected_draws) << loops->name;
    }
  }
}

}  // namespace
}  // namespace attnscope::test
