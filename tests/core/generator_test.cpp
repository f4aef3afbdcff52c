// The generator against PyTorch's numbers, see tests/golden/random_draws.py.

#include "core/random/generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "core/base/thread_pool.h"
#include "support/golden.h"

namespace attnscope {
namespace {

using nlohmann::json;

// With AVX2, PyTorch approximates log, sin and cos: its large randn is not reproducible to the last bit.
constexpr double kLargeNormalTolerance = 5e-7;

struct Drawn {
  std::vector<float> values;
  double tolerance = 0.0;  // 0: bit for bit
};

std::vector<float> raw_halves(Generator& generator, std::size_t count) {
  std::vector<float> halves;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t draw = generator.next();
    halves.push_back(static_cast<float>(draw >> 16U));
    halves.push_back(static_cast<float>(draw & 0xFFFFU));
  }
  return halves;
}

// Carries out one call of a recipe such as ["linear", 4, 8, true].
Drawn draw(Generator& generator, const json& call) {
  const auto kind = call.at(0).get<std::string>();
  const auto count = call.at(1).get<std::size_t>();
  if (kind == "raw") return {raw_halves(generator, count)};
  if (kind == "discard") {
    generator.discard(count);
    return {};
  }
  std::vector<float> values(count);
  if (kind == "rand") {
    generator.fill_uniform(values);
    return {values};
  }
  if (kind == "uniform") {
    generator.fill_uniform(values, call.at(2).get<float>(), call.at(3).get<float>());
    return {values};
  }
  if (kind == "randn") {
    generator.fill_normal(values);
    return {values, count < 16 ? 0.0 : kLargeNormalTolerance};
  }
  const auto fan_in = static_cast<Index>(count);
  const auto fan_out = call.at(2).get<Index>();
  values.resize(static_cast<std::size_t>(fan_in * fan_out));
  if (kind == "xavier") {
    const float bound = xavier_bound(fan_in, fan_out);
    generator.fill_uniform(values, -bound, bound);
    return {values};
  }
  std::vector<float> bias(call.at(3).get<bool>() ? static_cast<std::size_t>(fan_out) : 0);
  generator.fill_uniform(values, -fan_in_bound(fan_in), fan_in_bound(fan_in));
  generator.fill_uniform(bias, -fan_in_bound(fan_in), fan_in_bound(fan_in));
  values.insert(values.end(), bias.begin(), bias.end());
  return {values};
}

const test::Golden& golden() {
  static const test::Golden data = test::read_golden(test::golden_path("generator.safetensors"));
  return data;
}

json recipe(const std::string& name) { return json::parse(golden().metadata.at("draws:" + name)); }

bool is_sampled(const std::string& name) { return golden().metadata.contains("sample:" + name); }

void expect_same_draws(const std::string& name, std::span<const float> expected) {
  SCOPED_TRACE(name);
  const json draws = recipe(name);
  Generator generator(draws.at("seed").get<std::uint64_t>());
  std::size_t at = 0;
  for (const json& call : draws.at("calls")) {
    const Drawn drawn = draw(generator, call);
    for (const float value : drawn.values) {
      ASSERT_LT(at, expected.size()) << call;
      if (drawn.tolerance == 0.0) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(value), std::bit_cast<std::uint32_t>(expected[at])) << call << " " << at;
      } else {
        EXPECT_NEAR(value, expected[at], drawn.tolerance) << call << " element " << at;
      }
      ++at;
    }
  }
  EXPECT_EQ(at, expected.size());
}

TEST(Generator, DrawsWhatPyTorchDraws) {
  int compared = 0;
  for (const auto& [name, expected] : golden().tensors) {
    if (is_sampled(name)) continue;
    expect_same_draws(name, expected.values());
    ++compared;
  }
  EXPECT_GE(compared, 90);
}

TEST(Generator, LargeNormalTensorsAgree) {
  int compared = 0;
  for (const auto& [name, expected] : golden().tensors) {
    if (!is_sampled(name)) continue;
    SCOPED_TRACE(name);
    const json draws = recipe(name);
    std::vector<float> values(draws.at("calls").at(0).at(1).get<std::size_t>());
    Generator(draws.at("seed").get<std::uint64_t>()).fill_normal(values);

    const auto positions = json::parse(golden().metadata.at("sample:" + name)).get<std::vector<std::size_t>>();
    ASSERT_EQ(positions.size(), expected.values().size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      EXPECT_NEAR(values[positions[i]], expected.values()[i], kLargeNormalTolerance) << positions[i];
    }
    const json statistics = json::parse(golden().metadata.at("statistics:" + name));
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    double squares = 0.0;
    for (const float value : values) squares += (value - mean) * (value - mean);
    EXPECT_NEAR(mean, statistics.at("mean").get<double>(), 1e-9);
    EXPECT_NEAR(std::sqrt(squares / static_cast<double>(values.size())), statistics.at("std").get<double>(), 1e-9);
    ++compared;
  }
  EXPECT_EQ(compared, 2);
}

