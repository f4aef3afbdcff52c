// The loop that makes uniform numbers of raw draws. Included by the files that are compiled for one instruction set
// each.
#pragma once

#include <cstdint>

#include "core/kernels/instruction_set.h"
#include "core/kernels/vectors.h"

namespace attnscope {
namespace {

/// 24 bits fit a float's significand exactly, so the scaled draw is exact and below 1.
template <typename Isa>
typename Isa::V::Floats uniform_numbers(const std::uint32_t* draws, float width, float from) {
  using V = typename Isa::V;
  // There is an instruction for signed numbers, and here the sign is never set.
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
  for (Index j = 0; i + j < count; ++j) out[i + j] = values[j];
}

}  // namespace
}  // namespace attnscope
