// One matrix product in two parts: the right factor is packed once, and rows of the left one are multiplied with it by
// as many threads as there are.
#pragma once

#include <limits>

#include "core/base/tensor.h"
#include "core/kernels/scratch.h"

namespace attnscope {

/// Whether products of that many operations (two for each pair of factors) round once per product and sum where the
/// processor can. Smaller ones round twice, as PyTorch does on Debian (reference BLAS).
bool rounds_once(double flops);

/// Places of the summed label that are worked on at a time, so that a panel stays in the first cache.
constexpr Index kDepthBlock = 256;

/// Numbers of right factors that are packed before any is used: as many as the third cache holds with ease.
constexpr Index kPackedAtOnce = Index{1} << 21;

/// Results of so many numbers or more leave the caches before anybody reads them, and are written past them.
constexpr Index kStreamed = Index{1} << 20;

/// Numbers that the packed matrix takes: the columns are filled up to whole panels.
Index packed_count(Index depth, Index columns);

/// Packs the places `block` · kDepthBlock onwards of the summed label, kDepthBlock of them or as many as there are, to
/// where they belong in `packed`, which has room for `packed_count`. `from` is the matrix's first number.
void pack_block(const float* from, Index depth, Index depth_stride, Index columns, Index column_stride, Index block,
                float* packed);

/// Packs all of it.
void pack_right(const float* from, Index depth, Index depth_stride, Index columns, Index column_stride, float* packed);

/// Rows of a left factor, [rows, depth]; strides in elements.
struct LeftRows {
  const float* first = nullptr;
  Index row = 0;
  Index depth = 1;
};

/// Whether `count` rows as they lie would hinder the loops: numbers apart are as many lines of the cache, and rows that
/// are a multiple of 4096 bytes apart drive each other out of it.
bool hinder(const LeftRows& rows, Index count);

/// How far apart rows of so many numbers are put, in elements, so that they are not.
constexpr Index row_apart(Index numbers) {
  constexpr Index kLine = 16;
  return numbers + ((numbers + kLine) % 1024 == 0 ? 2 * kLine : kLine);
}

/// A copy in `scratch` that does not hinder. Who multiplies the same rows several times makes it once, before.
LeftRows gathered(const LeftRows& rows, Index count, Index depth, Scratch& scratch);

/// What a packed matrix is multiplied with, and where the result goes; strides in elements.
struct ProductRows {
  Index rows = 0;
  LeftRows a;
  float* out = nullptr;  ///< [rows, columns]
  Index out_row = 0;
  Index out_column = 1;
  float divisor = 1;
  const float* start = nullptr;  ///< [rows, columns] what the sums begin with, may be `out`; null: zero
  Index start_row = 0;
  Index start_column = 1;
  bool fused = false;     ///< see `rounds_once`
  float* copy = nullptr;  ///< where the result is streamed to as well, like `streamed`, in rows that are dense
  Index copy_row = 0;
  bool streamed = false;  ///< write past the caches; needs `Kernels::end_stream` in the end
  /// Places of the summed label, one at least; the products of others may be left out.
  Index depth_begin = 0;
  Index depth_end = std::numeric_limits<Index>::max();
};

/// out = (start + a · packed) / divisor. Each element is summed in float, one product after the other from the first to
/// the last: as reference BLAS does, and with it PyTorch as Debian builds it. Where scores are large, a softmax turns
/// the difference that another order makes into one that can be seen.
void multiply_packed(const ProductRows& product, const float* packed, Index depth, Index columns);

}  // namespace attnscope
