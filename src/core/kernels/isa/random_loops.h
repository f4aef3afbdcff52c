// The loops of random numbers: raw draws, and uniform numbers from them. Included only by the files that are compiled
// for one instruction set each.
#pragma once

#include <cstdint>

#include "core/kernels/isa/instruction_set.h"
#include "core/kernels/isa/vectors.h"

namespace attnscope {
namespace {

/// The words that replace `words`, computed from each word's successor and a word at a fixed distance.
/// Source: M. Matsumoto and T. Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998).
template <typename Words>
Words successors(Words words, Words next, Words far) {
  const Words mixed = (words & 0x80000000U) | (next & 0x7FFFFFFFU);
  return far ^ (mixed >> 1) ^ ((0U - (mixed & 1U)) & 0x9908B0DFU);
}

/// The same for `count` words; `far` is later in the state, or earlier, where words are already replaced.
template <typename V>
void twist_some(std::uint32_t* words, const std::uint32_t* far, Index count) {
  Index i = 0;
  for (; i + V::kWidth <= count; i += V::kWidth)
    V::store(words + i, successors(V::load(words + i), V::load(words + i + 1), V::load(far + i)));
  for (Index rest = count % V::kWidth; rest > 0; --rest, ++i) words[i] = successors(words[i], words[i + 1], far[i]);
}

template <typename Isa>
void twist(std::uint32_t* state) {
  using V = typename Isa::V;
  constexpr Index kWords = kTwisterWords;
  constexpr Index kShift = 397;
  // In two parts: no vector reads words written less than a vector before.
  twist_some<V>(state, state + kShift, kWords - kShift);
  twist_some<V>(state + kWords - kShift, state, kShift - 1);
  state[kWords - 1] = successors(state[kWords - 1], state[0], state[kShift - 1]);
}

template <typename Isa>
void temper(const std::uint32_t* state, std::uint32_t* draws) {
  using V = typename Isa::V;
  static_assert(kTwisterWords % V::kWidth == 0);
  for (Index i = 0; i < static_cast<Index>(kTwisterWords); i += V::kWidth) {
    typename V::Words draw = V::load(state + i);
    draw ^= draw >> 11;
    draw ^= (draw << 7) & 0x9D2C5680U;
    draw ^= (draw << 15) & 0xEFC60000U;
    V::store(draws + i, draw ^ (draw >> 18));
  }
}

/// 24 bits fit the significand of a float: the scaled draw is exact and below 1.
template <typename Isa>
typename Isa::V::Floats uniform_numbers(const std::uint32_t* draws, float width, float from) {
  using V = typename Isa::V;
  // The instruction converts signed integers; the sign bit is never set here.
  using Signed __attribute__((vector_size(sizeof(typename V::Words)))) = int;
  Signed words;
  std::memcpy(&words, draws, sizeof(words));
  const auto units = __builtin_convertvector(words & 0xFFFFFF, typename V::Floats);
  return Isa::rounded_once(units * 0x1p-24F, V::all(width), V::all(from));
}

template <typename Isa>
void uniform(const std::uint32_t* draws, float width, float from, float* out, Index count) {
  using V = typename Isa::V;
  Index i = 0;
  for (; i + V::kWidth <= count; i += V::kWidth) V::store(out + i, uniform_numbers<Isa>(draws + i, width, from));
  if (i == count) return;
  std::uint32_t rest[V::kWidth] = {};
  for (Index j = 0; i + j < count; ++j) rest[j] = draws[i + j];
  const typename V::Floats values = uniform_numbers<Isa>(rest, width, from);
  Isa::store_some(out + i, values, count - i);
}

}  // namespace
}  // namespace attnscope
