#include "core/operations/dropout.h"

#include "core/operations/ops.h"
#include "core/operations/shared.h"

namespace attnscope {
namespace {

// Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014: the
// finalizer of SplitMix64. Its n-th number is a function of n, so any element can be computed alone.
constexpr std::uint64_t kGamma = 0x9e3779b97f4a7c15U;

std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

}  // namespace

Value dropout(PlanBuilder& r, std::string name, Value input, double probability) {
  return record_elementwise(r, std::move(name), input, DropoutOperation{probability, input.step}, 1);
}

bool DropoutOperation::keeps(std::uint64_t seed, Index offset) const {
  const std::uint64_t start = mixed(mixed(seed + kGamma) + static_cast<std::uint64_t>(stream) * kGamma);
  const std::uint64_t bits = mixed(start + (static_cast<std::uint64_t>(offset) + 1) * kGamma);
  return static_cast<double>(bits >> 11U) * 0x1p-53 >= probability;
}

std::string DropoutOperation::formula(const StepInPlan& step) const {
  return input_text(step) + " · kept / (1 − " + exact_text(probability) + ")";
}

void DropoutOperation::compute(Inputs inputs, const StepContext& context, Tensor& out) const {
  const auto from = inputs[0]->values();
  const auto kept = static_cast<float>(1 - probability);
  for (std::size_t i = 0; i < from.size(); ++i)
    out.values()[i] = keeps(context.seed, static_cast<Index>(i)) ? from[i] / kept : 0.0F;
}

std::vector<Region> DropoutOperation::input_regions(const StepInPlan& step, const Region& region) const {
  return {same_cells(step, region)};
}

void DropoutOperation::compute_part(const StepPart& part, Inputs inputs, const StepContext& context,
                                    Tensor& out) const {
  const auto kept = static_cast<float>(1 - probability);
  for_each_cell(part.region, [&](std::size_t at, const std::vector<Index>& index) {
    const bool keep = keeps(context.seed, offset_in(part.step.axes, index));
    out.values()[at] = keep ? inputs[0]->values()[at] / kept : 0.0F;
  });
}

double DropoutOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const {
  return inputs[0] / (1 - probability);
}

void DropoutOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  const double value = add_same_cell(cell, e);
  const bool keep = keeps(cell.seed, offset_in(cell.step.axes, cell.index));
  e.note = keep ? "kept by dropout" : "dropped";
  e.formula = keep ? cell.name(0) + " / (1 − " + exact_text(probability) + ")" : "0";
  e.computed = keep ? value / (1 - probability) : 0;
}

std::vector<std::string> DropoutOperation::warnings(const std::string& /*tensor*/) const {
  return {"dropout uses attnscope's own random stream, which does not match PyTorch's"};
}

Value keep_heads(PlanBuilder& r, const Experiment& e, Value outputs) {
  const Axes& axes = r.axes(outputs);
  const Axis* heads = find_axis(axes, "head");
  if (e.heads_off.empty() || heads == nullptr) return outputs;
  return record_elementwise(r, "kept_head_outputs", outputs,
                            KeepHeadsOperation{static_cast<int>(heads - axes.data()), e.heads_off}, 1);
}

std::string KeepHeadsOperation::formula(const StepInPlan& step) const {
  std::vector<std::string> heads;
  for (const Index head : off) heads.push_back(std::to_string(head));
  return input_text(step) + ", 0 for head " + join(heads, ", ");
}

void KeepHeadsOperation::compute(Inputs inputs, const StepContext& /*context*/, Tensor& out) const {
  const Axes& axes = out.axes();
  const Index heads = axes[static_cast<std::size_t>(axis)].size;
  const Index each = element_count({axes.begin() + axis + 1, axes.end()});
  const auto from = inputs[0]->values();
  for (Index begin = 0; begin < static_cast<Index>(from.size()); begin += each) {
    const auto to = out.values().begin() + begin;
    if (keeps(begin / each % heads)) {
      std::copy_n(from.begin() + begin, each, to);
    } else {
      std::fill_n(to, each, 0.0F);
    }
  }
}

std::vector<Region> KeepHeadsOperation::input_regions(const StepInPlan& step, const Region& region) const {
  return {same_cells(step, region)};
}

void KeepHeadsOperation::compute_part(const StepPart& part, Inputs inputs, const StepContext& /*context*/,
                                      Tensor& out) const {
  for_each_cell(part.region, [&](std::size_t at, const std::vector<Index>& index) {
    out.values()[at] = keeps(index[static_cast<std::size_t>(axis)]) ? inputs[0]->values()[at] : 0.0F;
  });
}

double KeepHeadsOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const {
  return inputs[0];
}

void KeepHeadsOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  const double value = add_same_cell(cell, e);
  const bool on = keeps(cell.index[static_cast<std::size_t>(axis)]);
  e.note = on ? "this head is on" : "this head is switched off";
  e.formula = on ? cell.name(0) : "0";
  e.computed = on ? value : 0;
}

}  // namespace attnscope
