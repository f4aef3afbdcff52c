#include "core/plan/region.h"

#include <algorithm>

namespace attnscope {
namespace {

/// The boxes behind `region`, by operation.
struct RegionsBehind {
  std::span<const PlannedStep> steps;
  const PlannedStep& step;
  const Region& region;

  [[nodiscard]] const Axes& input_axes(std::size_t i) const {
    return steps[static_cast<std::size_t>(step.inputs[i])].axes;
  }

  std::vector<Region> operator()(const DrawOperation& /*draw*/) const { return {}; }
  std::vector<Region> operator()(const ConstantOperation& /*constant*/) const { return {}; }
  std::vector<Region> operator()(const SetOperation& /*set*/) const { return {}; }
  std::vector<Region> operator()(const ImportOperation& /*given*/) const { return {}; }

  std::vector<Region> operator()(const ContractOperation& contract) const {
    std::vector<Region> regions = {labelled(contract, 0, contract.a), labelled(contract, 1, contract.b)};
    if (step.inputs.size() > 2) regions.push_back(labelled(contract, 2, contract.bias));
    return regions;
  }
  std::vector<Region> operator()(const AddOperation& add) const {
    return {labelled(add, 0, add.a), labelled(add, 1, add.b)};
  }

  std::vector<Region> operator()(const NormalizeOperation& normalize) const {
    Region whole = same();
    for (std::size_t axis = 0; axis < normalize.over.size(); ++axis) {
      if (normalize.over[axis]) whole.begin[axis] = 0, whole.end[axis] = step.axes[axis].size;
    }
    return {whole};
  }
  std::vector<Region> operator()(const MeanOperation& mean) const {
    Region whole = same();
    whole.begin.insert(whole.begin.begin() + mean.axis, 0);
    whole.end.insert(whole.end.begin() + mean.axis, input_axes(0)[static_cast<std::size_t>(mean.axis)].size);
    return {whole};
  }
  std::vector<Region> operator()(const SoftmaxOperation& /*softmax*/) const {
    Region rows = same();
    rows.begin.back() = 0;
    rows.end.back() = step.axes.back().size;
    return {rows};
  }
  std::vector<Region> operator()(const RearrangeOperation& rearrange) const { return {rearranged(rearrange)}; }

  // The same cells of the input.
  std::vector<Region> operator()(const ScaleOperation& /*scale*/) const { return {same()}; }
  std::vector<Region> operator()(const MaskOperation& /*mask*/) const { return {same()}; }
  std::vector<Region> operator()(const DropoutOperation& /*dropout*/) const { return {same()}; }
  std::vector<Region> operator()(const KeepHeadsOperation& /*keep*/) const { return {same()}; }
  std::vector<Region> operator()(const DistanceBiasOperation& /*bias*/) const { return {same()}; }

  std::vector<Region> operator()(const SinusoidOperation& /*sinusoid*/) const { return {}; }
  std::vector<Region> operator()(const RotateOperation& /*rotate*/) const {
    Region pairs = same();
    pairs.begin.back() -= pairs.begin.back() % 2;
    pairs.end.back() = std::min(pairs.end.back() + pairs.end.back() % 2, step.axes.back().size);
    return {pairs};
  }

 private:
  [[nodiscard]] Region same() const { return {step.inputs[0], region.begin, region.end}; }

  /// Labels of the result are where the region is; summed ones run over everything.
  [[nodiscard]] Region labelled(const EinsumOperation& operation, std::size_t input,
                                const std::vector<int>& labels) const {
    Region box = {step.inputs[input], {}, {}};
    for (const int label : labels) {
      const auto at = std::find(operation.out.begin(), operation.out.end(), label) - operation.out.begin();
      const auto axis = static_cast<std::size_t>(at);
      const bool summed = axis == operation.out.size();
      box.begin.push_back(summed ? 0 : region.begin[axis]);
      box.end.push_back(summed ? operation.sizes[static_cast<std::size_t>(label)] : region.end[axis]);
    }
    return box;
  }

  /// Each label from its least to its greatest value in the region, and then each axis of the input likewise.
  [[nodiscard]] Region rearranged(const RearrangeOperation& rearrange) const {
    std::vector<Index> least = rearrange.at;
    std::vector<Index> greatest = rearrange.at;
    for (std::size_t axis = 0; axis < rearrange.out.size(); ++axis) {
      Index from = region.begin[axis];
      Index to = region.end[axis] - 1;
      for (std::size_t i = rearrange.out[axis].size(); i-- > 0;) {
        const auto label = static_cast<std::size_t>(rearrange.out[axis][i]);
        const Index size = rearrange.sizes[label];
        const bool one_round = from / size == to / size;  // of this label, so that it does not begin anew
        least[label] = one_round ? from % size : 0;
        greatest[label] = one_round ? to % size : size - 1;
        from /= size;
        to /= size;
      }
    }
    Region box = {step.inputs[0], {}, {}};
    for (const std::vector<int>& group : rearrange.in) {
      Index begin = 0;
      Index last = 0;
      for (const int each : group) {
        const auto label = static_cast<std::size_t>(each);
        begin = begin * rearrange.sizes[label] + least[label];
        last = last * rearrange.sizes[label] + greatest[label];
      }
      box.begin.push_back(begin);
      box.end.push_back(last + 1);
    }
    return box;
  }
};

/// Whether the cells of the region lie one behind the other in a tensor with those axes.
bool is_contiguous(const Axes& axes, const Region& region) {
  bool partial = false;  // along an axis further in front: only the last such axis may have more than one cell
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    if (partial && region.size(axis) > 1) return false;
    partial = partial || region.size(axis) < axes[axis].size;
  }
  return true;
}

}  // namespace

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

std::shared_ptr<const Tensor> part_of(const std::shared_ptr<const Tensor>& whole, const Region& region) {
  if (region == whole_region(region.step, whole->axes())) return whole;
  Axes axes = region_axes(whole->axes(), region);
  if (is_contiguous(whole->axes(), region)) return Tensor::part(whole, std::move(axes), whole->offset(region.begin));
  auto part = std::make_shared<Tensor>(std::move(axes), nullptr);
  const Index length = region.size(region.begin.size() - 1);
  for_each_run(region, [&](Index at, const std::vector<Index>& index) {
    std::copy_n(whole->values().begin() + whole->offset(index), length, part->values().begin() + at);
  });
  return part;
}

std::vector<Region> regions_behind(std::span<const PlannedStep> steps, const Region& region) {
  const PlannedStep& step = steps[static_cast<std::size_t>(region.step)];
  return std::visit(RegionsBehind{steps, step, region}, step.operation);
}

}  // namespace attnscope
