// The innermost loops, compiled once per instruction set and selected at run time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/base/tensor.h"

namespace attnscope {

/// Words of the state of the Mersenne Twister MT19937.
constexpr std::size_t kTwisterWords = 624;

/// Rows of a matrix product with one panel of the right factor. A panel has `Kernels::block_columns` columns, stored
/// for one value of the summed label after the other. out[i, j] = (start[i, j] + Σ_k a[i, k] · b[k, j]) / divisor, each
/// element summed in float from k = 0 on: onto its start, or, if that is `added`, onto zero.
struct PanelProduct {
  Index rows = 0;
  Index depth = 0;    ///< values of the summed label
  Index columns = 0;  ///< wanted columns of the panel; others are not written
  const float* a = nullptr;
  Index a_row = 0;  ///< row distance in elements
  Index a_depth = 1;
  bool spread = false;       ///< each number of `a` is there `lanes` times; requires `Kernels::spread`
  const float* b = nullptr;  ///< [depth, block_columns], see `Kernels::pack_panel`
  float* out = nullptr;
  Index out_row = 0;
  Index out_column = 1;
  float divisor = 1;
  const float* start = nullptr;  ///< initial values of the sums, may be `out`; null: zero
  Index start_row = 0;
  Index start_column = 1;
  bool added = false;     ///< `start`, which is contiguous then and not null, is added to the finished sums
  bool fused = false;     ///< use fused multiply-add, if the processor has it
  float* copy = nullptr;  ///< second destination, streamed; requires `Kernels::end_stream`; null: none
  Index copy_row = 0;
  bool streamed = false;  ///< bypass the caches, if the processor can and every row is vector-aligned
};

/// One row of a matrix product with a matrix that is read only once: sums[j] += Σ_k a[k] · b[k, j], each element summed
/// in float from k = 0 on. The first block of the depth is summed onto `sums`, unless this product `goes_on` from
/// earlier blocks; the others onto zero, and then added.
struct RowProduct {
  Index depth = 0;  ///< values of the summed label
  Index columns = 0;
  const float* a = nullptr;
  Index a_depth = 1;         ///< distances in elements
  const float* b = nullptr;  ///< [depth, columns]; one of its distances is 1
  Index depth_stride = 0;
  Index column_stride = 1;
  bool fused = false;  ///< use fused multiply-add, if the processor has it
  Index block = 0;     ///< of the depth, at least 1; all of it where neighbours of `b` lie along its columns
  bool goes_on = false;
  float* sums = nullptr;
};

/// Maps a logit to an exponent: x / divisor − shift, or (x − shift) / divisor if shifted first.
struct Exponent {
  float divisor = 1;
  float shift = 0;
  bool shifted_first = false;
};

/// The loops of one instruction set: plain functions over raw pointers. No inline code is shared between files that are
/// compiled for different processors.
struct Kernels {
  std::string_view name;  ///< "baseline", "avx2", "avx512"
  Index block_rows;       ///< rows of a product that stay in registers; more rows are split into such blocks
  Index block_columns;
  Index lanes;  ///< numbers in a vector

  void (*multiply_panel)(const PanelProduct& product);

  void (*multiply_row)(const RowProduct& product);

  /// to[k, j] = from[k · depth_stride + j · column_stride] for `columns` columns, padded with zeros to `block_columns`.
  void (*pack_panel)(const float* from, Index columns, Index column_stride, Index depth, Index depth_stride, float* to);

  /// Writes each of `count` numbers `lanes` times, see `PanelProduct::spread`. Null if that makes no product faster: where
  /// one instruction loads a number into all lanes.
  void (*spread)(const float* from, Index stride, Index count, float* to);

  /// out[i] = in[i] · factor / divisor, rounded after every step. `streamed` as in
  /// `PanelProduct`.
  void (*scale)(const float* in, float factor, float divisor, bool streamed, float* out, Index count);

  /// out = in, bypassing the caches if the processor can.
  void (*stream)(const float* in, float* out, Index count);

  /// A thread that has streamed numbers must call this before another thread reads them.
  void (*end_stream)();

  /// out[i] = exp(exponent of in[i]), or 0 if that is not a normal number; returns the sum, computed in vector lanes.
  /// NaN stays NaN. Exponents are at most 88. If `out` is null, only computes the sum.
  float (*exponentials)(const float* in, const Exponent& exponent, float* out, Index count);

  /// out[i] = exp(exponent of in[i]) / sum; same numbers as `exponentials` and `divide`.
  void (*weights)(const float* in, const Exponent& exponent, float sum, float* out, Index count);

  /// out[i] = in[i] · sigmoid(factor · in[i]). `out` of this and the next two may be `in`; a number does not depend on
  /// its place.
  void (*times_sigmoid)(const float* in, float factor, float* out, Index count);

  /// out[i] = GELU of in[i], from the normal distribution, and its approximation by a hyperbolic tangent.
  void (*gelu)(const float* in, float* out, Index count);
  void (*gelu_tanh)(const float* in, float* out, Index count);

  /// The largest of in[0 … count), ignoring NaN; −∞ if there is none.
  float (*largest)(const float* in, Index count);

  /// The largest of every `bin` numbers, ignoring NaN. `bin` is a power of two; the last bin may be shorter.
  void (*largest_each)(const float* in, Index count, Index bin, float* out);

  /// out[i] = from + width · the low 24 bits of draws[i] / 2^24, rounded once: PyTorch's kernel is compiled to a fused
  /// multiply-add wherever it runs with AVX2.
  void (*uniform)(const std::uint32_t* draws, float width, float from, float* out, Index count);

  /// Replaces the `kTwisterWords` words of an MT19937 state by the next ones.
  void (*twist)(std::uint32_t* state);

  /// Computes one draw per word of the state.
  void (*temper)(const std::uint32_t* state, std::uint32_t* draws);

  /// values[i] /= by, also streamed to `copy` unless that is null. Quotients below 1e-30 may be off by one unit in the
  /// last place.
  void (*divide)(float* values, float by, float* copy, Index count);

  /// The upper limit for any product: `rounds` rounds of `limit_flops` multiplications and additions without memory
  /// access. Returns a number that depends on all of them; the compiler cannot drop any.
  float (*run_to_limit)(float factor, Index rounds);
  Index limit_flops;
};

/// All compiled sets, slowest first. This machine may not support the later ones.
std::span<const Kernels* const> compiled_kernels();

/// Whether the processor supports the instructions.
bool runs_here(const Kernels& kernels);

/// The fastest supported set, or the one that ATTNSCOPE_KERNELS names, if it is supported.
const Kernels& kernels();

/// Fails with a usage error if ATTNSCOPE_KERNELS names an unknown or unsupported set. Unset or empty is fine.
Result<void> check_wanted_kernels();

}  // namespace attnscope
