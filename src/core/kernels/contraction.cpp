#include "core/kernels/contraction.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>

namespace attnscope {
namespace {

// A block of the result that stays in registers while the sum runs.
constexpr Index kBlockRows = 4;
constexpr Index kBlockColumns = 8;
using BlockRow = Eigen::Array<float, kBlockColumns, 1>;

// A stopped computation should be noticed within milliseconds, however large one matrix product is.
constexpr Index kMultiplicationsBetweenChecks = 10'000'000;

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

/// out += a · b for one place of the outer loops. Each element is summed in float, one product after the other from the
/// first to the last: as reference BLAS does, and with it PyTorch as Debian builds it. Where scores are large, a
/// softmax turns the difference that another order makes into one that can be seen.
class Product {
 public:
  Product(const ContractionLabel& row, const ContractionLabel& column, const ContractionLabel& sum)
      : row_(row), column_(column), sum_(sum), panel_(static_cast<std::size_t>(sum.size)) {}

  void add(const float* a, const float* b, float* out, const std::function<bool()>& stopped) {
    const Index band = std::max<Index>(kBlockRows, kMultiplicationsBetweenChecks / (kBlockColumns * sum_.size));
    for (Index column = 0; column < column_.size; column += kBlockColumns) {
      const Index columns = std::min(kBlockColumns, column_.size - column);
      pack(b + column * column_.b_stride, columns);
      float* const band_out = out + column * column_.out_stride;
      for (Index begin = 0; begin < row_.size && !stopped(); begin += band) {
        const Index end = std::min(begin + band, row_.size);
        for (Index row = begin; row < end; row += kBlockRows) {
          add_block(a + row * row_.a_stride, band_out + row * row_.out_stride, std::min(kBlockRows, end - row),
                    columns);
        }
      }
    }
  }

 private:
  /// Copies the columns of b next to each other, for all rows to use.
  void pack(const float* b, Index columns) {
    for (Index k = 0; k < sum_.size; ++k) {
      BlockRow& line = panel_[static_cast<std::size_t>(k)];
      for (Index j = 0; j < kBlockColumns; ++j)
        line[j] = j < columns ? b[k * sum_.b_stride + j * column_.b_stride] : 0.0F;
    }
  }

  void add_block(const float* a, float* out, Index rows, Index columns) const {
    std::array<BlockRow, kBlockRows> block;
    for (Index i = 0; i < kBlockRows; ++i) {
      BlockRow& line = block[static_cast<std::size_t>(i)];
      for (Index j = 0; j < kBlockColumns; ++j) {
        line[j] = i < rows && j < columns ? out[i * row_.out_stride + j * column_.out_stride] : 0.0F;
      }
    }
    // Rows behind the last repeat it; what they sum to is not kept.
    std::array<const float*, kBlockRows> from{};
    for (Index i = 0; i < kBlockRows; ++i)
      from[static_cast<std::size_t>(i)] = a + std::min(i, rows - 1) * row_.a_stride;
    for (Index k = 0; k < sum_.size; ++k) {
      const BlockRow& line = panel_[static_cast<std::size_t>(k)];
      for (std::size_t i = 0; i < block.size(); ++i) block[i] += from[i][k * sum_.a_stride] * line;
    }
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j)
        out[i * row_.out_stride + j * column_.out_stride] = block[static_cast<std::size_t>(i)][j];
    }
  }

  ContractionLabel row_, column_, sum_;
  std::vector<BlockRow, Eigen::aligned_allocator<BlockRow>> panel_;
};

}  // namespace

void contract_strided(std::vector<ContractionLabel> labels, const float* a, const float* b, float* out, Index out_count,
                      double divisor, const std::function<bool()>& stopped) {
  if (std::any_of(labels.begin(), labels.end(), [](const auto& label) { return label.size == 0; })) return;
  merge_neighbours(labels);
  const ContractionLabel row = take(labels, Role::row);
  const ContractionLabel column = take(labels, Role::column);
  Product product(row, column, take(labels, Role::sum));

  std::vector<Index> at(labels.size(), 0);
  for (bool more = true; more && !stopped();) {
    product.add(a, b, out, stopped);
    more = false;
    for (std::size_t i = labels.size(); i-- > 0 && !more;) {
      const ContractionLabel& label = labels[i];
      more = ++at[i] < label.size;
      const Index steps = more ? 1 : 1 - label.size;
      if (!more) at[i] = 0;
      a += steps * label.a_stride;
      b += steps * label.b_stride;
      out += steps * label.out_stride;
    }
  }
  // `out` is back at its start here: the loops above wrap around.
  if (divisor == 1 || stopped()) return;
  const auto by = static_cast<float>(divisor);
  for (Index i = 0; i < out_count; ++i) out[i] /= by;
}

}  // namespace attnscope
