#include "core/kernels/contraction.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>

#include "core/kernels/isa/instruction_set.h"
#include "core/kernels/matrix_product.h"
#include "core/kernels/scratch.h"

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

/// The role of a label: row of the product, column, summed, or an outer loop.
enum class Role { row, column, sum, loop };

Role role_of(const ContractionLabel& label) {
  if (label.out_stride == 0) return Role::sum;
  if (label.b_stride == 0) return Role::row;
  if (label.a_stride == 0) return Role::column;
  return Role::loop;
}

/// A short list of labels without allocation.
class Labels {
 public:
  void push_back(const ContractionLabel& label) {
    assert(count_ < kMaxContractionLabels);
    labels_[count_++] = label;
  }
  void erase(std::size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --count_;
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] ContractionLabel& operator[](std::size_t at) { return labels_[at]; }
  [[nodiscard]] ContractionLabel* begin() { return labels_.data(); }
  [[nodiscard]] ContractionLabel* end() { return labels_.data() + count_; }
  [[nodiscard]] const ContractionLabel* begin() const { return labels_.data(); }
  [[nodiscard]] const ContractionLabel* end() const { return labels_.data() + count_; }

  /// The product of their sizes.
  [[nodiscard]] Index places() const {
    Index product = 1;
    for (const ContractionLabel& label : *this) product *= label.size;
    return product;
  }

 private:
  std::array<ContractionLabel, kMaxContractionLabels> labels_;
  std::size_t count_ = 0;
};

/// Merges adjacent labels that are contiguous in every tensor: (head, dim) becomes one long axis if possible.
void merge_neighbours(Labels& labels) {
  for (std::size_t i = labels.count(); i-- > 1;) {
    ContractionLabel& slow = labels[i - 1];
    const ContractionLabel& fast = labels[i];
    const bool joined = role_of(slow) == role_of(fast) && slow.a_stride == fast.a_stride * fast.size &&
                        slow.b_stride == fast.b_stride * fast.size && slow.out_stride == fast.out_stride * fast.size &&
                        slow.start_stride == fast.start_stride * fast.size;
    if (!joined) continue;
    slow = {slow.size * fast.size, fast.a_stride, fast.b_stride, fast.out_stride, fast.start_stride};
    labels.erase(i);
  }
}

/// Removes a label of the given role from `labels` and returns it, or one of size 1 if there is none. Takes the last
/// summed label, which keeps the order of the sum, and the longest label of other roles.
ContractionLabel take(Labels& labels, Role role) {
  std::size_t chosen = labels.count();
  for (std::size_t i = 0; i < labels.count(); ++i) {
    if (role_of(labels[i]) != role) continue;
    if (chosen == labels.count() || role == Role::sum || labels[i].size > labels[chosen].size) chosen = i;
  }
  if (chosen == labels.count()) return {1, 0, 0, 0, 0};
  const ContractionLabel label = labels[chosen];
  labels.erase(chosen);
  return label;
}

/// Quotient and remainder, without a division in the common cases: a divisor of 1, or larger than the dividend.
struct Quotient {
  Index whole = 0;
  Index rest = 0;
};

Quotient divide(Index number, Index by) {
  if (number < by) return {0, number};
  if (by == 1) return {number, 0};
  return {number / by, number % by};
}

/// The offsets of an outer-loop iteration in each tensor.
struct Place {
  Index a = 0;
  Index b = 0;
  Index out = 0;
  Index start = 0;
};

/// The offsets of iteration `number` over the labels; the last label varies fastest.
Place place_of(const Labels& labels, Index number) {
  Place place;
  for (const ContractionLabel* label = labels.end(); number > 0;) {
    --label;
    const auto [before, at] = divide(number, label->size);
    number = before;
    place.a += at * label->a_stride;
    place.b += at * label->b_stride;
    place.out += at * label->out_stride;
    place.start += at * label->start_stride;
  }
  return place;
}

/// A contraction as matrix products: one right factor per iteration of `rights`, multiplied with one left factor per
/// iteration of `repeats`; each element is the sum over `sums`, one product after the other.
struct Products {
  const float* a = nullptr;
  const float* b = nullptr;
  float* out = nullptr;
  const float* start = nullptr;
  ContractionLabel row, column, sum;
  Labels rights, repeats, sums;
  double flops = 2;
  float divisor = 1;
  bool fused = false;
  bool streamed = false;
  const RowSink* made = nullptr;
};

Products products_of(std::span<const ContractionLabel> labels, const float* a, const float* b, float* out) {
  Products p;
  p.a = a;
  p.b = b;
  p.out = out;
  Labels rest;
  for (const ContractionLabel& label : labels) {
    p.flops *= static_cast<double>(label.size);
    if (label.size != 1) rest.push_back(label);
  }
  merge_neighbours(rest);
  p.row = take(rest, Role::row);
  p.column = take(rest, Role::column);
  p.sum = take(rest, Role::sum);
  // Products are written along columns, which should therefore be contiguous.
  const bool turned = p.column.size > 1 && p.column.out_stride != 1 && p.row.out_stride == 1;
  const auto turn = [](ContractionLabel& label) { std::swap(label.a_stride, label.b_stride); };
  if (turned) {
    std::swap(p.a, p.b);
    std::swap(p.row, p.column);
    for (ContractionLabel* label : {&p.row, &p.column, &p.sum}) turn(*label);
    std::for_each(rest.begin(), rest.end(), turn);
  }
  for (const ContractionLabel& label : rest) {
    if (role_of(label) == Role::sum) {
      p.sums.push_back(label);
    } else {
      (label.b_stride == 0 ? p.repeats : p.rights).push_back(label);
    }
  }
  return p;
}

/// Called from several threads; remembers a positive answer.
class Stopped {
 public:
  explicit Stopped(const std::function<bool()>& asked) : asked_(asked) {}
  bool operator()() {
    if (!stopped_ && asked_()) stopped_ = true;
    return stopped_;
  }

 private:
  const std::function<bool()>& asked_;
  std::atomic<bool> stopped_ = false;
};

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
  } else {
    multiply_matrices(products, pool, stopped);
  }
}

}  // namespace attnscope
