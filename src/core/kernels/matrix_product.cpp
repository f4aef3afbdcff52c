#include "core/kernels/matrix_product.h"

#include <algorithm>

#include "core/kernels/isa/instruction_set.h"

namespace attnscope {
namespace {

// Up to this size, products round like PyTorch on Debian; larger ones are fused.
constexpr double kRoundedTwice = 3e7;

// With fewer columns, it takes more time to spread the left factor than that saves.
constexpr Index kSpreadColumns = 48;

Index padded(Index columns) {
  const Index panel = kernels().block_columns;
  return (columns + panel - 1) / panel * panel;
}

/// Contiguous storage for the sums between depth blocks.
struct PartialSums {
  float* first = nullptr;
  Index row = 0;
};

PartialSums partial_sums(Index rows, Index columns) {
  thread_local Scratch scratch;
  const Index row = row_apart(padded(columns));
  return {scratch.of_size(rows * row), row};
}

/// A copy of the rows for `PanelProduct::spread`.
LeftRows spread(const LeftRows& rows, Index count, Index depth, Scratch& scratch) {
  const Kernels& loops = kernels();
  const Index apart = row_apart(depth * loops.lanes);
  float* const copy = scratch.of_size(count * apart);
  for (Index i = 0; i < count; ++i) {
    const float* const row = rows.first + i * rows.row;
    // Hardware prefetching begins anew with each row.
    if (i + 1 < count && rows.depth == 1) {
      constexpr Index kLine = 16;
      for (Index k = 0; k < depth; k += kLine) __builtin_prefetch(row + rows.row + k);
    }
    loops.spread(row, rows.depth, depth, copy + i * apart);
  }
  return {copy, apart, loops.lanes};
}

}  // namespace

bool hinder(const LeftRows& rows, Index count) { return rows.depth != 1 || (count > 1 && rows.row % 1024 == 0); }

LeftRows gathered(const LeftRows& rows, Index count, Index depth, Scratch& scratch) {
  const Index apart = row_apart(depth);
  float* const copy = scratch.of_size(count * apart);
  if (rows.depth == 1) {
    for (Index i = 0; i < count; ++i) std::copy_n(rows.first + i * rows.row, depth, copy + i * apart);
  } else {
    for (Index k = 0; k < depth; ++k) {
      for (Index i = 0; i < count; ++i) copy[i * apart + k] = rows.first[i * rows.row + k * rows.depth];
    }
  }
  return {copy, apart};
}

bool rounds_once(double flops) { return flops > kRoundedTwice; }

Index packed_count(Index depth, Index columns) { return depth * padded(columns); }

void pack_block(const float* from, Index depth, Index depth_stride, Index columns, Index column_stride, Index block,
                float* packed) {
  const Kernels& loops = kernels();
  const Index panel = loops.block_columns;
  const Index begin = block * kDepthBlock;
  const Index deep = std::min(kDepthBlock, depth - begin);
  float* to = packed + begin * padded(columns);
  for (Index j = 0; j < columns; j += panel) {
    loops.pack_panel(from + begin * depth_stride + j * column_stride, std::min(panel, columns - j), column_stride, deep,
                     depth_stride, to);
    to += deep * panel;
  }
}

void pack_right(const float* from, Index depth, Index depth_stride, Index columns, Index column_stride, float* packed) {
  for (Index block = 0; block * kDepthBlock < depth; ++block)
    pack_block(from, depth, depth_stride, columns, column_stride, block, packed);
}

void multiply_packed(const ProductRows& product, const float* packed, Index depth, Index columns) {
  const Kernels& loops = kernels();
  const Index first = product.depth_begin / kDepthBlock * kDepthBlock;
  const Index end = std::min(depth, product.depth_end);
  const Index first_column = product.column_begin / loops.block_columns * loops.block_columns;
  const Index last_column = std::min(columns, product.column_end);
  const bool copied = hinder(product.a, product.rows);
  const PartialSums partial = end - first > kDepthBlock ? partial_sums(product.rows, columns) : PartialSums{};
  PanelProduct panel;
  panel.rows = product.rows;
  panel.fused = product.fused;
  panel.copy_row = product.copy_row;
  panel.spread = loops.spread != nullptr && columns >= kSpreadColumns;
  for (Index begin = first; begin < end; begin += kDepthBlock) {
    panel.depth = std::min(kDepthBlock, end - begin);
    const Index packed_depth = std::min(kDepthBlock, depth - begin);
    LeftRows left = {product.a.first + begin * product.a.depth, product.a.row, product.a.depth};
    if (copied) {
      thread_local Scratch scratch;
      left = gathered(left, product.rows, panel.depth, scratch);
    }
    if (panel.spread) {
      thread_local Scratch scratch;
      left = spread(left, product.rows, panel.depth, scratch);
    }
    panel.a = left.first;
    panel.a_row = left.row;
    panel.a_depth = left.depth;
    const bool goes_on = begin > first;
    const bool last = begin + panel.depth == end;
    panel.added = goes_on && product.fused;
    panel.start_row = goes_on ? partial.row : product.start_row;
    panel.start_column = goes_on ? 1 : product.start_column;
    panel.out_row = last ? product.out_row : partial.row;
    panel.out_column = last ? product.out_column : 1;
    panel.divisor = last ? product.divisor : 1;
    panel.streamed = last && product.streamed;
    panel.b = packed + begin * padded(columns) + first_column * packed_depth;
    for (Index j = first_column; j < last_column; j += loops.block_columns) {
      panel.columns = std::min(loops.block_columns, columns - j);
      panel.out = last ? product.out + j * product.out_column : partial.first + j;
      if (goes_on || product.start != nullptr)
        panel.start = goes_on ? partial.first + j : product.start + j * product.start_column;
      if (product.copy != nullptr && last) panel.copy = product.copy + j;
      loops.multiply_panel(panel);
      panel.b += packed_depth * loops.block_columns;
    }
  }
}

}  // namespace attnscope