TEST(Generator, DrawsWhatTheStandardLibraryDraws) {
  for (const std::uint32_t seed : {0U, 1U, 42U, 0xFFFFFFFFU}) {
    Generator generator(seed);
    std::mt19937 default_value(seed);
    for (const unsigned skipped : {0U, 1U, 5U, 623U, 624U, 625U, 5000U}) {
      generator.discard(skipped);
      default_value.discard(skipped);
      for (int i = 0; i < 700; ++i) ASSERT_EQ(generator.next(), default_value()) << seed << " after " << skipped;
    }
  }
}

TEST(Generator, ThreadsMakeNoDifferenceToLargeNormalTensors) {
  ThreadPool pool(3);
  for (const std::size_t count : {16U, 17U, 40000U, 100003U}) {
    Generator alone(42);
    Generator shared(42);
    std::vector<float> expected(count);
    std::vector<float> values(count);
    alone.fill_normal(expected);
    shared.fill_normal(values, &pool);
    EXPECT_EQ(values, expected);
    EXPECT_EQ(shared.next(), alone.next());
  }
}

TEST(Generator, OnlyTheLow32BitsOfTheSeedCount) {
  Generator small(7);
  Generator large((std::uint64_t{1} << 32U) + 7);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(small.next(), large.next());
}

TEST(Generator, DiscardEqualsDrawing) {
  Generator discarding(42);
  Generator drawing(42);
  std::array<float, 3> kept{};  // leaves a sine half behind, which discard must not touch
  discarding.fill_normal(kept);
  drawing.fill_normal(kept);
  discarding.discard(3168);
  std::vector<float> thrown_away(3168);
  drawing.fill_uniform(thrown_away);
  std::array<float, 5> a{};
  std::array<float, 5> b{};
  discarding.fill_normal(a);
  drawing.fill_normal(b);
  EXPECT_EQ(a, b);
}

TEST(Generator, FillingNothingDrawsNothing) {
  Generator touched(42);
  Generator untouched(42);
  touched.fill_uniform({});
  touched.fill_normal({});
  touched.discard(0);
  EXPECT_EQ(touched.next(), untouched.next());
}

TEST(Generator, ACopyContinuesOnItsOwn) {
  Generator original(1);
  std::array<float, 1> first{};
  original.fill_normal(first);
  Generator copy = original;
  std::array<float, 4> a{};
  std::array<float, 4> b{};
  original.fill_normal(a);
  copy.fill_normal(b);
  EXPECT_EQ(a, b);
  EXPECT_EQ(original.next(), copy.next());
}

// Copies share a block of draws, which must not change while shared.
TEST(Generator, CopiesAtAnyPlaceDoNotDisturbOneAnother) {
  std::mt19937 default_value(3);
  Generator original(3);
  std::vector<Generator> copies;
  std::vector<std::mt19937> expected;
  for (int i = 0; i < 40; ++i) {
    copies.push_back(original);
    expected.push_back(default_value);
    original.discard(137);
    default_value.discard(137);
  }
  ASSERT_EQ(original.next(), default_value());
  for (std::size_t i = copies.size(); i-- > 0;) {
    Generator again = copies[i];
    std::mt19937 expected_again = expected[i];
    for (int draw = 0; draw < 1300; ++draw) ASSERT_EQ(copies[i].next(), expected[i]()) << i;
    again.discard(1900);
    expected_again.discard(1900);
    ASSERT_EQ(again.next(), expected_again()) << i;
  }
  EXPECT_EQ(original.next(), default_value());
}

TEST(Generator, UniformNumbersStayInTheirInterval) {
  Generator generator(2026);
  std::vector<float> values(100000);
  generator.fill_uniform(values);
  const auto [low, high] = std::ranges::minmax(values);
  EXPECT_GE(low, 0.0F);
  EXPECT_LT(high, 1.0F);
  generator.fill_uniform(values, 2.0F, 2.0F);
  EXPECT_TRUE(std::ranges::all_of(values, [](float value) { return value == 2.0F; }));
}

TEST(Generator, NormalNumbersAreFinite) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Generator generator(seed);
    std::vector<float> values(100003);
    generator.fill_normal(values);
    EXPECT_TRUE(std::ranges::all_of(values, [](float value) { return std::isfinite(value); }));
  }
}

TEST(Generator, LayerBounds) {
  EXPECT_EQ(fan_in_bound(1), 1.0F);
  EXPECT_EQ(fan_in_bound(4), 0.5F);
  EXPECT_FLOAT_EQ(xavier_bound(3, 3), 1.0F);
  EXPECT_FLOAT_EQ(xavier_bound(32, 96), std::sqrt(6.0F / 128.0F));
}

}  // namespace
}  // namespace attnscope
