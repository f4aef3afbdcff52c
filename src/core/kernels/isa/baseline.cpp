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
  // In double precision the product is exact. Rounding the sum to double and then to single precision is rounding once,
  // unless it becomes a tie, or is too small for a normal number: the library does these.
  static V::Floats rounded_once(V::Floats x, V::Floats y, V::Floats sum) {
    const Doubles low = doubles<0>(x) * doubles<0>(y) + doubles<0>(sum);
    const Doubles high = doubles<2>(x) * doubles<2>(y) + doubles<2>(sum);
    V::Words words_low;
    V::Words words_high;
    std::memcpy(&words_low, &low, sizeof(low));
    std::memcpy(&words_high, &high, sizeof(high));
    const V::Words last = __builtin_shufflevector(words_low, words_high, 0, 2, 4, 6);
    const V::Words first = __builtin_shufflevector(words_low, words_high, 1, 3, 5, 7);
    constexpr std::uint32_t kSmallestNormal = 0x38100000;  // 2^-126, as a double starts
    const auto differs = (last << 3U == 0x80000000U) | ((first & 0x7FFFFFFFU) < kSmallestNormal);
    std::uint64_t any[2];
    std::memcpy(any, &differs, sizeof(any));
    if ((any[0] | any[1]) != 0) {
      for (Index i = 0; i < V::kWidth; ++i) sum[i] = __builtin_fmaf(x[i], y[i], sum[i]);
      return sum;
    }
    return __builtin_shufflevector(__builtin_convertvector(low, Half), __builtin_convertvector(high, Half), 0, 1, 2, 3);
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

 private:
  using Half __attribute__((vector_size(8))) = float;
  using Doubles __attribute__((vector_size(16))) = double;

  /// Two of the numbers.
  template <int kFirst>
  static Doubles doubles(V::Floats x) {
    return __builtin_convertvector(__builtin_shufflevector(x, x, kFirst, kFirst + 1), Doubles);
  }
};

}  // namespace

const Kernels& baseline_kernels() {
  static constexpr Kernels kKernels = kernels_of<Baseline>("baseline");
  return kKernels;
}

}  // namespace attnscope
