// A matrix product in two parts: the right factor is packed once; any number of threads then multiply rows of the left
// factor with it.
#pragma once

#include <limits>

#include "core/base/tensor.h"
#include "core/kernels/scratch.h"

namespace attnscope {

/// Whether a product with this many operations (two per pair of factors) uses fused multiply-add, where the processor
/// has it. Smaller products round twice, like PyTorch on Debian (reference BLAS).
bool rounds_once(double flops);

/// Values of the summed label processed at a time: a panel stays in the L1 cache.
constexpr Index kDepthBlock = 256;

/// Numbers of right factors packed before use: they fit easily into the L3 cache.
constexpr Index kPackedAtOnce = Index{1} << 21;

/// Results of at least this many numbers would leave the caches before anybody reads them; they bypass the caches.
constexpr Index kStreamed = Index{1} << 20;

/// The size of the packed matrix, with columns padded to whole panels.
Index packed_count(Index depth, Index columns);

/// Packs up to kDepthBlock values of the summed label, from `block` · kDepthBlock on, to their place in `packed`, which
/// has size `packed_count`. `from` is the first number of the matrix.
void pack_block(const float* from, Index depth, Index depth_stride, Index columns, Index column_stride, Index block,
                float* packed);

/// Packs the whole matrix.
void pack_right(const float* from, Index depth, Index depth_stride, Index columns, Index column_stride, float* packed);

/// Rows of a left factor, [rows, depth]; strides in elements.
struct LeftRows {
  const float* first = nullptr;
  Index row = 0;
  Index depth = 1;
};

/// Whether the layout of `count` rows would slow the loops down: strided numbers occupy a cache line each, and rows
/// that are a multiple of 4096 bytes apart conflict in the cache.
bool hinder(const LeftRows& rows, Index count);

/// A row distance, in elements, that avoids these conflicts.
constexpr Index row_apart(Index numbers) {
  constexpr Index kLine = 16;
  return numbers + ((numbers + kLine) % 1024 == 0 ? 2 * kLine : kLine);
}

/// A copy of the rows in `scratch` without these problems, for callers that multiply the same rows several times.
LeftRows gathered(const LeftRows& rows, Index count, Index depth, Scratch& scratch);

/// The left factor and the result of a product with a packed matrix; strides in elements.
struct ProductRows {
  Index rows = 0;
  LeftRows a;
  float* out = nullptr;  ///< [rows, columns]
  Index out_row = 0;
  Index out_column = 1;
  float divisor = 1;
  const float* start = nullptr;  ///< [rows, columns] initial values of the sums, may be `out`; null: zero
  Index start_row = 0;
  Index start_column = 1;
  bool fused = false;     ///< see `rounds_once`
  float* copy = nullptr;  ///< a second destination, dense and written like `streamed`; null: none
  Index copy_row = 0;
  bool streamed = false;  ///< bypass the caches; requires `Kernels::end_stream` at the end
  /// Range of the summed label, at least one value; products outside of it may be skipped.
  Index depth_begin = 0;
  Index depth_end = std::numeric_limits<Index>::max();
  /// Range of the columns, perhaps empty; those outside of it may be left as they are.
  Index column_begin = 0;
  Index column_end = std::numeric_limits<Index>::max();
};

/// out = (start + a · packed) / divisor. Each element is summed in float from the first product to the last, like
/// reference BLAS and therefore PyTorch on Debian: for large scores, a softmax would make the difference of another
/// order visible. Fused products, which round otherwise anyway, sum each kDepthBlock values on their own and then add
/// these sums from first to last: threads can share the depth.
void multiply_packed(const ProductRows& product, const float* packed, Index depth, Index columns);

}  // namespace attnscope
