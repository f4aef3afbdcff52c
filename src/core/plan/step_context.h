// What the numbers of a step are computed with.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/read_failure.h"
#include "core/base/stop.h"
#include "core/base/tensor.h"
#include "core/base/thread_pool.h"

namespace attnscope {

class Generator;

struct StepContext {
  std::uint64_t seed = 0;
  ThreadPool* pool = nullptr;  ///< threads to help; may be null
  StopToken stop;              ///< asked in long loops, which then leave with the rest of the result unfinished
  /// Told when imported numbers cannot be read; the result is then invalid. May be null.
  ReadFailure* failure = nullptr;
  Generator* generator = nullptr;  ///< for operations that draw: gives their first number next; null for others

  /// Whether to leave with the result unfinished.
  [[nodiscard]] bool gives_up() const { return stop.stop_requested() || (failure != nullptr && failure->any()); }
};

/// The tensors of a step's inputs, in their order.
using Inputs = std::span<const Tensor* const>;

}  // namespace attnscope
