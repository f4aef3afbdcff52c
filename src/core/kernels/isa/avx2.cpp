// The loops for AVX2 and FMA; compiled with these instructions, called only on processors that support them.
#include "core/kernels/isa/compiled.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "core/kernels/isa/loops.h"

namespace attnscope {
namespace {

struct Avx2 {
  using V = Vectors<32>;
  static constexpr Index kRows = 6;
  static constexpr Index kVectors = 2;
  static constexpr bool kSpreads = false;
  static constexpr bool kFuses = true;
  static V::Floats fused(V::Floats x, V::Floats y, V::Floats sum) { return _mm256_fmadd_ps(x, y, sum); }
  // A division costs as much as ten of these steps. The remainder is exact: the correction rounds like a division.
  static V::Floats quotient(V::Floats x, float by, float inverse) {
    const V::Floats q = x * inverse;
    return _mm256_fmadd_ps(_mm256_fnmadd_ps(q, V::all(by), x), V::all(inverse), q);
  }
  // The product is exact: a single float for ln 2 is enough.
  static V::Floats less_ln2(V::Floats x, V::Floats n) { return fused(n, V::all(-0.69314718055994531F), x); }
  static V::Floats rounded_once(V::Floats x, V::Floats y, V::Floats sum) { return fused(x, y, sum); }
  static V::Floats load_some(const float* from, Index count) { return _mm256_maskload_ps(from, first(count)); }
  static void store_some(float* to, V::Floats values, Index count) { _mm256_maskstore_ps(to, first(count), values); }
  static void stream(float* to, V::Floats values) { _mm256_stream_ps(to, values); }
  static void streamed() { _mm_sfence(); }

 private:
  static __m256i first(Index count) {
    const __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), places);
  }
};

}  // namespace

const Kernels& avx2_kernels() {
  static constexpr Kernels kKernels = kernels_of<Avx2>("avx2");
  return kKernels;
}

}  // namespace attnscope

#endif
