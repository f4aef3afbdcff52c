// The loops for processors with AVX-512; compiled with their instructions, called only where they are.
#include "core/kernels/compiled.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "core/kernels/loops.h"

namespace attnscope {
namespace {

struct Avx512 {
  using V = Vectors<64>;
  static constexpr Index kRows = 12;
  static constexpr Index kVectors = 2;
  static V::Floats fused(V::Floats x, V::Floats y, V::Floats sum) { return _mm512_fmadd_ps(x, y, sum); }
};

}  // namespace

const Kernels& avx512_kernels() {
  static constexpr Kernels kKernels = kernels_of<Avx512>("avx512");
  return kKernels;
}

}  // namespace attnscope

#endif
