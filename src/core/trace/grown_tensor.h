// A tensor for a longer text, which begins with rows that an earlier one has.
#pragma once

#include <memory>

#include "core/base/small_tensors.h"
#include "core/base/thread_pool.h"
#include "core/trace/known_rows.h"

namespace attnscope {

/// Where tensors of a run get their memory, and threads that help to copy. Both pointers may be null.
struct RunMemory {
  SmallTensors& small;
  std::shared_ptr<MemoryStore> store;
  ThreadPool* pool = nullptr;
};

/// `old`, from which the first rows are known, with the axes of `step`: in its memory, where that has room, and
/// otherwise in new memory, with room for tokens that follow. What is not known has any content; but where a mask hides
/// keys, later ones already are what it makes of them.
std::shared_ptr<Tensor> grown_tensor(const std::shared_ptr<const Plan>& plan, std::size_t step, const KnownRows& known,
                                     const Tensor& old, const RunMemory& memory);

}  // namespace attnscope
