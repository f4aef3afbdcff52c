// All loops of `Kernels`. Included by the files that are compiled for one instruction set each, and by no other.
#pragma once

#include "core/kernels/compiled.h"
#include "core/kernels/product_loops.h"
#include "core/kernels/softmax_loops.h"

namespace attnscope {
namespace {

template <typename Isa>
constexpr Kernels kernels_of(const char* name) {
  using V = typename Isa::V;
  return {
      name,          Isa::kRows,           Isa::kVectors * V::kWidth, multiply_panel<Isa>, pack_panel<Isa>, scale<Isa>,
      Isa::streamed, exponentials_with<V>, weights_with<Isa>,         largest_with<V>,     divide_with<Isa>};
}

}  // namespace
}  // namespace attnscope
