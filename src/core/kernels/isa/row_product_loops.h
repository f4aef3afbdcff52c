// The loop of products of single rows; see `RowProduct`. Included only by the files that are compiled for one
// instruction set each.
#pragma once

#include "core/kernels/isa/instruction_set.h"
#include "core/kernels/isa/softmax_loops.h"
#include "core/kernels/isa/vectors.h"

namespace attnscope {
namespace {

template <typename Isa, bool kFused>
[[gnu::always_inline]] inline typename Isa::V::Floats multiply_added(typename Isa::V::Floats x,
                                                                     typename Isa::V::Floats y,
                                                                     typename Isa::V::Floats sum) {
  if constexpr (kFused) {
    return Isa::fused(x, y, sum);
  } else {
    return x * y + sum;
  }
}

/// `kDepth` rows of b at a time: their numbers are read along the rows, and the sums stay in the first cache.
template <typename Isa, bool kFused, Index kDepth, bool kApart>
[[gnu::always_inline]] inline void add_rows(const RowProduct& p, Index k) {
  using V = typename Isa::V;
  using Floats = typename V::Floats;
  Floats left[kDepth];
  unrolled<kDepth>([&]<Index i> { left[i] = V::all(p.a[(k + i) * p.a_depth]); });
  const float* const b = p.b + k * p.depth_stride;
  const auto add = [&](Floats sum, const auto& load) __attribute__((always_inline)) {
    unrolled<kDepth>([&]<Index i> { sum = multiply_added<Isa, kFused>(left[i], load(b + i * p.depth_stride), sum); });
    return sum;
  };
  Index j = 0;
  for (; j + V::kWidth <= p.columns; j += V::kWidth) {
    // Hardware does not prefetch rows that are far apart.
    if constexpr (kApart) unrolled<kDepth>([&]<Index i> { __builtin_prefetch(b + (kDepth + i) * p.depth_stride + j); });
    V::store(p.sums + j, add(V::load(p.sums + j), [=](const float* from) { return V::load(from + j); }));
  }
  if (j == p.columns) return;
  const Index some = p.columns - j;
  Isa::store_some(
      p.sums + j,
      add(Isa::load_some(p.sums + j, some), [=](const float* from) { return Isa::load_some(from + j, some); }), some);
}

template <typename Isa, bool kFused, bool kApart>
void add_along_columns(const RowProduct& p) {
  constexpr Index kTogether = 8;
  Index k = 0;
  for (; k + kTogether <= p.depth; k += kTogether) add_rows<Isa, kFused, kTogether, kApart>(p, k);
  for (; k < p.depth; ++k) add_rows<Isa, kFused, 1, false>(p, k);
}

/// `some` columns of one vector, of which square blocks are transposed on the way.
template <typename Isa, bool kFused>
class ColumnSums {
 public:
  using V = typename Isa::V;
  using Floats = typename V::Floats;

  [[gnu::always_inline]] ColumnSums(const RowProduct& p, Index j, Index some) : p_(p), sums_(p.sums + j), some_(some) {
    for (Index i = 0; i < V::kWidth; ++i) from_[i] = p.b + (j + (i < some ? i : 0)) * p.column_stride;
    all_ = Isa::load_some(sums_, some);
  }

  [[gnu::always_inline]] void begin_block(Index begin) {
    added_ = p_.goes_on || begin > 0;
    sum_ = added_ ? Floats{} : all_;
  }

  /// The next columns are `ahead` columns further: hardware prefetching begins anew with each of them.
  [[gnu::always_inline]] void add_square(Index k, Index ahead) {
    Floats square[V::kWidth];
    unrolled<V::kWidth>([&]<Index i> { square[i] = V::load(from_[i] + k); });
    unrolled<V::kWidth>([&]<Index i> { __builtin_prefetch(from_[i] + ahead * p_.column_stride + k); });
    transpose<V>(square);
    unrolled<V::kWidth>([&]<Index i> { add(k + i, square[i]); });
  }

  [[gnu::always_inline]] void add_rest(Index k, Index left) {
    Floats square[V::kWidth];
    for (Index i = 0; i < V::kWidth; ++i) square[i] = Isa::load_some(from_[i] + k, left);
    transpose<V>(square);
    for (Index i = 0; i < left; ++i) add(k + i, square[i]);
  }

  [[gnu::always_inline]] void end_block() { all_ = added_ ? all_ + sum_ : sum_; }
  [[gnu::always_inline]] void store() const { store_some<Isa>(sums_, all_, some_); }

 private:
  [[gnu::always_inline]] void add(Index k, Floats numbers) {
    sum_ = multiply_added<Isa, kFused>(V::all(p_.a[k * p_.a_depth]), numbers, sum_);
  }

  const RowProduct& p_;
  const float* from_[V::kWidth];
  float* sums_;
  Index some_;
  Floats all_;
  Floats sum_;
  bool added_ = false;
};

/// `kVectors` vectors of columns at a time, the last one with `some` columns: each sum waits for the number before, and
/// the processor adds to the others meanwhile.
template <typename Isa, bool kFused, Index kVectors>
[[gnu::always_inline]] inline void add_columns(const RowProduct& p, Index j, Index some) {
  constexpr Index kWidth = Isa::V::kWidth;
  using Sums = ColumnSums<Isa, kFused>;
  const auto add = [&](auto... sums) __attribute__((always_inline)) {
    for (Index begin = 0; begin < p.depth; begin += p.block) {
      const Index end = p.block < p.depth - begin ? begin + p.block : p.depth;
      (sums.begin_block(begin), ...);
      Index k = begin;
      for (; k + kWidth <= end; k += kWidth) (sums.add_square(k, kVectors * kWidth), ...);
      if (const Index left = end - k; left > 0) (sums.add_rest(k, left), ...);
      (sums.end_block(), ...);
    }
    (sums.store(), ...);
  };
  if constexpr (kVectors == 1) add(Sums(p, j, some));
  if constexpr (kVectors == 2) add(Sums(p, j, kWidth), Sums(p, j + kWidth, some));
}

template <typename Isa, bool kFused>
void add_along_depth(const RowProduct& p) {
  constexpr Index kWidth = Isa::V::kWidth;
  Index j = 0;
  // Two vectors of 16 would read 32 columns at once: more than the first cache keeps apart.
  if constexpr (kWidth <= 8)
    for (; j + 2 * kWidth <= p.columns; j += 2 * kWidth) add_columns<Isa, kFused, 2>(p, j, kWidth);
  for (; j < p.columns; j += kWidth) add_columns<Isa, kFused, 1>(p, j, kWidth < p.columns - j ? kWidth : p.columns - j);
}

template <typename Isa>
void multiply_row(const RowProduct& p) {
  if (p.column_stride == 1 && p.depth_stride != p.columns) {
    p.fused ? add_along_columns<Isa, true, true>(p) : add_along_columns<Isa, false, true>(p);
  } else if (p.column_stride == 1) {
    p.fused ? add_along_columns<Isa, true, false>(p) : add_along_columns<Isa, false, false>(p);
  } else {
    p.fused ? add_along_depth<Isa, true>(p) : add_along_depth<Isa, false>(p);
  }
}

}  // namespace
}  // namespace attnscope
