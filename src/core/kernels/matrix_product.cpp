#include "core/kernels/matrix_product.h"

#include <algorithm>

#include "core/kernels/instruction_set.h"
#include "core/kernels/scratch.h"

namespace attnscope {
namespace {

// Up to here a product is rounded like PyTorch's on Debian. Beyond, where scores are scaled, it is fused.
constexpr double kRoundedTwice = 3e7;

Index padded(Index columns) {
  const Index panel = kernels().block_columns;
  return (columns + panel - 1) / panel * panel;
}

/// Whether the rows as they lie would hinder the loops: numbers apart are as many lines of the cache, and rows that are
/// a multiple of 4096 bytes apart drive each other out of it.
bool hinders(const ProductRows& product) {
  return product.a_depth != 1 || (product.rows > 1 && product.a_row % 1024 == 0);
}

/// A copy of the rows that has their numbers side by side, one row behind the other.
const float* gathered(const ProductRows& product, const float* a, Index depth) {
  thread_local Scratch scratch;
  float* const rows = scratch.of_size(product.rows * depth);
  if (product.a_depth == 1) {
    for (Index i = 0; i < product.rows; ++i) std::copy_n(a + i * product.a_row, depth, rows + i * depth);
    return rows;
  }
  for (Index k = 0; k < depth; ++k) {
    for (Index i = 0; i < product.rows; ++i) rows[i * depth + k] = a[i * product.a_row + k * product.a_depth];
  }
  return rows;
}

}  // namespace

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
  PanelProduct panel;
  panel.rows = product.rows;
  panel.out_row = product.out_row;
  panel.out_column = product.out_column;
  panel.fused = product.fused;
  panel.streamed = product.streamed;
  panel.copy_row = product.copy_row;
  const Index first = product.depth_begin / kDepthBlock * kDepthBlock;
  const Index end = std::min(depth, product.depth_end);
  for (Index begin = first; begin < end; begin += kDepthBlock) {
    panel.depth = std::min(kDepthBlock, end - begin);
    const Index packed_depth = std::min(kDepthBlock, depth - begin);
    panel.a = product.a + begin * product.a_depth;
    panel.a_row = product.a_row;
    if (hinders(product)) {
      panel.a = gathered(product, panel.a, panel.depth);
      panel.a_row = panel.depth;
    }
    const bool goes_on = begin > first;
    panel.start_row = goes_on ? product.out_row : product.start_row;
    panel.start_column = goes_on ? product.out_column : product.start_column;
    panel.divisor = begin + panel.depth == end ? product.divisor : 1;
    panel.b = packed + begin * padded(columns);
    for (Index j = 0; j < columns; j += loops.block_columns) {
      panel.columns = std::min(loops.block_columns, columns - j);
      panel.out = product.out + j * product.out_column;
      if (goes_on || product.start != nullptr)
        panel.start = goes_on ? panel.out : product.start + j * panel.start_column;
      if (product.copy != nullptr && begin + panel.depth == end) panel.copy = product.copy + j;
      loops.multiply_panel(panel);
      panel.b += packed_depth * loops.block_columns;
    }
  }
}

}  // namespace attnscope
