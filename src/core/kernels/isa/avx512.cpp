// The loops for AVX-512; compiled with these instructions, called only on processors that support them.
#include "core/kernels/isa/compiled.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "core/kernels/isa/loops.h"

namespace attnscope {
namespace {

struct Avx512 {
  using V = Vectors<64>;
  static constexpr Index kRows = 12;
  static constexpr Index kVectors = 2;
  static constexpr bool kSpreads = false;
  static constexpr bool kFuses = true;
  static V::Floats fused(V::Floats x, V::Floats y, V::Floats sum) { return _mm512_fmadd_ps(x, y, sum); }
  // As with AVX2.
  static V::Floats quotient(V::Floats x, float by, float inverse) {
    const V::Floats q = x * inverse;
    return _mm512_fmadd_ps(_mm512_fnmadd_ps(q, V::all(by), x), V::all(inverse), q);
  }
  // As with AVX2.
  static V::Floats less_ln2(V::Floats x, V::Floats n) { return fused(n, V::all(-0.69314718055994531F), x); }
  static V::Floats rounded_once(V::Floats x, V::Floats y, V::Floats sum) { return fused(x, y, sum); }
  static V::Floats load_some(const float* from, Index count) { return _mm512_maskz_loadu_ps(first(count), from); }
  static void store_some(float* to, V::Floats values, Index count) { _mm512_mask_storeu_ps(to, first(count), values); }
  static void stream(float* to, V::Floats values) { _mm512_stream_ps(to, values); }
  static void streamed() { _mm_sfence(); }

 private:
  static __mmask16 first(Index count) { return static_cast<__mmask16>((1U << static_cast<unsigned>(count)) - 1U); }
};

}  // namespace

const Kernels& avx512_kernels() {
  static constexpr Kernels kKernels = kernels_of<Avx512>("avx512");
  return kKernels;
}

}  // namespace attnscope

#endif
