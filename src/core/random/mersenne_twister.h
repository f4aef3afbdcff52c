// The random numbers of std::mt19937, computed in blocks.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/kernels/isa/instruction_set.h"

namespace attnscope {

/// MT19937: the same draws as `std::mt19937` with the same seed, in blocks that the compiler vectorizes. A value;
/// copies share their block until one of them needs the next. A group of copies may be used by only one thread at a
/// time.
///
/// Source: M. Matsumoto and T. Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998).
class MersenneTwister {
 public:
  explicit MersenneTwister(std::uint32_t seed);

  std::uint32_t next() { return next_some(1).front(); }

  /// The next draws: at least one, and at most `most`, which must be positive. Valid until the next call.
  std::span<const std::uint32_t> next_some(std::size_t most);

  /// Discards `draws` draws.
  void discard(std::uint64_t draws);

 private:
  static constexpr std::size_t kWords = kTwisterWords;

  struct Block {
    std::array<std::uint32_t, kWords> state;
    std::array<std::uint32_t, kWords> draws;  ///< computed from the state
  };

  Block& own_block();

  std::shared_ptr<Block> block_;  ///< shared with copies; immutable while shared
  std::size_t used_ = kWords;     ///< number of draws used
};

}  // namespace attnscope
