// The random numbers of std::mt19937, many at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace attnscope {

/// MT19937: the same draws as `std::mt19937` with the same seed, in blocks that the compiler turns into vectors. A
/// value, like that one.
///
/// Source: M. Matsumoto and T. Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998).
class MersenneTwister {
 public:
  explicit MersenneTwister(std::uint32_t seed);

  std::uint32_t next() { return next_some(1).front(); }

  /// The next draws: at least one, and at most `most`, which is positive. They are there until the next call.
  std::span<const std::uint32_t> next_some(std::size_t most);

  /// Throws `draws` draws away.
  void discard(std::uint64_t draws);

 private:
  static constexpr std::size_t kWords = 624;

  void twist();
  void temper();

  std::array<std::uint32_t, kWords> state_;
  std::array<std::uint32_t, kWords> draws_;  ///< made of the state
  std::size_t used_ = kWords;                ///< of the draws
};

}  // namespace attnscope
