#include "core/kernels/contraction.h"

#include <Eigen/Core>
#include <algorithm>

namespace attnscope {
namespace {

using DynamicStride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const RowMajor, 0, DynamicStride>;
using MutableMap = Eigen::Map<RowMajor, 0, DynamicStride>;

// A stopped computation should be noticed within milliseconds, however large one matrix product is.
constexpr Index kMultiplicationsBetweenChecks = 50'000'000;

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

/// Takes the longest label of that role out of `labels`; one of size 1 where there is none.
ContractionLabel take_longest(std::vector<ContractionLabel>& labels, Role role) {
  auto longest = labels.end();
  for (auto it = labels.begin(); it != labels.end(); ++it) {
    if (role_of(*it) == role && (longest == labels.end() || it->size > longest->size)) longest = it;
  }
  if (longest == labels.end()) return {1, 1, 1, 1};
  const ContractionLabel label = *longest;
  labels.erase(longest);
  return label;
}

struct Product {
  ContractionLabel row, column, sum;

  /// out += a · b for one place of the outer loops, by bands of rows.
  void add(const float* a, const float* b, float* out, const std::function<bool()>& stopped) const {
    const Index band =
        std::clamp<Index>(kMultiplicationsBetweenChecks / std::max<Index>(1, column.size * sum.size), 1, row.size);
    const ConstMap right(b, sum.size, column.size, DynamicStride(sum.b_stride, column.b_stride));
    for (Index begin = 0; begin < row.size && !stopped(); begin += band) {
      const Index rows = std::min(band, row.size - begin);
      const ConstMap left(a + begin * row.a_stride, rows, sum.size, DynamicStride(row.a_stride, sum.a_stride));
      MutableMap result(out + begin * row.out_stride, rows, column.size,
                        DynamicStride(row.out_stride, column.out_stride));
      result.noalias() += left * right;
    }
  }
};

}  // namespace

void contract_strided(std::vector<ContractionLabel> labels, const float* a, const float* b, float* out, Index out_count,
                      double divisor, const std::function<bool()>& stopped) {
  if (std::any_of(labels.begin(), labels.end(), [](const auto& label) { return label.size == 0; })) return;
  merge_neighbours(labels);
  const Product product = {take_longest(labels, Role::row), take_longest(labels, Role::column),
                           take_longest(labels, Role::sum)};

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
