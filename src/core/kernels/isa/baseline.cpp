// The loops for any processor: 16-byte vectors, which every x86-64 and 64-bit ARM supports.
#include "core/kernels/isa/loops.h"

namespace attnscope {
namespace {

struct Baseline {
  using V = Vectors<16>;
  static constexpr Index kRows = 6;
  static constexpr Index kVectors = 2;
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
    V::Floats values = {};
    for (Index i = 0; i < count; ++i) values[i] = from[i];
    return values;
  }
  static void store_some(float* to, V::Floats values, Index count) {
    for (Index i = 0; i < count; ++i) to[i] = values[i];
  }
  // Not every processor can bypass its caches.
  static void stream(float* to, V::Floats values) { V::store(to, values); }
  static void streamed() {}
};

}  // namespace

const Kernels& baseline_kernels() {
  static constexpr Kernels kKernels = kernels_of<Baseline>("baseline");
  return kKernels;
}

}  // namespace attnscope
