#include "core/kernels/few_rows.h"

#include <algorithm>

#include "core/kernels/isa/instruction_set.h"
#include "core/kernels/matrix_product.h"

namespace attnscope {
namespace {

// So few rows read a right factor in less time than it takes to pack it.
constexpr Index kFewRows = 4;

// At least so many columns per piece of work with few rows, and at most: their sums stay in the first cache.
constexpr Index kFewestColumns = 128;
constexpr Index kMostColumns = 4096;

// Numbers of a right factor that are packed quickly in any case.
constexpr Index kQuicklyPacked = Index{1} << 10;

// Numbers of a right factor that stay in the second cache until the last row has been multiplied with them.
constexpr Index kReadAgain = Index{1} << 16;

// Reading a number from memory takes as long as this many operations, about.
constexpr double kOperationsPerRead = 8;

Index threads_of(ThreadPool* pool) { return pool == nullptr ? 1 : pool->size(); }

/// A thread's share of the columns, as long rows of the right factor as possible.
Index width_of(const Products& p, ThreadPool* pool, Index most) {
  constexpr Index kStep = 64;
  const Index threads = threads_of(pool);
  return std::clamp((p.column.size + threads - 1) / threads / kStep * kStep, kFewestColumns, most);
}

/// What the sums of a row begin with: the row's start, or zero.
void begin_sums(const Products& p, const Place& right, Index row, Index column, std::span<float> sums) {
  if (p.start == nullptr) return std::fill(sums.begin(), sums.end(), 0.0F);
  const float* from = p.start + right.start + row * p.row.start_stride + column * p.column.start_stride;
  for (float& sum : sums) {
    sum = *from;
    from += p.column.start_stride;
  }
}

/// The product of a row with some columns and values of the summed label; without its sums.
RowProduct row_product(const Products& p, const Place& right, Index row, Index column, Index columns, Index begin,
                       Index depth) {
  RowProduct product;
  product.depth = depth;
  product.columns = columns;
  product.a = p.a + right.a + row * p.row.a_stride + begin * p.sum.a_stride;
  product.a_depth = p.sum.a_stride;
  product.b = p.b + right.b + begin * p.sum.b_stride + column * p.column.b_stride;
  product.depth_stride = p.sum.b_stride;
  product.column_stride = p.column.b_stride;
  product.fused = p.fused;
  product.block = p.fused ? kDepthBlock : p.sum.size;
  return product;
}

/// The columns from `column` on of all rows, which the thread has for itself.
void multiply_columns(const Products& p, const Place& right, Index column, Index columns) {
  const auto sums_of = [&](Index row) {
    return std::span(p.out + right.out + row * p.row.out_stride + column, static_cast<std::size_t>(columns));
  };
  for (Index row = 0; row < p.row.size; ++row) begin_sums(p, right, row, column, sums_of(row));
  // All rows, before the next numbers of the right factor are read.
  const Index block = p.row.size == 1 && p.sum.b_stride == 1 ? p.sum.size : kDepthBlock;
  for (Index begin = 0; begin < p.sum.size; begin += block) {
    for (Index row = 0; row < p.row.size; ++row) {
      RowProduct product = row_product(p, right, row, column, columns, begin, std::min(block, p.sum.size - begin));
      product.goes_on = p.fused && begin > 0;
      product.sums = sums_of(row).data();
      kernels().multiply_row(product);
    }
  }
  if (p.divisor == 1) return;
  for (Index row = 0; row < p.row.size; ++row) {
    for (float& sum : sums_of(row)) sum /= p.divisor;
  }
}

/// Products with right factors whose rows are contiguous, in blocks of the depth with sums of their own: memory is read
/// fastest from one end to the other, and each thread has a piece of it for itself.
class DepthBlocks {
 public:
  DepthBlocks(const Products& products, Scratch& scratch)
      : p_(products),
        each_((products.sum.size + kDepthBlock - 1) / kDepthBlock),
        count_(products.rights.places() * each_),
        sums_(scratch.of_size(count_ * products.row.size * products.column.size)) {}

