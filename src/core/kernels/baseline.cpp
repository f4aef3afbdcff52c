// The loops for any processor: vectors of 16 bytes, which every x86-64 and every 64-bit ARM has.
#include "core/kernels/loops.h"

namespace attnscope {
namespace {

struct Baseline {
  using V = Vectors<16>;
  static constexpr Index kRows = 4;
  static constexpr Index kVectors = 2;
  // There is no fused instruction everywhere.
  static V::Floats fused(V::Floats x, V::Floats y, V::Floats sum) { return x * y + sum; }
};

}  // namespace

const Kernels& baseline_kernels() {
  static constexpr Kernels kKernels = kernels_of<Baseline>("baseline");
  return kKernels;
}

}  // namespace attnscope
