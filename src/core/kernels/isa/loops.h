// All loops of `Kernels`. Included only by the files that are compiled for one instruction set each.
#pragma once

#include "core/kernels/isa/activation_loops.h"
#include "core/kernels/isa/compiled.h"
#include "core/kernels/isa/limit_loops.h"
#include "core/kernels/isa/product_loops.h"
#include "core/kernels/isa/random_loops.h"
#include "core/kernels/isa/row_product_loops.h"
#include "core/kernels/isa/softmax_loops.h"

namespace attnscope {
namespace {

/// `Isa` defines the vectors `V`, the block of a product that stays in registers (`kRows` × `kVectors` vectors), and
/// the operations that differ between instruction sets. `load_some` and `store_some` touch `count` numbers, from none
/// to a whole vector; the rest of a loaded vector is 0.
template <typename Isa>
constexpr Kernels kernels_of(const char* name) {
  using V = typename Isa::V;
  return {.name = name,
          .block_rows = Isa::kRows,
          .block_columns = Isa::kVectors * V::kWidth,
          .lanes = V::kWidth,
          .multiply_panel = multiply_panel<Isa>,
          .multiply_row = multiply_row<Isa>,
          .pack_panel = pack_panel<Isa>,
          .spread = Isa::kSpreads ? spread<Isa> : nullptr,
          .scale = scale<Isa>,
          .stream = stream<Isa>,
          .end_stream = Isa::streamed,
          .exponentials = exponentials_with<Isa>,
          .weights = weights_with<Isa>,
          .times_sigmoid = times_sigmoid<Isa>,
          .gelu = gelu<Isa>,
          .gelu_tanh = gelu_tanh<Isa>,
          .largest = largest_with<Isa>,
          .largest_each = largest_each_with<Isa>,
          .uniform = uniform<Isa>,
          .twist = twist<Isa>,
          .temper = temper<Isa>,
          .divide = divide_with<Isa>,
          .run_to_limit = run_to_limit<Isa>,
          .limit_flops = 2 * limit_chains<Isa>() * V::kWidth};
}

}  // namespace
}  // namespace attnscope
