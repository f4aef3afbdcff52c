#include "figure/blocks/head_order.h"

#include <algorithm>
#include <optional>

namespace attnscope {
namespace {

/// The measure to sort by; nothing for the order by number or similarity.
std::optional<std::size_t> sorting_measure(const std::string& sort) {
  for (std::size_t i = 0; i < measures().size(); ++i) {
    if (measures()[i].name == sort) return i;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Index> sorted_heads(const HeadMeasures& heads, const std::string& sort, bool up) {
  std::vector<Index> order(heads.heads.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  if (sort == "similarity" && !heads.distances.empty()) return similarity_order(heads.distances);
  const std::optional<std::size_t> by = sorting_measure(sort);
  if (!by) return order;
  // Heads without the measure come last.
  const auto key = [&](Index head) { return heads.heads[static_cast<std::size_t>(head)][*by]; };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    if (!key(a) || !key(b)) return key(a).has_value() && !key(b);
    return up ? *key(a) < *key(b) : *key(a) > *key(b);
  });
  return order;
}

}  // namespace attnscope
