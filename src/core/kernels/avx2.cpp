// The loops for processors with AVX2 and FMA; compiled with their instructions, called only where they are.
#include "core/kernels/compiled.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "core/kernels/loops.h"

namespace attnscope {
namespace {

struct Avx2 {
  using V = Vectors<32>;
  static constexpr Index kRows = 6;
  static constexpr Index kVectors = 2;
  static V::Floats fused(V::Floats x, V::Floats y, V::Floats sum) { return _mm256_fmadd_ps(x, y, sum); }
};

}  // namespace

const Kernels& avx2_kernels() {
  static constexpr Kernels kKernels = kernels_of<Avx2>("avx2");
  return kKernels;
}

}  // namespace attnscope

#endif
