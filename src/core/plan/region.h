// Boxes of cells.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/tensor.h"

namespace attnscope {

/// A box of cells of one tensor: begin ≤ index < end along every axis.
struct Region {
  int step = 0;
  std::vector<Index> begin;
  std::vector<Index> end;

  [[nodiscard]] Index size(std::size_t axis) const { return end[axis] - begin[axis]; }
  /// How many cells it has.
  [[nodiscard]] Index count() const;
  [[nodiscard]] bool contains(std::span<const Index> index) const;

  friend bool operator==(const Region&, const Region&) = default;
};

/// The box of one cell.
Region single_cell(int step, std::span<const Index> index);

/// All of a tensor with those axes.
Region whole_region(int step, const Axes& axes);

/// All cells whose index begins with `leading`.
Region region_within(int step, const Axes& axes, std::span<const Index> leading);

/// The index along all axes but the `last` ones: `head` and `item` along the head axis and the batch, where the tensor
/// has them (the last one of each where it has fewer), 0 along others.
std::vector<Index> leading_index(const Axes& axes, std::size_t last, Index head, Index item);

/// The axes of a tensor with the sizes of the region.
Axes region_axes(const Axes& axes, const Region& region);

/// The first or the second half of a region along that axis.
Region half_of(Region region, std::size_t axis, bool second);

/// Calls `visit(position of a run in the region, its index)` for every run of cells along the last axis of `region`,
/// in order.
template <typename Visit>
void for_each_run(const Region& region, const Visit& visit) {
  if (region.count() == 0) return;
  std::vector<Index> index = region.begin;
  const Index length = region.begin.empty() ? 1 : region.size(region.begin.size() - 1);
  for (Index at = 0;; at += length) {
    visit(at, index);
    std::size_t axis = index.empty() ? 0 : index.size() - 1;
    for (;; --axis) {
      if (axis == 0) return;
      if (++index[axis - 1] < region.end[axis - 1]) break;
      index[axis - 1] = region.begin[axis - 1];
    }
  }
}

/// Whether the cells of the region are neighbours in memory, one after the other.
bool is_contiguous(const Tensor& whole, const Region& region);

/// The numbers of a box of a tensor; copies them only if they are not contiguous and the tensor has no room.
std::shared_ptr<const Tensor> part_of(const std::shared_ptr<const Tensor>& whole, const Region& region);

}  // namespace attnscope
