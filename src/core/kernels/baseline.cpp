// The loops for any processor: vectors of 16 bytes, which every x86-64 and every 64-bit ARM has.
#include "core/kernels/loops.h"

namespace attnscope {
namespace {

using V = Vectors<16>;
constexpr Index kRows = 4;
constexpr Index kVectors = 2;

void add_block(Index depth, const float* a, const float* b, float* out, Index out_stride, bool /*fused*/) {
  add_block_with<V, kRows, kVectors>(depth, a, b, out, out_stride,
                                     [](V::Floats x, V::Floats y, V::Floats sum) { return x * y + sum; });
}

}  // namespace

const Kernels& baseline_kernels() {
  static constexpr Kernels kKernels = {"baseline",           kRows,           kVectors * V::kWidth, add_block,
                                       exponentials_with<V>, largest_with<V>, divide_with<V>};
  return kKernels;
}

}  // namespace attnscope
