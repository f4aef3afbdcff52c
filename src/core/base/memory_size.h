// Sizes of memory where addresses have fewer bits than numbers that count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace attnscope {

/// `count` bytes or objects as a size in memory. Throws std::bad_alloc if it is more than an address can count: 4 GB where
/// addresses have 32 bits.
inline std::size_t memory_size(std::uint64_t count) {
  if (!std::in_range<std::size_t>(count)) throw std::bad_alloc();
  return static_cast<std::size_t>(count);
}

}  // namespace attnscope
