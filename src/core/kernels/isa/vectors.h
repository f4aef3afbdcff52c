// Vectors of any width, for the loops that are compiled once per instruction set. Everything is in an unnamed
// namespace: the linker cannot share code compiled for another processor.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "core/base/tensor.h"

namespace attnscope {
namespace {

/// Vectors of floats, `kBytes` long, with the compiler's built-in operators.
template <int kBytes>
struct Vectors {
  using Floats __attribute__((vector_size(kBytes))) = float;
  using Words __attribute__((vector_size(kBytes))) = std::uint32_t;
  using Signed __attribute__((vector_size(kBytes))) = int;
  static constexpr Index kWidth = kBytes / static_cast<int>(sizeof(float));
  /// In memory, in any place. Of a copy by std::memcpy GCC would make two halves, and keep what is copied in memory.
  using Anywhere __attribute__((vector_size(kBytes), aligned(alignof(float)), may_alias)) = float;
  using WordsAnywhere __attribute__((vector_size(kBytes), aligned(alignof(float)), may_alias)) = std::uint32_t;

  static Floats load(const float* from) { return *reinterpret_cast<const Anywhere*>(from); }
  static void store(float* to, Floats vector) { *reinterpret_cast<Anywhere*>(to) = vector; }
  static Words load(const std::uint32_t* from) { return *reinterpret_cast<const WordsAnywhere*>(from); }
  static void store(std::uint32_t* to, Words vector) { *reinterpret_cast<WordsAnywhere*>(to) = vector; }
  static Floats all(float value) { return value - Floats{}; }

  /// The first `count` numbers, followed by those of `others`.
  static Floats first_of(Floats values, Index count, Floats others) {
    int numbers[kWidth];
    for (int i = 0; i < kWidth; ++i) numbers[i] = i;
    Signed places;
    std::memcpy(&places, numbers, sizeof(places));
    return places < static_cast<int>(count) ? values : others;
  }
};

/// Calls `use<0>()` … `use<kCount − 1>()`. An array with constant subscripts can stay in registers; an array that a
/// loop traverses, even a short one, often lives in memory.
template <Index kCount, typename Use>
[[gnu::always_inline]] inline void unrolled(const Use& use) {
  [&]<Index... kEach>(std::integer_sequence<Index, kEach...>) __attribute__((always_inline)) {
    (use.template operator()<kEach>(), ...);
  }
  (std::make_integer_sequence<Index, kCount>{});
}

/// Interleaves the lower halves of two vectors.
template <typename V>
typename V::Floats interleave_low(typename V::Floats a, typename V::Floats b) {
  if constexpr (V::kWidth == 4) {
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
  } else if constexpr (V::kWidth == 8) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  } else {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  }
}

/// Interleaves the upper halves of two vectors.
template <typename V>
typename V::Floats interleave_high(typename V::Floats a, typename V::Floats b) {
  if constexpr (V::kWidth == 4) {
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
  } else if constexpr (V::kWidth == 8) {
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  } else {
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  }
}

/// Transposes a square matrix. Each round interleaves the upper half of the rows with the lower half, which moves one
/// bit of a number's row index into its column index.
template <typename V>
void transpose(typename V::Floats (&rows)[V::kWidth]) {
  constexpr Index kHalf = V::kWidth / 2;
  for (Index round = 1; round < V::kWidth; round *= 2) {
    typename V::Floats next[V::kWidth];
    for (Index i = 0; i < kHalf; ++i) {
      next[2 * i] = interleave_low<V>(rows[i], rows[i + kHalf]);
      next[2 * i + 1] = interleave_high<V>(rows[i], rows[i + kHalf]);
    }
    for (Index i = 0; i < V::kWidth; ++i) rows[i] = next[i];
  }
}

}  // namespace
}  // namespace attnscope
