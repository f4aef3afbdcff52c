// Small tensors that live and die together.
#pragma once

#include <memory>
#include <vector>

#include "core/base/memory.h"
#include "core/base/tensor.h"

namespace attnscope {

/// Allocates the small tensors of one computation in a few pieces of memory, which live as long as any of the tensors:
/// allocating each one takes longer than computing it.
class SmallTensors {
 public:
  static bool is_small(Index count) { return count <= kMaxNumbers; }

  /// Reserves room for a small tensor of `count` numbers. Call it for all tensors before making the first.
  void expect(Index count);

  /// A tensor with any content and as many numbers as one of the expected tensors. Throws std::bad_alloc.
  std::shared_ptr<Tensor> make(std::shared_ptr<const Axes> axes, Index count,
                               const std::shared_ptr<MemoryStore>& store);

 private:
  static constexpr Index kMaxNumbers = 8192;

  struct Together {
    Numbers numbers;
    std::vector<Tensor> tensors;
  };

  std::shared_ptr<Together> together_;
  std::size_t tensors_ = 0;  ///< expected
  std::size_t numbers_ = 0;
  std::size_t used_ = 0;  ///< of the numbers
};

}  // namespace attnscope
