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
  // Division takes as long as ten of these. The remainder is exact, so the correction rounds as division does.
  static V::Floats quotient(V::Floats x, float by, float inverse) {
    const V::Floats q = x * inverse;
    return _mm256_fmadd_ps(_mm256_fnmadd_ps(q, V::all(by), x), V::all(inverse), q);
  }
  static V::Floats rounded_once(V::Floats x, V::Floats y, V::Floats sum) { return fused(x, y, sum); }
  static void stream(float* to, V::Floats values) { _mm256_stream_ps(to, values); }
  static void streamed() { _mm_sfence(); }
};

}  // namespace

const Kernels& avx2_kernels() {
  static constexpr Kernels kKernels = kernels_of<Avx2>("avx2");
  return kKernels;
}

}  // namespace attnscope

#endif
