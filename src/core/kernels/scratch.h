// Memory for packed factors and blocks of scores.
#pragma once

#include <cstddef>
#include <new>

#include "core/tensor.h"

namespace attnscope {

/// Memory that begins at a line of the cache, kept from one use to the next. Make it thread_local.
class Scratch {
 public:
  Scratch() = default;
  ~Scratch() { operator delete[](data_, kAlignment); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Room for `count` numbers, whatever is in it; what was handed out before is gone.
  float* of_size(Index count) {
    if (count > size_) {
      operator delete[](data_, kAlignment);
      data_ = nullptr;
      size_ = 0;
      data_ = static_cast<float*>(operator new[](static_cast<std::size_t>(count) * sizeof(float), kAlignment));
      size_ = count;
    }
    return data_;
  }

 private:
  static constexpr std::align_val_t kAlignment{64};

  float* data_ = nullptr;
  Index size_ = 0;
};

}  // namespace attnscope
