// The same numbers, repeated, joined or cut off.
#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "core/operations/crop.h"
#include "core/operations/einsum.h"
#include "core/operations/ops.h"
#include "core/operations/shared.h"

namespace attnscope {
namespace {

/// out[head, …] = in[⌊head / times⌋, …]: several heads of queries share one head of keys and values. Source: Ainslie et
/// al. 2023, GQA.
struct RepeatHeadsOperation {
  Index times = 1;

  [[nodiscard]] std::string name() const { return "repeat_heads"; }

  [[nodiscard]] std::string formula(const StepInPlan& step) const {
    return input_text(step) + ", each head repeated for " + std::to_string(times) + " query heads";
  }

  void compute(Inputs inputs, const StepContext& context, Tensor& out) const {
    const Index each = out.stride(0);
    share_out(context, out.size(0), each, [&](Index head) {
      std::copy_n(inputs[0]->values().data() + head / times * each, each, out.values().data() + head * each);
    });
  }

  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const {
    Region from = same_cells(step, region);
    from.begin[0] /= times;
    from.end[0] = (from.end[0] + times - 1) / times;
    return {from};
  }

  void compute_part(const StepPart& part, Inputs inputs, const StepContext& /*context*/, Tensor& out) const {
    const Index each = out.stride(0);
    for (Index head = 0; head < out.size(0); ++head) {
      const Index from = (part.region.begin[0] + head) / times - part.sources[0].begin[0];
      std::copy_n(inputs[0]->values().data() + from * each, each, out.values().data() + head * each);
    }
  }

  [[nodiscard]] double magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const { return inputs[0]; }

  void explain(const ExplainedCell& cell, Explanation& e) const {
    std::vector<Index> at(cell.index.begin(), cell.index.end());
    at[0] /= times;
    e.operands.push_back(cell.operand(0, at));
    e.formula = cell.input(0).name + index_text(at);
    e.note = "shared by " + std::to_string(times) + " query heads";
    e.computed = e.operands.back().value;
  }

  [[nodiscard]] std::string python(const StepInPlan& /*step*/, std::span<const std::string> inputs) const {
    return inputs[0] + ".repeat_interleave(" + std::to_string(times) + ", 0)";
  }

  friend bool operator==(const RepeatHeadsOperation&, const RepeatHeadsOperation&) = default;
};

/// The rows of the first input, then those of the second, along the first axis.
struct ConcatenateOperation {
  [[nodiscard]] std::string name() const { return "concatenate"; }

  [[nodiscard]] std::string formula(const StepInPlan& step) const {
    return input_text(step) + ", then " + input_text(step, 1);
  }

  void compute(Inputs inputs, const StepContext& /*context*/, Tensor& out) const {
    const auto next = std::copy(inputs[0]->values().begin(), inputs[0]->values().end(), out.values().begin());
    std::copy(inputs[1]->values().begin(), inputs[1]->values().end(), next);
  }

  [[nodiscard]] std::vector<Region> input_regions(const StepInPlan& step, const Region& region) const {
    const Index first = step.input(0).axes[0].size;
    Region a = same_cells(step, region);
    Region b = {step.step.inputs[1], region.begin, region.end};
    a.begin[0] = std::min(a.begin[0], first);
    a.end[0] = std::min(a.end[0], first);
    b.begin[0] = std::max<Index>(0, b.begin[0] - first);
    b.end[0] = std::max<Index>(0, b.end[0] - first);
    return {a, b};
  }

  [[nodiscard]] double magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const {
    return std::max(inputs[0], inputs[1]);
  }

  void explain(const ExplainedCell& cell, Explanation& e) const {
    const Index first = cell.input(0).axes[0].size;
    std::vector<Index> at(cell.index.begin(), cell.index.end());
    const std::size_t which = at[0] < first ? 0 : 1;
    if (which == 1) at[0] -= first;
    e.operands.push_back(cell.operand(which, at));
    e.formula = cell.input(which).name + index_text(at);
    e.computed = e.operands.back().value;
  }

  [[nodiscard]] std::string python(const StepInPlan& /*step*/, std::span<const std::string> inputs) const {
    return "torch.cat([" + inputs[0] + ", " + inputs[1] + "])";
  }

  friend bool operator==(const ConcatenateOperation&, const ConcatenateOperation&) = default;
};

}  // namespace

std::string CropOperation::formula(const StepInPlan& step) const {
  return input_text(step) + ", the first " + shape_text(step.step.axes);
}

void CropOperation::compute(Inputs inputs, const StepContext& /*context*/, Tensor& out) const {
  for_each_run(whole_region(0, out.axes()), [&](Index at, const std::vector<Index>& index) {
    std::copy_n(inputs[0]->values().begin() + inputs[0]->offset(index), out.size(-1), out.values().begin() + at);
  });
}

std::vector<Region> CropOperation::input_regions(const StepInPlan& step, const Region& region) const {
  return {same_cells(step, region)};
}

double CropOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const { return inputs[0]; }

void CropOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  e.computed = add_same_cell(cell, e);
  e.formula = cell.name(0);
}

std::string CropOperation::python(const StepInPlan& step, std::span<const std::string> inputs) const {
  std::vector<std::string> ends;
  for (const Axis& axis : step.step.axes) ends.push_back(":" + std::to_string(axis.size));
  return inputs[0] + "[" + join(ends, ", ") + "]";
}

Value crop(PlanBuilder& r, std::string name, Value input, const std::vector<Index>& sizes) {
  Axes axes = r.axes(input);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) axes[axis].size = sizes[axis];
  return r.record({std::move(name), CropOperation{}, {input.step}, std::move(axes), 0});
}

Value repeat_heads(PlanBuilder& r, std::string name, Value input, Index times) {
  Axes axes = r.axes(input);
  axes[0].size = saturating_product(axes[0].size, times);
  return r.record({std::move(name), RepeatHeadsOperation{times}, {input.step}, std::move(axes), 0});
}

Value concatenate(PlanBuilder& r, std::string name, Value first, Value second) {
  Axes axes = r.axes(first);
  axes[0].size += r.axes(second)[0].size;
  return r.record({std::move(name), ConcatenateOperation{}, {first.step, second.step}, std::move(axes), 0});
}

}  // namespace attnscope
