// The innermost loops, compiled once for each instruction set and chosen when the program runs.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/base/result.h"
#include "core/base/tensor.h"

namespace attnscope {

/// Words of the state of the Mersenne Twister MT19937.
constexpr std::size_t kTwisterWords = 624;

/// Rows of a matrix product, as far as one panel of its right factor goes: a panel is `Kernels::block_columns` columns,
/// all of them for one place of the summed label, then for the next.
/// out[i, j] = (start[i, j] + Σ_k a[i, k] · b[k, j]) / divisor, each element summed in float from k = 0 on.
struct PanelProduct {
  Index rows = 0;
  Index depth = 0;    ///< places of the summed label
  Index columns = 0;  ///< of the panel that are wanted; the others are not touched in `out`
  const float* a = nullptr;
  Index a_row = 0;  ///< from one row to the next, in elements
  Index a_depth = 1;
  const float* b = nullptr;  ///< [depth, block_columns], see `Kernels::pack_panel`
  float* out = nullptr;
  Index out_row = 0;
  Index out_column = 1;
  float divisor = 1;
  const float* start = nullptr;  ///< what the sums begin with, may be `out`; null: zero
  Index start_row = 0;
  Index start_column = 1;
  bool fused = false;     ///< round once per product and sum where the processor can, otherwise always twice
  float* copy = nullptr;  ///< where the result is streamed to as well, if anywhere; needs `Kernels::end_stream`
  Index copy_row = 0;
  bool streamed = false;  ///< write past the caches where the processor can and every row begins at a vector's boundary
};

/// How a logit becomes an exponent: x / divisor − shift, or (x − shift) / divisor when shifted first.
struct Exponent {
  float divisor = 1;
  float shift = 0;
  bool shifted_first = false;
};

/// The loops as one instruction set has them: plain functions over raw pointers, so that nothing inline is shared
/// between files that are compiled for different processors.
struct Kernels {
  std::string_view name;  ///< "baseline", "avx2", "avx512"
  Index block_rows;       ///< of the part of a product that stays in registers; more rows are taken in such parts
  Index block_columns;

  void (*multiply_panel)(const PanelProduct& product);

  /// to[k, j] = from[k · depth_stride + j · column_stride] of `columns` columns, which are filled up with zeros to
  /// `block_columns`.
  void (*pack_panel)(const float* from, Index columns, Index column_stride, Index depth, Index depth_stride, float* to);

  /// out[i] = in[i] · factor / divisor, rounded after every step. `streamed` as in
  /// `PanelProduct`.
  void (*scale)(const float* in, float factor, float divisor, bool streamed, float* out, Index count);

  /// out = in, written past the caches where the processor can.
  void (*stream)(const float* in, float* out, Index count);

  /// To be called by a thread that has streamed numbers, before another may read them.
  void (*end_stream)();

  /// out[i] = exp(exponent of in[i]), 0 where that is not a normal number; returns the sum, which is taken in vectors.
  /// NaN stays NaN. The exponents are not above 88. `out` may be null: then only the sum is wanted.
  float (*exponentials)(const float* in, const Exponent& exponent, float* out, Index count);

  /// out[i] = exp(exponent of in[i]) / sum: the numbers that `exponentials` and `divide` give.
  void (*weights)(const float* in, const Exponent& exponent, float sum, float* out, Index count);

  /// The largest of in[0 … count), NaN left out; −∞ when there is none.
  float (*largest)(const float* in, Index count);

  /// The largest of every `bin` numbers, a power of two of them, the last bin as long as there are any; NaN left out.
  void (*largest_each)(const float* in, Index count, Index bin, float* out);

  /// out[i] = from + width · the low 24 bits of draws[i] / 2^24, rounded once: PyTorch's kernel is compiled to a fused
  /// multiply-add wherever it runs with AVX2.
  void (*uniform)(const std::uint32_t* draws, float width, float from, float* out, Index count);

  /// The next words of the state of MT19937, `kTwisterWords` of them, in the place of the last ones.
  void (*twist)(std::uint32_t* state);

  /// The draws that those words give, one each.
  void (*temper)(const std::uint32_t* state, std::uint32_t* draws);

  /// values[i] /= by, streamed to `copy` as well unless that is null. A quotient below 1e-30 may be off by one unit in
  /// the last place.
  void (*divide)(float* values, float by, float* copy, Index count);

  /// What no product can be faster than: `rounds` of multiplications and additions that touch no memory, each round
  /// `limit_flops` of them. Returns a number that depends on all, so that none can be left out.
  float (*run_to_limit)(float factor, Index rounds);
  Index limit_flops;
};

/// All that were compiled, the slowest first. The later ones may not run on this machine.
std::span<const Kernels* const> compiled_kernels();

/// Whether this machine's processor has the instructions.
bool runs_here(const Kernels& kernels);

/// The fastest that run here, or those that the environment variable ATTNSCOPE_KERNELS names, if they run here.
const Kernels& kernels();

/// Fails, as a mistake in the command, where ATTNSCOPE_KERNELS names none that run here; not set or empty, it names
/// nothing in particular.
Result<void> check_wanted_kernels();

}  // namespace attnscope
