// Small tensors that come and go together.
#pragma once

#include <memory>
#include <vector>

#include "core/base/memory.h"
#include "core/base/tensor.h"

namespace attnscope {

/// Makes the small tensors of one computation in a few pieces of memory, which are there as long as any of the tensors
/// is: getting each from the allocator takes longer than computing it.
class SmallTensors {
 public:
  static bool is_small(Index count) { return count <= kMaxNumbers; }

  /// Room for a tensor of `count` numbers, which is small. To be called for all of them before the first is made.
  void expect(Index count);

  /// A tensor with any content, of as many numbers as one of those expected. Throws std::bad_alloc.
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
