// The innermost loops, compiled once for each instruction set and chosen when the program runs.
#pragma once

#include <span>
#include <string_view>

#include "core/tensor.h"

namespace attnscope {

/// The loops as one instruction set has them: plain functions over raw pointers, so that nothing inline is shared
/// between files that are compiled for different processors.
struct Kernels {
  std::string_view name;  ///< "baseline", "avx2", "avx512"
  Index block_rows;       ///< of the part of a product that stays in registers
  Index block_columns;

  /// out[i · out_stride + j] += Σ_k a[k · block_rows + i] · b[k · block_columns + j] over one block, each element
  /// summed from k = 0 on. `fused` rounds once per product and sum where the processor can, otherwise always twice.
  void (*add_block)(Index depth, const float* a, const float* b, float* out, Index out_stride, bool fused);

  /// out[i] = exp(in[i] / divisor − shift), 0 where that is not a normal number; returns the sum. NaN stays NaN. The
  /// exponents are not above 88.
  float (*exponentials)(const float* in, float divisor, float shift, float* out, Index count);

  /// The largest of in[0 … count), NaN left out; −∞ when there is none.
  float (*largest)(const float* in, Index count);

  /// values[i] /= by
  void (*divide)(float* values, float by, Index count);
};

/// All that were compiled, the slowest first. The later ones may not run on this machine.
std::span<const Kernels* const> compiled_kernels();

/// Whether this machine's processor has the instructions.
bool runs_here(const Kernels& kernels);

/// The fastest that run here, or those that the environment variable ATTNSCOPE_KERNELS names.
const Kernels& kernels();

}  // namespace attnscope
