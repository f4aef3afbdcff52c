#include "core/kernels/contraction.h"

#include <algorithm>

#include "core/kernels/few_rows.h"
#include "core/kernels/isa/instruction_set.h"
#include "core/kernels/matrix_product.h"
#include "core/kernels/scratch.h"
#include "core/kernels/strided_products.h"

namespace attnscope {
namespace {

// Rows and columns per piece of work: its result stays in the L2 cache during the sum, and pieces are small enough for
// an even distribution over threads.
constexpr Index kRows = 48;
constexpr Index kColumns = 256;

// Numbers of copied rows that fit easily into the L2 cache.
constexpr Index kCopied = Index{1} << 17;

// Enough pieces of work: no thread waits long for the last ones.
constexpr Index kPieces = 64;

// Numbers per piece of work if nothing is summed.
constexpr Index kScaledAtOnce = Index{1} << 15;

/// Nothing to sum: scaled rows of b.
void scale_rows(const Products& p, ThreadPool* pool, Stopped& stopped) {
  const Kernels& loops = kernels();
  const Index rows = std::clamp<Index>(kScaledAtOnce / p.column.size, 1, p.row.size);
  const Index bands = (p.row.size + rows - 1) / rows;
  const Index repeats = p.repeats.places();
  run_blocks(pool, p.flops, p.rights.places() * repeats * bands, [&](Index block) {
    if (stopped()) return;
    const auto [product, band] = divide(block, bands);
    const auto [right_number, repeat_number] = divide(product, repeats);
    const Place right = place_of(p.rights, right_number);
    const Place repeat = place_of(p.repeats, repeat_number);
    const Index begin = band * rows;
    for (Index i = begin; i < std::min(begin + rows, p.row.size); ++i) {
      float* const out = p.out + right.out + repeat.out + i * p.row.out_stride;
      loops.scale(p.b + right.b, p.a[right.a + repeat.a + i * p.row.a_stride], p.divisor, p.streamed, out,
                  p.column.size);
      if (p.made != nullptr) (*p.made)(out, p.column.size, 1, 0);
    }
    if (p.streamed) loops.end_stream();
  });
}

/// Right factors packed together, in parts of kColumns columns: parts `first` to `first` + `count`.
class PackedParts {
 public:
  PackedParts(const Products& products, Index first, Index count, float* packed)
      : p_(products), first_(first), count_(count), packed_(packed) {}

  static Index parts_each(const Products& p) { return (p.column.size + kColumns - 1) / kColumns; }
  /// Numbers per part.
  static Index size_each(const Products& p) {
    return p.sums.places() * packed_count(p.sum.size, std::min(kColumns, p.column.size));
  }

  void pack(ThreadPool* pool) const {
    const Index depth_blocks = (p_.sum.size + kDepthBlock - 1) / kDepthBlock;
    const Index sums = p_.sums.places();
    const auto numbers = static_cast<double>(count_ * size_each(p_));
    run_blocks(pool, numbers, count_ * sums * depth_blocks, [&](Index block) {
      const auto [product, depth_block] = divide(block, depth_blocks);
      const auto [part, sum] = divide(product, sums);
      const Place right = place_of(p_.rights, right_of(part));
      const float* from = p_.b + right.b + place_of(p_.sums, sum).b + column_of(part) * p_.column.b_stride;
      pack_block(from, p_.sum.size, p_.sum.b_stride, columns_of(part), p_.column.b_stride, depth_block,
                 packed_of(part, sum));
    });
  }

  void multiply(ThreadPool* pool, Stopped& stopped) const {
    const Index bands = (p_.row.size + kRows - 1) / kRows;
    const Index repeats = p_.repeats.places();
    const double share = static_cast<double>(count_) / static_cast<double>(p_.rights.places() * parts_each(p_));
    // Rows that must be copied first are multiplied with several parts, as long as there is enough work for all
    // threads.
    const bool copied =
        hinder({nullptr, p_.row.a_stride, p_.sum.a_stride}, p_.row.size) && kRows * p_.sum.size <= kCopied;
    const Index together = copied ? std::clamp<Index>(count_ * repeats * bands / kPieces, 1, count_) : 1;
    run_blocks(pool, p_.flops * share, (count_ + together - 1) / together * repeats * bands, [&](Index block) {
      const auto [product, band] = divide(block, bands);
      const auto [group, repeat] = divide(product, repeats);
      LeftCopy copy;
      for (Index part = group * together; part < std::min(count_, (group + 1) * together); ++part)
        multiply_band(part, repeat, band * kRows, copied ? &copy : nullptr, stopped);
      if (p_.streamed) kernels().end_stream();
    });
  }

