// The random numbers of std::mt19937, many at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/kernels/isa/instruction_set.h"

namespace attnscope {

/// MT19937: the same draws as `std::mt19937` with the same seed, in blocks that the compiler turns into vectors. A
/// value, like that one; a copy takes no memory until it or the original gets to its next block. Copies may be used by
/// one thread at a time, all of them together.
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
  static constexpr std::size_t kWords = kTwisterWords;

  struct Block {
    std::array<std::uint32_t, kWords> state;
    std::array<std::uint32_t, kWords> draws;  ///< made of the state
  };

  Block& own_block();

  std::shared_ptr<Block> block_;  ///< the copies' too, and then nobody changes it
  std::size_t used_ = kWords;     ///< of the draws
};

}  // namespace attnscope
