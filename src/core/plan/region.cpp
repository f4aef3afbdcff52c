#include "core/plan/region.h"

#include <algorithm>

namespace attnscope {
Index Region::count() const {
  Index cells = 1;
  for (std::size_t axis = 0; axis < begin.size(); ++axis) cells = saturating_product(cells, size(axis));
  return cells;
}

bool Region::contains(std::span<const Index> index) const {
  for (std::size_t axis = 0; axis < begin.size(); ++axis) {
    if (index[axis] < begin[axis] || index[axis] >= end[axis]) return false;
  }
  return true;
}

Region single_cell(int step, std::span<const Index> index) {
  Region region = {step, {index.begin(), index.end()}, {index.begin(), index.end()}};
  for (Index& end : region.end) ++end;
  return region;
}

Region whole_region(int step, const Axes& axes) {
  Region region = {step, std::vector<Index>(axes.size(), 0), {}};
  for (const Axis& axis : axes) region.end.push_back(axis.size);
  return region;
}

Region region_within(int step, const Axes& axes, std::span<const Index> leading) {
  Region region = whole_region(step, axes);
  for (std::size_t axis = 0; axis < leading.size(); ++axis) {
    region.begin[axis] = leading[axis];
    region.end[axis] = leading[axis] + 1;
  }
  return region;
}

std::vector<Index> leading_index(const Axes& axes, std::size_t last, Index head, Index item) {
  std::vector<Index> leading;
  for (std::size_t i = 0; i + last < axes.size(); ++i) {
    const Index wanted = axes[i].name == "head" ? head : axes[i].name == "batch" ? item : 0;
    leading.push_back(std::min(wanted, axes[i].size - 1));
  }
  return leading;
}

Axes region_axes(const Axes& axes, const Region& region) {
  Axes part = axes;
  for (std::size_t axis = 0; axis < part.size(); ++axis) part[axis].size = region.size(axis);
  return part;
}

Region half_of(Region region, std::size_t axis, bool second) {
  const Index middle = region.begin[axis] + region.size(axis) / 2;
  (second ? region.begin[axis] : region.end[axis]) = middle;
  return region;
}

bool is_contiguous(const Tensor& whole, const Region& region) {
  Index run = 1;
  for (std::size_t axis = region.end.size(); axis-- > 0;) {
    if (region.size(axis) > 1 && whole.apart(axis) != run) return false;
    run *= region.size(axis);
  }
  return true;
}

std::shared_ptr<const Tensor> part_of(const std::shared_ptr<const Tensor>& whole, const Region& region) {
  if (region == whole_region(region.step, whole->axes())) return whole;
  Axes axes = region_axes(whole->axes(), region);
  // It may begin where the tensor ends.
  if (region.count() == 0) return std::make_shared<Tensor>(std::move(axes), nullptr);
  if (whole->has_room()) return whole->box(std::move(axes), region.begin);
  if (is_contiguous(*whole, region)) return Tensor::part(whole, std::move(axes), whole->offset(region.begin));
  auto part = std::make_shared<Tensor>(std::move(axes), nullptr);
  const Index length = region.size(region.begin.size() - 1);
  for_each_run(region, [&](Index at, const std::vector<Index>& index) {
    std::copy_n(whole->first() + whole->place(index), length, part->values().begin() + at);
  });
  return part;
}

}  // namespace attnscope
