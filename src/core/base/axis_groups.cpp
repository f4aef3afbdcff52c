#include "core/base/axis_groups.h"

namespace attnscope {
namespace {

/// Positions of all elements along the axes where `wanted` is `over`, the other axes at 0.
std::vector<Index> positions(const Axes& axes, const std::vector<bool>& over, bool wanted) {
  std::vector<Index> found = {0};
  Index stride = element_count(axes);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis].size == 0) return {};
    stride /= axes[axis].size;
    if (over[axis] != wanted) continue;
    std::vector<Index> next;
    next.reserve(found.size() * static_cast<std::size_t>(axes[axis].size));
    for (const Index position : found) {
      for (Index at = 0; at < axes[axis].size; ++at) next.push_back(position + at * stride);
    }
    found = std::move(next);
  }
  return found;
}

}  // namespace

AxisGroups axis_groups(const Axes& axes, const std::vector<bool>& over) {
  return {positions(axes, over, false), positions(axes, over, true)};
}

}  // namespace attnscope
