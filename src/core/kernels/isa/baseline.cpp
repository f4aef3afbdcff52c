// The loops for any processor: 16-byte vectors, which every x86-64 and 64-bit ARM supports.
#include "core/kernels/isa/loops.h"

namespace attnscope {
namespace {

struct Baseline {
  using V = Vectors<16>;
#if defined(__x86_64__)
  // Two instructions load one number into all lanes.
  static constexpr bool kSpreads = true;
#if defined(__clang__)
  static constexpr Index kRows = 6;
  static constexpr Index kVectors = 2;
#else
  // Sixteen registers: some vectors on the right are read again for every row, which takes no longer than copying them.
  // Clang would keep them all, and some sums in memory.
  static constexpr Index kRows = 3;
  static constexpr Index kVectors = 4;
#endif
#elif defined(__wasm__)
  // JavaScript engines keep no larger block in registers.
  static constexpr bool kSpreads = false;
  static constexpr Index kRows = 4;
  static constexpr Index kVectors = 2;
#else
  static constexpr bool kSpreads = false;
  static constexpr Index kRows = 6;
  static constexpr Index kVectors = 2;
#endif
  static constexpr bool kFuses = false;
  // Not every processor has a fused instruction.
  static V::Floats fused(V::Floats x, V::Floats y, V::Floats sum) { return x * y + sum; }
  static V::Floats quotient(V::Floats x, float by, float /*inverse*/) { return x / by; }
  // In two steps: the first part of ln 2 has few bits, and its product is exact.
  static V::Floats less_ln2(V::Floats x, V::Floats n) { return (x - n * 0.693359375F) + n * 2.12194440e-4F; }
  // Without the instruction, the library does it.
  static V::Floats rounded_once(V::Floats x, V::Floats y, V::Floats sum) {
    for (Index i = 0; i < V::kWidth; ++i) sum[i] = __builtin_fmaf(x[i], y[i], sum[i]);
    return sum;
  }
  static V::Floats load_some(const float* from, Index count) {
    if (count == V::kWidth) return V::load(from);
    return V::Floats{count > 0 ? from[0] : 0.0F, count > 1 ? from[1] : 0.0F, count > 2 ? from[2] : 0.0F, 0.0F};
  }
  static void store_some(float* to, V::Floats values, Index count) {
    if (count == V::kWidth) return V::store(to, values);
    if (count > 0) to[0] = values[0];
    if (count > 1) to[1] = values[1];
    if (count > 2) to[2] = values[2];
  }
  // Not every processor can bypass its caches, and those that can are slower at it with so short vectors.
  static void stream(float* to, V::Floats values) { V::store(to, values); }
  static void streamed() {}
};

}  // namespace

const Kernels& baseline_kernels() {
  static constexpr Kernels kKernels = kernels_of<Baseline>("baseline");
  return kKernels;
}

}  // namespace attnscope
