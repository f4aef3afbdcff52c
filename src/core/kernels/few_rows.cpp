#include "core/kernels/few_rows.h"

#include <algorithm>

#include "core/kernels/isa/instruction_set.h"
#include "core/kernels/matrix_product.h"

namespace attnscope {
namespace {

// So few rows read a right factor in less time than it takes to pack it.
constexpr Index kFewRows = 4;

// At least so many columns per piece of work with few rows.
constexpr Index kFewRowsColumns = 128;

// Numbers of a right factor that are packed quickly in any case.
constexpr Index kQuicklyPacked = Index{1} << 10;

// Reading a number from memory takes as long as this many operations, about.
constexpr double kOperationsPerRead = 8;

/// The columns from `column` on of all rows, which the thread has for itself.
void multiply_columns(const Products& p, const Place& right, Index column, Index columns) {
  const auto sums_of = [&](Index row) { return p.out + right.out + row * p.row.out_stride + column; };
  for (Index row = 0; row < p.row.size; ++row) {
    float* const sums = sums_of(row);
    std::fill_n(sums, columns, 0.0F);
    if (p.start == nullptr) continue;
    const float* const start = p.start + right.start + row * p.row.start_stride + column * p.column.start_stride;
    for (Index j = 0; j < columns; ++j) sums[j] = start[j * p.column.start_stride];
  }
  // All rows, before the next numbers of the right factor are read.
  const Index block = p.row.size == 1 && p.sum.b_stride == 1 ? p.sum.size : kDepthBlock;
  for (Index begin = 0; begin < p.sum.size; begin += block) {
    for (Index row = 0; row < p.row.size; ++row) {
      RowProduct product;
      product.depth = std::min(block, p.sum.size - begin);
      product.columns = columns;
      product.a = p.a + right.a + row * p.row.a_stride + begin * p.sum.a_stride;
      product.a_depth = p.sum.a_stride;
      product.b = p.b + right.b + begin * p.sum.b_stride + column * p.column.b_stride;
      product.depth_stride = p.sum.b_stride;
      product.column_stride = p.column.b_stride;
      product.fused = p.fused;
      product.sums = sums_of(row);
      kernels().multiply_row(product);
    }
  }
  if (p.divisor == 1) return;
  for (Index row = 0; row < p.row.size; ++row)
    std::for_each_n(sums_of(row), columns, [&](float& sum) { sum /= p.divisor; });
}

}  // namespace

bool has_few_rows(const Products& p) {
  return p.row.size <= kFewRows && p.repeats.places() == 1 && p.sums.places() == 1 && p.made == nullptr &&
         p.column.out_stride == 1 && (p.column.b_stride == 1 || p.sum.b_stride == 1) &&
         p.column.size * p.sum.size > kQuicklyPacked;
}

void multiply_few_rows(const Products& p, ThreadPool* pool, Stopped& stopped) {
  // Long rows of the right factor, but several pieces for each thread.
  const Index threads = pool == nullptr ? 1 : pool->size();
  const Index width =
      std::clamp((p.column.size + threads - 1) / threads / 64 * 64, kFewRowsColumns, 16 * kFewRowsColumns);
  const Index bands = (p.column.size + width - 1) / width;
  run_blocks(pool, p.flops * kOperationsPerRead, p.rights.places() * bands, [&](Index block) {
    if (stopped()) return;
    const auto [right, band] = divide(block, bands);
    const Index column = band * width;
    multiply_columns(p, place_of(p.rights, right), column, std::min(width, p.column.size - column));
  });
}

}  // namespace attnscope
