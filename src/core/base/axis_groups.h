// The elements that a mean, a variance or a norm runs over.
#pragma once

#include <vector>

#include "core/base/tensor.h"

namespace attnscope {

/// A tensor's elements in groups: those of a group agree in every axis but the ones that are run over.
struct AxisGroups {
  std::vector<Index> starts;   ///< position of each group's first element, groups in the order of the other axes
  std::vector<Index> members;  ///< positions of a group's elements, counted from its first
};

/// `over` says for each axis whether groups run over it.
AxisGroups axis_groups(const Axes& axes, const std::vector<bool>& over);

}  // namespace attnscope
