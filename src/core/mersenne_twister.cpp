#include "core/mersenne_twister.h"

namespace attnscope {
namespace {

constexpr std::size_t kShift = 397;

// The word that takes the place of `word`, made of the two behind it and the one kShift further on.
std::uint32_t successor(std::uint32_t word, std::uint32_t next, std::uint32_t far) {
  const std::uint32_t mixed = (word & 0x80000000U) | (next & 0x7FFFFFFFU);
  return far ^ (mixed >> 1U) ^ ((0U - (mixed & 1U)) & 0x9908B0DFU);
}

}  // namespace

MersenneTwister::MersenneTwister(std::uint32_t seed) {
  state_[0] = seed;
  for (std::size_t i = 1; i < kWords; ++i) {
    state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30U)) + static_cast<std::uint32_t>(i);
  }
}

// In two loops, so that what is read has never been written less than a vector before.
void MersenneTwister::twist() {
  std::uint32_t* const s = state_.data();
  for (std::size_t i = 0; i < kWords - kShift; ++i) s[i] = successor(s[i], s[i + 1], s[i + kShift]);
  for (std::size_t i = kWords - kShift; i < kWords - 1; ++i) s[i] = successor(s[i], s[i + 1], s[i + kShift - kWords]);
  s[kWords - 1] = successor(s[kWords - 1], s[0], s[kShift - 1]);
}

void MersenneTwister::temper() {
  for (std::size_t i = 0; i < kWords; ++i) {
    std::uint32_t draw = state_[i];
    draw ^= draw >> 11U;
    draw ^= (draw << 7U) & 0x9D2C5680U;
    draw ^= (draw << 15U) & 0xEFC60000U;
    draws_[i] = draw ^ (draw >> 18U);
  }
}

std::span<const std::uint32_t> MersenneTwister::next_some(std::size_t most) {
  if (used_ == kWords) {
    twist();
    temper();
    used_ = 0;
  }
  const std::size_t count = std::min(most, kWords - used_);
  used_ += count;
  return std::span(draws_).subspan(used_ - count, count);
}

void MersenneTwister::discard(std::uint64_t draws) {
  const std::uint64_t left = kWords - used_;
  if (draws <= left) {
    used_ += static_cast<std::size_t>(draws);
    return;
  }
  draws -= left;
  for (; draws > kWords; draws -= kWords) twist();
  twist();
  temper();
  used_ = static_cast<std::size_t>(draws);
}

}  // namespace attnscope
