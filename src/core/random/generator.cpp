#include "core/random/generator.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "core/base/thread_pool.h"
#include "core/kernels/isa/instruction_set.h"

namespace attnscope {

namespace {

constexpr std::size_t kBlockSize = 16;
constexpr std::size_t kHalfBlock = kBlockSize / 2;

// Blocks per piece of work of a thread.
constexpr std::size_t kBlocksAtOnce = 1024;

// Approximate number of operations per element of a block.
constexpr double kWorkOfNormal = 30;

// 53 random bits for a double. PyTorch takes the high word first.
double unit_double(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t draw = (static_cast<std::uint64_t>(high) << 32U) | low;
  return static_cast<double>(draw & ((std::uint64_t{1} << 53U) - 1)) * 0x1p-53;
}

// Turns 16 numbers uniform in [0, 1) into 16 normal ones, in place: the first 8 give the radii, the last 8 the angles;
// the cosine halves come first. Like PyTorch, rounds the angle to float before the sine and cosine: for large radii,
// this rounding determines the last digits.
void normal_block(std::span<float, kBlockSize> block) {
  constexpr float two_pi = 2.0F * std::numbers::pi_v<float>;
  for (std::size_t i = 0; i < kHalfBlock; ++i) {
    const float radius = std::sqrt(-2.0F * std::log(1.0F - block[i]));
    const float angle = two_pi * block[i + kHalfBlock];
    block[i] = radius * std::cos(angle);
    block[i + kHalfBlock] = radius * std::sin(angle);
  }
}

}  // namespace

Generator::Generator(std::uint64_t seed) : engine_(static_cast<std::uint32_t>(seed & 0xFFFFFFFFU)) {}

void Generator::fill_uniform(std::span<float> out, float from, float to) {
  const Kernels& loops = kernels();
  while (!out.empty()) {
    const std::span<const std::uint32_t> draws = engine_.next_some(out.size());
    loops.uniform(draws.data(), to - from, from, out.data(), static_cast<Index>(draws.size()));
    out = out.subspan(draws.size());
  }
}

void Generator::fill_normal(std::span<float> out, ThreadPool* pool) {
  if (out.size() < kBlockSize) {
    for (float& value : out) value = static_cast<float>(next_normal());
    return;
  }
  fill_uniform(out);
  const std::size_t whole = out.size() - out.size() % kBlockSize;
  constexpr std::size_t kAtOnce = kBlocksAtOnce * kBlockSize;
  run_blocks(pool, kWorkOfNormal * static_cast<double>(whole), static_cast<Index>((whole + kAtOnce - 1) / kAtOnce),
             [&](Index piece) {
               const std::size_t begin = static_cast<std::size_t>(piece) * kAtOnce;
               for (std::size_t at = begin; at < std::min(begin + kAtOnce, whole); at += kBlockSize)
                 normal_block(out.subspan(at).first<kBlockSize>());
             });
  if (whole < out.size()) {
    const std::span<float, kBlockSize> last = out.last<kBlockSize>();
    fill_uniform(last);
    normal_block(last);
  }
}

double Generator::next_normal() {
  if (kept_normal_) {
    const double value = *kept_normal_;
    kept_normal_.reset();
    return value;
  }
  std::array<std::uint32_t, 4> draws{};
  for (std::uint32_t& draw : draws) draw = next();
  const double radius = std::sqrt(-2.0 * std::log1p(-unit_double(draws[2], draws[3])));
  const double angle = 2.0 * std::numbers::pi * unit_double(draws[0], draws[1]);
  kept_normal_ = radius * std::sin(angle);
  return radius * std::cos(angle);
}

float fan_in_bound(Index fan_in) {
  assert(fan_in > 0);
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(fan_in)));
}

float xavier_bound(Index fan_in, Index fan_out) {
  assert(fan_in >= 0 && fan_out >= 0 && fan_in + fan_out > 0);
  // Written as in PyTorch to round the same way.
  const double deviation = std::sqrt(2.0 / static_cast<double>(fan_in + fan_out));
  return static_cast<float>(std::sqrt(3.0) * deviation);
}

}  // namespace attnscope
