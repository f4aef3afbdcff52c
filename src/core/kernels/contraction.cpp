#include "core/kernels/contraction.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <vector>

#include "core/kernels/instruction_set.h"

namespace attnscope {
namespace {

// Of the summed label, of the columns and of the rows so many are worked on at a time: the columns' part stays in the
// second cache, a block of it in the first.
constexpr Index kDepth = 256;
constexpr Index kColumns = 512;
constexpr Index kRows = 192;

// Up to here a product is rounded like PyTorch's on Debian (reference BLAS: twice, product and sum). Beyond, where
// scores are scaled, it is fused if the processor can.
constexpr double kRoundedTwice = 3e7;

constexpr std::size_t kAlignment = 64;

/// Whether the label is a row of the product, a column of it, or summed; anything else is looped over.
enum class Role { row, column, sum, loop };

Role role_of(const ContractionLabel& label) {
  if (label.out_stride == 0) return Role::sum;
  if (label.b_stride == 0) return Role::row;
  if (label.a_stride == 0) return Role::column;
  return Role::loop;
}

/// Joins neighbours that lie behind each other in every tensor, so that (head, dim) becomes one long axis where
/// possible.
void merge_neighbours(std::vector<ContractionLabel>& labels) {
  for (std::size_t i = labels.size(); i-- > 1;) {
    ContractionLabel& slow = labels[i - 1];
    const ContractionLabel& fast = labels[i];
    const bool joined = role_of(slow) == role_of(fast) && slow.a_stride == fast.a_stride * fast.size &&
                        slow.b_stride == fast.b_stride * fast.size && slow.out_stride == fast.out_stride * fast.size;
    if (!joined) continue;
    slow = {slow.size * fast.size, fast.a_stride, fast.b_stride, fast.out_stride};
    labels.erase(labels.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// Takes a label of that role out of `labels`; one of size 1 where there is none. Of summed labels it is the last, so
/// that the order of the sum is the tensors' own; of others the longest.
ContractionLabel take(std::vector<ContractionLabel>& labels, Role role) {
  auto chosen = labels.end();
  for (auto it = labels.begin(); it != labels.end(); ++it) {
    if (role_of(*it) == role && (chosen == labels.end() || role == Role::sum || it->size > chosen->size)) chosen = it;
  }
  if (chosen == labels.end()) return {1, 0, 0, 0};
  const ContractionLabel label = *chosen;
  labels.erase(chosen);
  return label;
}

/// Memory that vectors can be read from at any place, kept from one product to the next.
class Scratch {
 public:
  ~Scratch() { operator delete[](data_, std::align_val_t(kAlignment)); }
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  float* of_size(std::size_t count) {
    if (count > size_) {
      operator delete[](data_, std::align_val_t(kAlignment));
      data_ = nullptr;
      size_ = 0;
      data_ = static_cast<float*>(operator new[](count * sizeof(float), std::align_val_t(kAlignment)));
      size_ = count;
    }
    return data_;
  }

 private:
  float* data_ = nullptr;
  std::size_t size_ = 0;
};

Index round_up(Index value, Index step) { return (value + step - 1) / step * step; }

/// Copies `count` lines of `depth` numbers each so that `block` lines lie next to each other; the last block is filled
/// up with zeros.
void pack(const float* from, Index count, Index stride, Index depth, Index depth_stride, Index block, float* to) {
  for (Index begin = 0; begin < count; begin += block) {
    const Index lines = std::min(block, count - begin);
    const float* corner = from + begin * stride;
    for (Index k = 0; k < depth; ++k) {
      for (Index i = 0; i < lines; ++i) to[k * block + i] = corner[k * depth_stride + i * stride];
      for (Index i = lines; i < block; ++i) to[k * block + i] = 0.0F;
    }
    to += depth * block;
  }
}

/// One matrix product out += a · b. Each element is summed in float, one product after the other from the first to the
/// last: as reference BLAS does, and with it PyTorch as Debian builds it. Where scores are large, a softmax turns the
/// difference that another order makes into one that can be seen.
class Product {
 public:
  Product(const ContractionLabel& row, const ContractionLabel& column, const ContractionLabel& sum, bool fused)
      : loops_(kernels()), row_(row), column_(column), sum_(sum), fused_(fused) {}

  /// Rows `begin` to `end` of it.
  void add(const float* a, const float* b, float* out, Index begin, Index end,
           const std::function<bool()>& stopped) const {
    thread_local Scratch scratch;
    const Index depth = std::min(kDepth, sum_.size);
    const Index columns = round_up(std::min(kColumns, column_.size), loops_.block_columns);
    const Index rows = round_up(std::min(kRows, end - begin), loops_.block_rows);
    const Index block = loops_.block_rows * loops_.block_columns;
    float* const right = scratch.of_size(static_cast<std::size_t>(depth * (columns + rows) + block));
    float* const left = right + depth * columns;
    float* const edge = left + depth * rows;
    for (Index j = 0; j < column_.size; j += kColumns) {
      const Index width = std::min(kColumns, column_.size - j);
      for (Index k = 0; k < sum_.size; k += kDepth) {
        const Index deep = std::min(kDepth, sum_.size - k);
        pack(b + j * column_.b_stride + k * sum_.b_stride, width, column_.b_stride, deep, sum_.b_stride,
             loops_.block_columns, right);
        for (Index i = begin; i < end && !stopped(); i += kRows) {
          const Index height = std::min(kRows, end - i);
          pack(a + i * row_.a_stride + k * sum_.a_stride, height, row_.a_stride, deep, sum_.a_stride, loops_.block_rows,
               left);
          add_panels(left, right, deep, out + i * row_.out_stride + j * column_.out_stride, height, width, edge);
        }
      }
    }
  }

 private:
  void add_panels(const float* left, const float* right, Index depth, float* out, Index height, Index width,
                  float* edge) const {
    for (Index j = 0; j < width; j += loops_.block_columns) {
      const Index columns = std::min(loops_.block_columns, width - j);
      for (Index i = 0; i < height; i += loops_.block_rows) {
        const Index rows = std::min(loops_.block_rows, height - i);
        const float* a = left + i * depth;
        const float* b = right + j * depth;
        float* to = out + i * row_.out_stride + j * column_.out_stride;
        const bool whole = rows == loops_.block_rows && columns == loops_.block_columns && column_.out_stride == 1;
        if (whole) {
          loops_.add_block(depth, a, b, to, row_.out_stride, fused_);
          continue;
        }
        copy_block(to, row_.out_stride, column_.out_stride, edge, loops_.block_columns, 1, rows, columns);
        loops_.add_block(depth, a, b, edge, loops_.block_columns, fused_);
        copy_block(edge, loops_.block_columns, 1, to, row_.out_stride, column_.out_stride, rows, columns);
      }
    }
  }

  static void copy_block(const float* from, Index from_row, Index from_column, float* to, Index to_row, Index to_column,
                         Index rows, Index columns) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) to[i * to_row + j * to_column] = from[i * from_row + j * from_column];
    }
  }

  const Kernels& loops_;
  ContractionLabel row_, column_, sum_;
  bool fused_;
};

/// Where a place of the outer loops begins in each tensor.
struct Place {
  Index a = 0;
  Index b = 0;
  Index out = 0;
};

/// The `number`th place of the outer loops, the last label fastest.
Place place_of(const std::vector<ContractionLabel>& labels, Index number) {
  Place place;
  for (std::size_t i = labels.size(); i-- > 0;) {
    const ContractionLabel& label = labels[i];
    const Index at = number % label.size;
    number /= label.size;
    place.a += at * label.a_stride;
    place.b += at * label.b_stride;
    place.out += at * label.out_stride;
  }
  return place;
}

}  // namespace

void contract_strided(std::vector<ContractionLabel> labels, const float* a, const float* b, float* out, Index out_count,
                      double divisor, ThreadPool* pool, const std::function<bool()>& asked_to_stop) {
  if (std::any_of(labels.begin(), labels.end(), [](const auto& label) { return label.size == 0; })) return;
  double work = 2;
  for (const ContractionLabel& label : labels) work *= static_cast<double>(label.size);
  merge_neighbours(labels);
  const ContractionLabel row = take(labels, Role::row);
  const ContractionLabel column = take(labels, Role::column);
  const Product product(row, column, take(labels, Role::sum), work > kRoundedTwice);

  // What is left of the labels: loops over products. Those that are summed over add to the same elements, one after the
  // other, and are no work for several threads at once.
  std::vector<ContractionLabel> summed;
  std::vector<ContractionLabel> apart;
  for (const ContractionLabel& label : labels) (role_of(label) == Role::sum ? summed : apart).push_back(label);
  Index products = 1;
  for (const ContractionLabel& label : apart) products *= label.size;
  Index sums = 1;
  for (const ContractionLabel& label : summed) sums *= label.size;
  // Asked no more once the answer was yes.
  std::atomic<bool> left = false;
  const std::function<bool()> stopped = [&] {
    if (!left && asked_to_stop()) left = true;
    return left.load();
  };
  const Index bands = (row.size + kRows - 1) / kRows;
  run_blocks(pool, work, products * bands, [&](Index block) {
    const Place outer = place_of(apart, block / bands);
    const Index begin = block % bands * kRows;
    for (Index i = 0; i < sums && !stopped(); ++i) {
      const Place inner = place_of(summed, i);
      product.add(a + outer.a + inner.a, b + outer.b + inner.b, out + outer.out, begin,
                  std::min(begin + kRows, row.size), stopped);
    }
  });
  if (divisor == 1 || stopped()) return;
  kernels().divide(out, static_cast<float>(divisor), out_count);
}

}  // namespace attnscope
