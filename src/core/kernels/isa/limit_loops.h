// The loop that measures the limit of a processor; see `Kernels::run_to_limit`. Included only by the files that are
// compiled for one instruction set each.
#pragma once

#include "core/kernels/isa/instruction_set.h"
#include "core/kernels/isa/vectors.h"

namespace attnscope {
namespace {

/// Number of independent sums: a fused multiply-add takes four or five cycles, a product and a sum eight, and up to two
/// start per cycle. Twelve sums and the factor fit into sixteen registers.
template <typename Isa>
constexpr Index limit_chains() {
  return 12;
}

template <typename Isa>
float run_to_limit(float factor, Index rounds) {
  using V = typename Isa::V;
  typename V::Floats sums[limit_chains<Isa>()];
  // All different: the compiler cannot merge them.
  float start = 0;
  for (typename V::Floats& sum : sums) sum = V::all(factor * start++);
  const typename V::Floats factors = V::all(factor);
  for (Index round = 0; round < rounds; ++round) {
    for (typename V::Floats& sum : sums) sum = Isa::fused(sum, factors, factors);
  }
  float all = 0;
  for (const typename V::Floats& sum : sums) all += sum[0];
  return all;
}

}  // namespace
}  // namespace attnscope
