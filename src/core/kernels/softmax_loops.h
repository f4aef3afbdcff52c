// The loops of softmax. Included by the files that are compiled for one instruction set each.
#pragma once

#include <cstring>

#include "core/kernels/instruction_set.h"
#include "core/kernels/vectors.h"

namespace attnscope {
namespace {

/// exp(x) for x ≤ 88: x = n ln 2 + r, e^r by a polynomial, 2^n by its bits. 0 below −87.3, where no normal number is
/// left. Source: S. L. Moshier, Cephes library, expf (relative error 2e-7).
template <typename V>
typename V::Floats exponential(typename V::Floats x) {
  using Floats = typename V::Floats;
  using Words = typename V::Words;
  constexpr float kRound = 12582912.0F;  // 1.5 · 2^23: adding it leaves whole numbers in the last bits
  const Floats rounded = x * 1.44269504088896341F + kRound;
  const Floats n = rounded - kRound;
  const Floats r = (x - n * 0.693359375F) - n * -2.12194440e-4F;
  Floats p = r * 1.9875691500e-4F + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  Words bits;
  Words power;
  std::memcpy(&bits, &p, sizeof(bits));
  std::memcpy(&power, &rounded, sizeof(power));
  bits += power << 23;
  Floats result;
  std::memcpy(&result, &bits, sizeof(result));
  result = x < -87.3F ? Floats{} : result;
  return x == x ? result : x;
}

/// Calls `loop` with the function that gives the exponents of a vector of logits.
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

/// Calls `use(exponentials, position, how many of them count)` for all of them, a vector at a time.
template <typename V, typename ExponentOf, typename Use>
void for_each_exponential(const float* in, Index count, const ExponentOf& exponent_of, const Use& use) {
  Index i = 0;
  for (; i + V::kWidth <= count; i += V::kWidth) use(exponential<V>(exponent_of(V::load(in + i))), i, V::kWidth);
  if (i == count) return;
  float rest[V::kWidth];
  for (Index j = 0; j < V::kWidth; ++j) rest[j] = i + j < count ? in[i + j] : 0.0F;
  use(exponential<V>(exponent_of(V::load(rest))), i, count - i);
}

template <typename V>
void store_some(float* to, typename V::Floats values, Index count) {
  if (count == V::kWidth) {
    V::store(to, values);
    return;
  }
  for (Index j = 0; j < count; ++j) to[j] = values[j];
}

/// The first `count` of them, and zeros.
template <typename V>
typename V::Floats first_of(typename V::Floats values, Index count) {
  for (Index j = count; j < V::kWidth; ++j) values[j] = 0;
  return values;
}

template <typename V>
float exponentials_with(const float* in, const Exponent& e, float* out, Index count) {
  using Floats = typename V::Floats;
  Floats sums = {};
  with_exponent_of<V>(e, [&](const auto& exponent_of) {
    for_each_exponential<V>(in, count, exponent_of, [&](Floats values, Index at, Index some) {
      if (out != nullptr) store_some<V>(out + at, values, some);
      sums += first_of<V>(values, some);
    });
  });
  float sum = 0;
  for (Index j = 0; j < V::kWidth; ++j) sum += sums[j];
  return sum;
}

template <typename Isa>
void weights_with(const float* in, const Exponent& e, float sum, float* out, Index count) {
  using V = typename Isa::V;
  using Floats = typename V::Floats;
  const float inverse = 1 / sum;
  with_exponent_of<V>(e, [&](const auto& exponent_of) {
    for_each_exponential<V>(in, count, exponent_of, [&](Floats values, Index at, Index some) {
      store_some<V>(out + at, Isa::quotient(values, sum, inverse), some);
    });
  });
}

template <typename V>
float largest_with(const float* in, Index count) {
  using Floats = typename V::Floats;
  constexpr Index kChains = 4;  // one comparison waits for the one before it; so many are under way at a time
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
  for (Index chain = 1; chain < kChains; ++chain) {
    mosts[0] = mosts[chain] > mosts[0] ? mosts[chain] : mosts[0];
  }
  for (Index j = 0; j < V::kWidth; ++j) most = mosts[0][j] > most ? mosts[0][j] : most;
  for (; i < count; ++i) most = in[i] > most ? in[i] : most;
  return most;
}

template <typename Isa>
void divide_with(float* values, float by, Index count) {
  using V = typename Isa::V;
  const float inverse = 1 / by;
  Index i = 0;
  for (; i + V::kWidth <= count; i += V::kWidth) V::store(values + i, Isa::quotient(V::load(values + i), by, inverse));
  if (i == count) return;
  float rest[V::kWidth] = {};
  for (Index j = 0; i + j < count; ++j) rest[j] = values[i + j];
  store_some<V>(values + i, Isa::quotient(V::load(rest), by, inverse), count - i);
}

}  // namespace
}  // namespace attnscope