 private:
  [[nodiscard]] Index right_of(Index part) const { return divide(first_ + part, parts_each(p_)).whole; }
  [[nodiscard]] Index column_of(Index part) const { return divide(first_ + part, parts_each(p_)).rest * kColumns; }
  [[nodiscard]] Index columns_of(Index part) const { return std::min(kColumns, p_.column.size - column_of(part)); }
  [[nodiscard]] float* packed_of(Index part, Index sum) const {
    return packed_ + part * size_each(p_) + sum * packed_count(p_.sum.size, columns_of(part));
  }

  /// The most recently copied rows.
  struct LeftCopy {
    const float* of = nullptr;
    LeftRows rows;
  };

  void multiply_band(Index part, Index repeat, Index row, LeftCopy* copy, Stopped& stopped) const {
    const Place right = place_of(p_.rights, right_of(part));
    const Place left = place_of(p_.repeats, repeat);
    ProductRows rows;
    rows.rows = std::min(kRows, p_.row.size - row);
    rows.out = p_.out + right.out + left.out + row * p_.row.out_stride + column_of(part) * p_.column.out_stride;
    rows.out_row = p_.row.out_stride;
    rows.out_column = p_.column.out_stride;
    rows.fused = p_.fused;
    rows.streamed = p_.streamed;
    const Index sums = p_.sums.places();
    for (Index sum = 0; sum < sums && !stopped(); ++sum) {
      const float* const first = p_.a + right.a + left.a + place_of(p_.sums, sum).a + row * p_.row.a_stride;
      rows.a = {first, p_.row.a_stride, p_.sum.a_stride};
      if (copy != nullptr) {
        thread_local Scratch scratch;
        if (copy->of != first) *copy = {first, gathered(rows.a, rows.rows, p_.sum.size, scratch)};
        rows.a = copy->rows;
      }
      begin_rows(rows, right.start + left.start + row * p_.row.start_stride, column_of(part), sum == 0);
      rows.divisor = sum + 1 == sums ? p_.divisor : 1;
      multiply_packed(rows, packed_of(part, sum), p_.sum.size, columns_of(part));
    }
    if (p_.made != nullptr) tell(rows, columns_of(part));
  }

  void tell(const ProductRows& rows, Index columns) const {
    if (rows.out_column == 1) return (*p_.made)(rows.out, columns, rows.rows, rows.out_row);
    for (Index i = 0; i < rows.rows; ++i) (*p_.made)(rows.out + i * rows.out_row, 1, columns, rows.out_column);
  }

  /// The first depth block starts from `start` or zero, later blocks from the sums so far.
  void begin_rows(ProductRows& rows, Index place, Index column, bool first) const {
    const bool given = first && p_.start != nullptr;
    rows.start = given ? p_.start + place + column * p_.column.start_stride : (first ? nullptr : rows.out);
    rows.start_row = given ? p_.row.start_stride : rows.out_row;
    rows.start_column = given ? p_.column.start_stride : rows.out_column;
  }

  const Products& p_;
  Index first_, count_;
  float* packed_;
};

void multiply_matrices(const Products& p, ThreadPool* pool, Stopped& stopped) {
  thread_local Scratch scratch;
  const Index size = PackedParts::size_each(p);
  const Index parts = p.rights.places() * PackedParts::parts_each(p);
  const Index at_once = std::clamp<Index>(kPackedAtOnce / size, 1, parts);
  float* const packed = scratch.of_size(at_once * size);
  for (Index first = 0; first < parts && !stopped(); first += at_once) {
    const PackedParts together(p, first, std::min(at_once, parts - first), packed);
    together.pack(pool);
    together.multiply(pool, stopped);
  }
}

}  // namespace

void contract_strided(std::span<const ContractionLabel> labels, const float* a, const float* b, float* out,
                      Index out_count, double divisor, ThreadPool* pool, const std::function<bool()>& asked_to_stop,
                      const float* start, std::optional<bool> fused, const RowSink* made) {
  if (std::any_of(labels.begin(), labels.end(), [](const auto& label) { return label.size == 0; })) {
    std::fill_n(out, out_count, 0.0F);
    if (made != nullptr && out_count > 0) (*made)(out, out_count, 1, 0);
    return;
  }
  Products products = products_of(labels, a, b, out);
  products.divisor = static_cast<float>(divisor);
  products.start = start;
  products.fused = fused.value_or(rounds_once(products.flops));
  const bool written_once = products.sums.places() == 1;
  products.made = made;
  products.streamed = written_once && out_count >= kStreamed && made == nullptr;
  Stopped stopped(asked_to_stop);
  const bool nothing_to_sum = products.sums.places() == 1 && products.sum.size == 1;
  if (nothing_to_sum && products.column.b_stride == 1 && products.column.out_stride == 1 && start == nullptr) {
    scale_rows(products, pool, stopped);
  } else if (has_few_rows(products)) {
    multiply_few_rows(products, pool, stopped);
  } else {
    multiply_matrices(products, pool, stopped);
  }
}

}  // namespace attnscope
