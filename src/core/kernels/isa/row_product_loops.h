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

/// One vector of columns, `some` of which are wanted: square blocks are transposed on the way.
template <typename Isa, bool kFused>
[[gnu::always_inline]] inline void add_columns(const RowProduct& p, Index j, Index some) {
  using V = typename Isa::V;
  using Floats = typename V::Floats;
  const float* from[V::kWidth];
  for (Index i = 0; i < V::kWidth; ++i) from[i] = p.b + (j + (i < some ? i : 0)) * p.column_stride;
  Floats all = Isa::load_some(p.sums + j, some);
  for (Index begin = 0; begin < p.depth; begin += p.block) {
    const Index end = p.block < p.depth - begin ? begin + p.block : p.depth;
    const bool added = p.goes_on || begin > 0;
    Floats sum = added ? Floats{} : all;
    Index k = begin;
    for (; k + V::kWidth <= end; k += V::kWidth) {
      Floats square[V::kWidth];
      unrolled<V::kWidth>([&]<Index i> { square[i] = V::load(from[i] + k); });
      // The next columns: hardware prefetching begins anew with each of them.
      unrolled<V::kWidth>([&]<Index i> { __builtin_prefetch(from[i] + V::kWidth * p.column_stride + k); });
      transpose<V>(square);
      unrolled<V::kWidth>(
          [&]<Index i> { sum = multiply_added<Isa, kFused>(V::all(p.a[(k + i) * p.a_depth]), square[i], sum); });
    }
    if (const Index left = end - k; left > 0) {
      Floats square[V::kWidth];
      for (Index i = 0; i < V::kWidth; ++i) square[i] = Isa::load_some(from[i] + k, left);
      transpose<V>(square);
      for (Index i = 0; i < left; ++i)
        sum = multiply_added<Isa, kFused>(V::all(p.a[(k + i) * p.a_depth]), square[i], sum);
    }
    all = added ? all + sum : sum;
  }
  store_some<Isa>(p.sums + j, all, some);
}

template <typename Isa, bool kFused>
void add_along_depth(const RowProduct& p) {
  using V = typename Isa::V;
  for (Index j = 0; j < p.columns; j += V::kWidth)
    add_columns<Isa, kFused>(p, j, V::kWidth < p.columns - j ? V::kWidth : p.columns - j);
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
