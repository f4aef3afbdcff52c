// Memory for packed factors and blocks of scores.
#pragma once

#include <utility>

#include "core/base/memory.h"
#include "core/base/memory_size.h"
#include "core/base/tensor.h"

namespace attnscope {

/// Cache-line aligned memory that is reused. Make it thread_local.
class Scratch {
 public:
  Scratch() = default;
  ~Scratch() { release_block(block_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Uninitialized room for `count` numbers; invalidates earlier results.
  float* of_size(Index count) {
    const std::size_t bytes = memory_size(static_cast<std::uint64_t>(count) * sizeof(float));
    if (bytes > block_.bytes) {
      release_block(std::exchange(block_, {}));
      block_ = allocate_work_space(bytes);
    }
    return block_.data;
  }

 private:
  MemoryBlock block_;
};

}  // namespace attnscope
