// The loops of `Kernels` over vectors of any width. Included by the files that are compiled for one instruction set
// each; everything is in an unnamed namespace, so that no other file can be given what was compiled for another
// processor.
#pragma once

#include <cstring>

#include "core/kernels/compiled.h"

namespace attnscope {
namespace {

/// Floats in vectors of `kBytes`, with the compiler's own operators.
template <int kBytes>
struct Vectors {
  using Floats __attribute__((vector_size(kBytes))) = float;
  using Words __attribute__((vector_size(kBytes))) = unsigned;
  static constexpr Index kWidth = kBytes / static_cast<int>(sizeof(float));

  static Floats load(const float* from) {
    Floats vector;
    std::memcpy(&vector, from, sizeof(vector));
    return vector;
  }
  static void store(float* to, Floats vector) { std::memcpy(to, &vector, sizeof(vector)); }
  static Floats all(float value) { return value - Floats{}; }
};

/// The block of `Isa::kRows` × `Isa::kVectors` vectors; see `Kernels::add_block`.
template <typename Isa, typename MultiplyAdd>
void add_block_with(Index depth, const float* a, const float* b, float* out, Index out_stride,
                    const MultiplyAdd& multiply_add) {
  using V = typename Isa::V;
  using Floats = typename V::Floats;
  constexpr Index kRows = Isa::kRows;
  constexpr Index kVectors = Isa::kVectors;
  Floats sums[kRows][kVectors];
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kVectors; ++j) sums[i][j] = V::load(out + i * out_stride + j * V::kWidth);
  }
  for (Index k = 0; k < depth; ++k) {
    Floats right[kVectors];
    for (Index j = 0; j < kVectors; ++j) right[j] = V::load(b + j * V::kWidth);
    for (Index i = 0; i < kRows; ++i) {
      const Floats left = V::all(a[i]);
      for (Index j = 0; j < kVectors; ++j) sums[i][j] = multiply_add(left, right[j], sums[i][j]);
    }
    a += kRows;
    b += kVectors * V::kWidth;
  }
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < kVectors; ++j) V::store(out + i * out_stride + j * V::kWidth, sums[i][j]);
  }
}

template <typename Isa>
void add_block(Index depth, const float* a, const float* b, float* out, Index out_stride, bool fused) {
  using Floats = typename Isa::V::Floats;
  if (fused) {
    add_block_with<Isa>(depth, a, b, out, out_stride, Isa::fused);
  } else {
    add_block_with<Isa>(depth, a, b, out, out_stride, [](Floats x, Floats y, Floats sum) { return x * y + sum; });
  }
}

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

template <typename V>
float exponentials_with(const float* in, float divisor, float shift, float* out, Index count) {
  using Floats = typename V::Floats;
  Floats sums = {};
  Index i = 0;
  for (; i + V::kWidth <= count; i += V::kWidth) {
    const Floats value = exponential<V>(V::load(in + i) / divisor - shift);
    V::store(out + i, value);
    sums += value;
  }
  if (i < count) {
    float rest[V::kWidth];
    for (Index j = 0; j < V::kWidth; ++j) rest[j] = i + j < count ? in[i + j] : 0.0F;
    V::store(rest, exponential<V>(V::load(rest) / divisor - shift));
    for (Index j = 0; i + j < count; ++j) out[i + j] = rest[j];
    for (Index j = count - i; j < V::kWidth; ++j) rest[j] = 0;
    sums += V::load(rest);
  }
  float sum = 0;
  for (Index j = 0; j < V::kWidth; ++j) sum += sums[j];
  return sum;
}

template <typename V>
float largest_with(const float* in, Index count) {
  using Floats = typename V::Floats;
  float most = -__builtin_inff();
  Floats mosts = V::all(most);
  Index i = 0;
  for (; i + V::kWidth <= count; i += V::kWidth) {
    const Floats value = V::load(in + i);
    mosts = value > mosts ? value : mosts;
  }
  for (Index j = 0; j < V::kWidth; ++j) most = mosts[j] > most ? mosts[j] : most;
  for (; i < count; ++i) most = in[i] > most ? in[i] : most;
  return most;
}

template <typename V>
void divide_with(float* values, float by, Index count) {
  Index i = 0;
  for (; i + V::kWidth <= count; i += V::kWidth) V::store(values + i, V::load(values + i) / by);
  for (; i < count; ++i) values[i] /= by;
}

template <typename Isa>
constexpr Kernels kernels_of(const char* name) {
  using V = typename Isa::V;
  return {name,          Isa::kRows, Isa::kVectors * V::kWidth, add_block<Isa>, exponentials_with<V>, largest_with<V>,
          divide_with<V>};
}

}  // namespace
}  // namespace attnscope
