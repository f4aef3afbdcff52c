// The loops of activations. Included only by the files that are compiled for one instruction set each.
#pragma once

#include "core/kernels/isa/instruction_set.h"
#include "core/kernels/isa/softmax_loops.h"
#include "core/kernels/isa/vectors.h"

namespace attnscope {
namespace {

/// Calls `map` with whole vectors in place, several at a time: each hides the latency of the others.
template <typename Isa, typename Map>
[[gnu::always_inline]] inline void map_vectors(const float* in, float* out, Index count, const Map& map) {
  using V = typename Isa::V;
  constexpr Index kTogether = 4;
  Index i = 0;
  for (; i + kTogether * V::kWidth <= count; i += kTogether * V::kWidth) {
    typename V::Floats x[kTogether];
    unrolled<kTogether>([&]<Index k> { x[k] = V::load(in + i + k * V::kWidth); });
    map(x);
    unrolled<kTogether>([&]<Index k> { V::store(out + i + k * V::kWidth, x[k]); });
  }
  for (; i < count; i += V::kWidth) {
    const Index some = V::kWidth < count - i ? V::kWidth : count - i;
    typename V::Floats x[1] = {Isa::load_some(in + i, some)};
    map(x);
    store_some<Isa>(out + i, x[0], some);
  }
}

/// Replaces each z by sigmoid(z) = 1 / (1 + exp(−z)); by 0 where the exponential is too large for a float.
template <typename Isa, Index kCount>
[[gnu::always_inline]] inline void sigmoids(typename Isa::V::Floats (&z)[kCount]) {
  using Floats = typename Isa::V::Floats;
  constexpr float kLargest = 88;
  Floats x[kCount];
  unrolled<kCount>([&]<Index i> { x[i] = -z[i] > kLargest ? Isa::V::all(kLargest) : -z[i]; });
  exponentiate<Isa>(x);
  unrolled<kCount>([&]<Index i> { z[i] = -z[i] > kLargest ? Floats{} : 1.0F / (1.0F + x[i]); });
}

/// out[i] = in[i] · sigmoid(factor · in[i]).
template <typename Isa>
void times_sigmoid(const float* in, float factor, float* out, Index count) {
  using Floats = typename Isa::V::Floats;
  map_vectors<Isa>(
      in, out, count, [=]<Index kCount>(Floats(&x)[kCount]) __attribute__((always_inline)) {
        Floats z[kCount];
        unrolled<kCount>([&]<Index i> { z[i] = x[i] * factor; });
        sigmoids<Isa>(z);
        unrolled<kCount>([&]<Index i> { x[i] *= z[i]; });
      });
}

/// ½ x (1 + tanh(u)) = x · sigmoid(2u) with u = √(2/π) (x + 0.044715 x³).
template <typename Isa, Index kCount>
[[gnu::always_inline]] inline void gelus_by_tanh(typename Isa::V::Floats (&x)[kCount]) {
  using V = typename Isa::V;
  constexpr float kLinear = 1.5957691216057308F;  // 2 √(2/π)
  constexpr float kCubic = 0.0713548162726F;      // 0.044715 · 2 √(2/π)
  typename V::Floats z[kCount];
  unrolled<kCount>([&]<Index i> { z[i] = x[i] * Isa::fused(x[i] * x[i], V::all(kCubic), V::all(kLinear)); });
  sigmoids<Isa>(z);
  unrolled<kCount>([&]<Index i> { x[i] *= z[i]; });
}

template <typename Isa>
void gelu_tanh(const float* in, float* out, Index count) {
  using Floats = typename Isa::V::Floats;
  map_vectors<Isa>(
      in, out, count, []<Index kCount>(Floats(&x)[kCount]) __attribute__((always_inline)) { gelus_by_tanh<Isa>(x); });
}

/// x · Φ(x), where Φ(−|x|) = ½ erfc(t) with t = |x| / √2, and erfc(t) = exp(−t²) · p(1 / (1 + 0.375 t)). p is the
/// polynomial of degree 9 without a constant with the smallest relative error for t up to 9.5, 1.1e-8; beyond that the
/// exponential is 0.
template <typename Isa, Index kCount>
[[gnu::always_inline]] inline void gelus(typename Isa::V::Floats (&x)[kCount]) {
  using V = typename Isa::V;
  using Floats = typename V::Floats;
  constexpr float kSlope = 0.375F * 0.70710678118654752F;
  constexpr float kP[] = {2.11614415e-1F,  2.10633531e-1F, 2.05430180e-1F,  1.21039912e-1F, 2.74841845e-1F,
                          -2.31073052e-1F, 4.33890760e-1F, -2.88073868e-1F, 6.16962984e-2F};
  Floats u[kCount];
  Floats p[kCount];
  Floats power[kCount];
  unrolled<kCount>([&]<Index i> {
    power[i] = x[i] * x[i] * -0.5F;
    u[i] = 1.0F / Isa::fused(x[i] < 0.0F ? -x[i] : x[i], V::all(kSlope), V::all(1));
    p[i] = V::all(kP[8]);
  });
  for (int k = 7; k >= 0; --k) unrolled<kCount>([&]<Index i> { p[i] = Isa::fused(p[i], u[i], V::all(kP[k])); });
  exponentiate<Isa>(power);
  unrolled<kCount>([&]<Index i> {
    const Floats below = 0.5F * p[i] * u[i] * power[i];
    x[i] *= x[i] < 0.0F ? below : 1.0F - below;
  });
}

template <typename Isa>
void gelu(const float* in, float* out, Index count) {
  using Floats = typename Isa::V::Floats;
  map_vectors<Isa>(
      in, out, count, []<Index kCount>(Floats(&x)[kCount]) __attribute__((always_inline)) { gelus<Isa>(x); });
}

}  // namespace
}  // namespace attnscope
