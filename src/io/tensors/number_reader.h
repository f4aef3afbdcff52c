// Boxes of numbers out of files of tensors. Private to io/.
#pragma once

#include <span>

#include "core/base/stop.h"
#include "io/tensors/tensor_listing.h"

namespace attnscope {

/// begin ≤ index < end along every axis.
struct Box {
  std::span<const Index> begin;
  std::span<const Index> end;
};

/// The number of elements in a box. Fails unless it lies in a tensor of that shape.
Result<Index> count_in(const Box& box, std::span<const Index> shape);

/// Fills `out`, which has room for them, with the numbers of `box` in C order, whatever the file's order is. `shape` is
/// the shape of the whole tensor, and `source` has all its bytes. Takes at most a quarter of a megabyte of memory.
Result<void> read_numbers(const ByteSource& source, const StoredNumbers& stored, std::span<const Index> shape,
                          const Box& box, std::span<float> out, const StopToken& stop);

}  // namespace attnscope
