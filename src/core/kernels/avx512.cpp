// The loops for processors with AVX-512; compiled with their instructions, called only where they are.
#include "core/kernels/compiled.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "core/kernels/loops.h"

namespace attnscope {
namespace {

using V = Vectors<64>;
constexpr Index kRows = 12;
constexpr Index kVectors = 2;

void add_block(Index depth, const float* a, const float* b, float* out, Index out_stride, bool fused) {
  if (fused) {
    add_block_with<V, kRows, kVectors>(
        depth, a, b, out, out_stride,
        [](V::Floats x, V::Floats y, V::Floats sum) -> V::Floats { return _mm512_fmadd_ps(x, y, sum); });
  } else {
    add_block_with<V, kRows, kVectors>(depth, a, b, out, out_stride,
                                       [](V::Floats x, V::Floats y, V::Floats sum) { return x * y + sum; });
  }
}

}  // namespace

const Kernels& avx512_kernels() {
  static constexpr Kernels kKernels = {
      "avx512", kRows, kVectors * V::kWidth, add_block, exponentials_with<V>, largest_with<V>, divide_with<V>};
  return kKernels;
}

}  // namespace attnscope

#endif