  void multiply(ThreadPool* pool, Stopped& stopped) const {
    // The last ones, if they are not as many as the threads, in bands of columns.
    const Index threads = threads_of(pool);
    const Index whole = count_ / threads * threads;
    const Index width = width_of(p_, pool, std::max(kFewestColumns, p_.column.size));
    const Index bands = (p_.column.size + width - 1) / width;
    run_blocks(pool, p_.flops * kOperationsPerRead, whole + (count_ - whole) * bands, [&](Index item) {
      if (stopped()) return;
      if (item < whole) return multiply_block(item, 0, p_.column.size);
      const auto [rest, band] = divide(item - whole, bands);
      multiply_block(whole + rest, band * width, std::min(width, p_.column.size - band * width));
    });
    if (!stopped()) add_up();
  }

 private:
  [[nodiscard]] std::span<float> sums_of(Index block, Index row) const {
    const Index columns = p_.column.size;
    return {sums_ + (block * p_.row.size + row) * columns, static_cast<std::size_t>(columns)};
  }

  void multiply_block(Index block, Index column, Index columns) const {
    const auto [right_number, in_depth] = divide(block, each_);
    const Place right = place_of(p_.rights, right_number);
    const Index begin = in_depth * kDepthBlock;
    const Index end = std::min(p_.sum.size, begin + kDepthBlock);
    const Index width = std::min(columns, kMostColumns);
    const Index step = p_.row.size == 1 ? kDepthBlock : std::clamp<Index>(kReadAgain / width, 8, kDepthBlock);
    for (Index done = 0; done < columns; done += width) {
      const Index first = column + done;
      const Index some = std::min(width, columns - done);
      const auto of_row = [&](Index row) {
        return sums_of(block, row).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(some));
      };
      for (Index row = 0; row < p_.row.size; ++row) {
        if (in_depth == 0)
          begin_sums(p_, right, row, first, of_row(row));
        else
          std::ranges::fill(of_row(row), 0.0F);
      }
      for (Index k = begin; k < end; k += step) {
        for (Index row = 0; row < p_.row.size; ++row) {
          RowProduct product = row_product(p_, right, row, first, some, k, std::min(step, end - k));
          product.sums = of_row(row).data();
          kernels().multiply_row(product);
        }
      }
    }
  }

  void add_up() const {
    for (Index right = 0; right < p_.rights.places(); ++right) {
      for (Index row = 0; row < p_.row.size; ++row) {
        float* const out = p_.out + place_of(p_.rights, right).out + row * p_.row.out_stride;
        std::ranges::copy(sums_of(right * each_, row), out);
        for (Index block = 1; block < each_; ++block) {
          const std::span<const float> sums = sums_of(right * each_ + block, row);
          for (std::size_t j = 0; j < sums.size(); ++j) out[j] += sums[j];
        }
        if (p_.divisor != 1) std::for_each_n(out, p_.column.size, [&](float& sum) { sum /= p_.divisor; });
      }
    }
  }

  const Products& p_;
  Index each_;   ///< blocks of each right factor
  Index count_;  ///< of all
  float* sums_;  ///< [block, row, column]
};

}  // namespace

bool has_few_rows(const Products& p) {
  return p.row.size <= kFewRows && p.repeats.places() == 1 && p.sums.places() == 1 && p.made == nullptr &&
         p.column.out_stride == 1 && (p.column.b_stride == 1 || p.sum.b_stride == 1) &&
         p.column.size * p.sum.size > kQuicklyPacked;
}

void multiply_few_rows(const Products& p, ThreadPool* pool, Stopped& stopped) {
  if (p.fused && p.column.b_stride == 1 && p.sum.size > kDepthBlock) {
    thread_local Scratch scratch;
    return DepthBlocks(p, scratch).multiply(pool, stopped);
  }
  const Index width = width_of(p, pool, kMostColumns / 2);
  const Index bands = (p.column.size + width - 1) / width;
  run_blocks(pool, p.flops * kOperationsPerRead, p.rights.places() * bands, [&](Index block) {
    if (stopped()) return;
    const auto [right, band] = divide(block, bands);
    const Index column = band * width;
    multiply_columns(p, place_of(p.rights, right), column, std::min(width, p.column.size - column));
  });
}

}  // namespace attnscope
