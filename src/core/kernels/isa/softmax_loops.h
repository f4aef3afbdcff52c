// The loops of softmax. Included only by the files that are compiled for one instruction set each.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/kernels/isa/instruction_set.h"
#include "core/kernels/isa/product_loops.h"
#include "core/kernels/isa/vectors.h"

namespace attnscope {
namespace {

/// Replaces each x ≤ 88 by exp(x): x = n ln 2 + r, e^r ≈ 1 + r + r² q(r), times 2^n. Below −87.3, where no normal
/// number is left, the result is 0. Uses fused multiply-add if available, and evaluates the polynomial in pairs of
/// terms to shorten dependency chains. Several vectors go through each step together and hide the latency. q is the
/// polynomial of degree 4 with the smallest relative error of e^r for |r| ≤ ln 2 / 2, 4e-9. ln 2 may be the nearest
/// float, 2e-9 off. Including rounding, the relative error is 1.2e-7 down to x = −20, and 3e-7 at −87.
template <typename Isa, Index kCount>
[[gnu::always_inline]] inline void exponentiate(typename Isa::V::Floats (&x)[kCount]) {
  using V = typename Isa::V;
  using Floats = typename V::Floats;
  using Words = typename V::Words;
  constexpr float kRound = 12582912.0F;  // 1.5 · 2^23: adding it rounds to an integer in the low bits
  constexpr float kQ[] = {4.9999994e-1F, 1.6666521e-1F, 4.1668389e-2F, 8.3687454e-3F, 1.3814541e-3F};
  Floats rounded[kCount];
  Floats r[kCount];
  Floats r2[kCount];
  Floats p[kCount];
  unrolled<kCount>([&]<Index i> { rounded[i] = Isa::fused(x[i], V::all(1.44269504088896341F), V::all(kRound)); });
  unrolled<kCount>([&]<Index i> { p[i] = rounded[i] - kRound; });
  unrolled<kCount>([&]<Index i> { r[i] = Isa::less_ln2(x[i], p[i]); });
  unrolled<kCount>([&]<Index i> {
    r2[i] = r[i] * r[i];
    p[i] = Isa::fused(r[i], V::all(kQ[3]), V::all(kQ[2]));
  });
  unrolled<kCount>([&]<Index i> { p[i] = Isa::fused(r2[i], V::all(kQ[4]), p[i]); });
  unrolled<kCount>([&]<Index i> { p[i] = Isa::fused(p[i], r2[i], Isa::fused(r[i], V::all(kQ[1]), V::all(kQ[0]))); });
  unrolled<kCount>([&]<Index i> { p[i] = Isa::fused(p[i], r2[i], r[i] + 1.0F); });
  unrolled<kCount>([&]<Index i> {
    Words bits;
    std::memcpy(&bits, &rounded[i], sizeof(bits));
    bits = (bits + 127) << 23;
    Floats power;
    std::memcpy(&power, &bits, sizeof(power));
    x[i] = x[i] < -87.3F ? Floats{} : p[i] * power;
  });
}

/// Calls `loop` with the function that maps a vector of logits to exponents.
template <typename V, typename Loop>
void with_exponent_of(const Exponent& e, const Loop& loop) {
  using Floats = typename V::Floats;
  const float divisor = e.divisor;
  const float shift = e.shift;
  if (divisor == 1) {
    loop([=](Floats x) { return x - shift; });
  } else if (e.shifted_first) {
    loop([=](Floats x) { return (x - shift) / divisor; });
  } else {
    loop([=](Floats x) { return x / divisor - shift; });
  }
}

/// Calls `use(exponentials, position, count)` for every vector; only the first `count` numbers of it are valid.
template <typename Isa, typename ExponentOf, typename Use>
[[gnu::always_inline]] inline void for_each_exponential(const float* in, Index count, const ExponentOf& exponent_of,
                                                        const Use& use) {
  using V = typename Isa::V;
  constexpr Index kTogether = 4;
  Index i = 0;
  for (; i + kTogether * V::kWidth <= count; i += kTogether * V::kWidth) {
    typename V::Floats x[kTogether];
    unrolled<kTogether>([&]<Index k> { x[k] = exponent_of(V::load(in + i + k * V::kWidth)); });
    exponentiate<Isa>(x);
    unrolled<kTogether>([&]<Index k> { use(x[k], i + k * V::kWidth, V::kWidth); });
  }
  for (; i < count; i += V::kWidth) {
    const Index some = V::kWidth < count - i ? V::kWidth : count - i;
    typename V::Floats x[1] = {exponent_of(Isa::load_some(in + i, some))};
    exponentiate<Isa>(x);
    use(x[0], i, some);
  }
}

template <typename Isa>
void store_some(float* to, typename Isa::V::Floats values, Index count) {
  if (count == Isa::V::kWidth) {
    Isa::V::store(to, values);
  } else {
    Isa::store_some(to, values, count);
  }
}

/// Accumulates in a local variable: one that a called function could reach would live in memory.
template <typename Isa, bool kKept, typename ExponentOf>
float sum_of_exponentials(const float* in, const ExponentOf& exponent_of, float* out, Index count) {
  using V = typename Isa::V;
  using Floats = typename V::Floats;
  Floats sums = {};
  for_each_exponential<Isa>(
      in, count, exponent_of, [&](Floats values, Index at, Index some) __attribute__((always_inline)) {
        if constexpr (kKept) store_some<Isa>(out + at, values, some);
        sums += some == V::kWidth ? values : V::first_of(values, some, Floats{});
      });
  float sum = 0;
  for (Index j = 0; j < V::kWidth; ++j) sum += sums[j];
  return sum;
}

template <typename Isa>
float exponentials_with(const float* in, const Exponent& e, float* out, Index count) {
  float sum = 0;
  with_exponent_of<typename Isa::V>(e, [&](const auto& exponent_of) {
    sum = out != nullptr ? sum_of_exponentials<Isa, true>(in, exponent_of, out, count)
                         : sum_of_exponentials<Isa, false>(in, exponent_of, out, count);
  });
  return sum;
}

template <typename Isa>
void weights_with(const float* in, const Exponent& e, float sum, float* out, Index count) {
  using V = typename Isa::V;
  using Floats = typename V::Floats;
  with_exponent_of<V>(e, [=](const auto& exponent_of) {
    const float inverse = 1 / sum;
    for_each_exponential<Isa>(
        in, count, exponent_of, [=](Floats values, Index at, Index some) __attribute__((always_inline)) {
          store_some<Isa>(out + at, Isa::quotient(values, sum, inverse), some);
        });
  });
}

template <typename Isa>
float largest_with(const float* in, Index count) {
  using V = typename Isa::V;
  using Floats = typename V::Floats;
  constexpr Index kChains = 4;  // independent chains: each comparison waits for the previous one in its chain
  float most = -__builtin_inff();
  Floats mosts[kChains];
  for (Floats& each : mosts) each = V::all(0) + most;
  Index i = 0;
  for (; i + kChains * V::kWidth <= count; i += kChains * V::kWidth) {
    for (Index chain = 0; chain < kChains; ++chain) {
      const Floats value = V::load(in + i + chain * V::kWidth);
      mosts[chain] = value > mosts[chain] ? value : mosts[chain];
    }
  }
  for (; i < count; i += V::kWidth) {
    const Index some = V::kWidth < count - i ? V::kWidth : count - i;
    const Floats value = V::first_of(Isa::load_some(in + i, some), some, mosts[0]);
    mosts[0] = value > mosts[0] ? value : mosts[0];
  }
  for (Index chain = 1; chain < kChains; ++chain) {
    mosts[0] = mosts[chain] > mosts[0] ? mosts[chain] : mosts[0];
  }
  for (Index j = 0; j < V::kWidth; ++j) most = mosts[0][j] > most ? mosts[0][j] : most;
  return most;
}

/// The maxima of as many bins as a vector has lanes: lane by lane, then all bins at once.
template <typename V>
void largest_of_bins(const float* in, Index bin, float* out) {
  using Floats = typename V::Floats;
  Floats mosts[V::kWidth];
  for (Index b = 0; b < V::kWidth; ++b) {
    mosts[b] = V::all(0) - __builtin_inff();
    for (Index i = 0; i < bin; i += V::kWidth) {
      const Floats value = V::load(in + b * bin + i);
      mosts[b] = value > mosts[b] ? value : mosts[b];
    }
  }
  transpose<V>(mosts);
  for (Index j = 1; j < V::kWidth; ++j) mosts[0] = mosts[j] > mosts[0] ? mosts[j] : mosts[0];
  V::store(out, mosts[0]);
}

template <typename Isa>
void largest_each_with(const float* in, Index count, Index bin, float* out) {
  using V = typename Isa::V;
  Index i = 0;
  if (bin >= V::kWidth) {
    for (; i + V::kWidth * bin <= count; i += V::kWidth * bin) largest_of_bins<V>(in + i, bin, out + i / bin);
  }
  for (; i < count; i += bin) out[i / bin] = largest_with<Isa>(in + i, bin < count - i ? bin : count - i);
}

template <typename Isa>
void divide_with(float* values, float by, float* copy, Index count) {
  using V = typename Isa::V;
  using Floats = typename V::Floats;
  const float inverse = 1 / by;
  const bool streamed = copy != nullptr && reinterpret_cast<std::uintptr_t>(copy) % sizeof(Floats) == 0;
  Index i = 0;
  for (; i + V::kWidth <= count; i += V::kWidth) {
    const Floats quotient = Isa::quotient(V::load(values + i), by, inverse);
    V::store(values + i, quotient);
    if (streamed) Isa::stream(copy + i, quotient);
  }
  const Index whole = streamed ? i : 0;
  if (i < count) {
    const Index some = count - i;
    Isa::store_some(values + i, Isa::quotient(Isa::load_some(values + i, some), by, inverse), some);
  }
  if (copy != nullptr) stream<Isa>(values + whole, copy + whole, count - whole);
}

}  // namespace
}  // namespace attnscope
