#include "core/operations/normalize.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/axis_groups.h"
#include "core/operations/ops.h"
#include "core/operations/shared.h"

namespace attnscope {
namespace {

// Means between two checks whether to stop.
constexpr Index kMeansBetweenChecks = Index{1} << 16U;

struct Moments {
  double mean = 0;
  double variance = 0;  ///< biased: divided by the number of elements
};

Moments moments_of(std::span<const float> values, std::span<const Index> members, Index start) {
  Moments moments;
  const auto count = static_cast<double>(members.size());
  for (const Index member : members)
    moments.mean += static_cast<double>(values[static_cast<std::size_t>(start + member)]);
  moments.mean /= count;
  for (const Index member : members) {
    const double apart = static_cast<double>(values[static_cast<std::size_t>(start + member)]) - moments.mean;
    moments.variance += apart * apart / count;
  }
  return moments;
}

/// Adds the members of the group that `index` of the input belongs to as operands; returns their mean.
double add_group(const ExplainedCell& cell, const std::vector<bool>& over, std::vector<Index> index, Explanation& e) {
  const Axes& axes = cell.input(0).axes;
  for (std::size_t axis = 0; axis < over.size(); ++axis) {
    if (over[axis]) index[axis] = 0;
  }
  const Index start = offset_in(axes, index);
  double sum = 0;
  const std::vector<Index> members = axis_groups(axes, over).members;
  e.operands.reserve(members.size());
  for (const Index member : members) {
    e.operands.push_back(cell.operand(0, index_in(axes, start + member)));
    sum += e.operands.back().value;
  }
  return sum / static_cast<double>(members.size());
}

/// "channel,row,column": the axes marked in `over`.
std::string names_text(const Axes& axes, const std::vector<bool>& over) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (over[i]) names.push_back(axes[i].name);
  }
  return join(names, ",");
}

}  // namespace

Value scale_by_root(PlanBuilder& r, std::string name, Value input, Index size) {
  ContractOptions by = divided_by_root(size);
  return record_elementwise(r, std::move(name), input, ScaleOperation{by.divisor, std::move(by.divisor_text)}, 1);
}

std::string ScaleOperation::formula(const StepInPlan& step) const { return input_text(step) + " / " + divisor_text; }

void ScaleOperation::compute(Inputs inputs, const StepContext& /*context*/, Tensor& out) const {
  const auto from = inputs[0]->values();
  const auto by = static_cast<float>(divisor);
  std::transform(from.begin(), from.end(), out.values().begin(), [by](float value) { return value / by; });
}

std::vector<Region> ScaleOperation::input_regions(const StepInPlan& step, const Region& region) const {
  return {same_cells(step, region)};
}

double ScaleOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const {
  return inputs[0] / std::min(1.0, divisor);
}

void ScaleOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  e.computed = add_same_cell(cell, e) / divisor;
  e.formula = cell.name(0) + " / " + divisor_text;
  e.results.push_back({divisor_text, divisor});
}

Value normalize(PlanBuilder& r, std::string name, Value input, std::span<const std::string> over) {
  NormalizeOperation operation;
  for (const Axis& axis : r.axes(input))
    operation.over.push_back(std::find(over.begin(), over.end(), axis.name) != over.end());
  return record_elementwise(r, std::move(name), input, std::move(operation), 6);
}

std::string NormalizeOperation::formula(const StepInPlan& step) const {
  const std::string whose = names_text(step.step.axes, over);
  return "(" + input_text(step) + " − mean_" + whose + ") / √(variance_" + whose + " + " + exact_text(epsilon) + ")";
}

void NormalizeOperation::compute(Inputs inputs, const StepContext& context, Tensor& out) const {
  const AxisGroups groups = axis_groups(out.axes(), over);
  const auto from = inputs[0]->values();
  for (const Index start : groups.starts) {
    if (context.stop.stop_requested()) return;
    const Moments moments = moments_of(from, groups.members, start);
    const double factor = 1 / std::sqrt(moments.variance + epsilon);
    for (const Index member : groups.members) {
      const auto at = static_cast<std::size_t>(start + member);
      out.values()[at] = static_cast<float>((static_cast<double>(from[at]) - moments.mean) * factor);
    }
  }
}

std::vector<Region> NormalizeOperation::input_regions(const StepInPlan& step, const Region& region) const {
  Region groups = same_cells(step, region);
  for (std::size_t axis = 0; axis < over.size(); ++axis) {
    if (over[axis]) groups.begin[axis] = 0, groups.end[axis] = step.step.axes[axis].size;
  }
  return {groups};
}

// Mean and variance are those of whole groups.
void NormalizeOperation::compute_part(const StepPart& part, Inputs inputs, const StepContext& context,
                                      Tensor& out) const {
  compute_part_of_source(*this, part, inputs, context, out);
}

double NormalizeOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const {
  return 2 * inputs[0] / std::sqrt(epsilon);
}

void NormalizeOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  const double mean = add_group(cell, over, {cell.index.begin(), cell.index.end()}, e);
  double sum = 0;
  e.terms.reserve(e.operands.size());
  for (const Operand& operand : e.operands) {
    const double apart = operand.value - mean;
    e.terms.push_back({"(" + number_text(operand.value) + " − mean)²", apart * apart, 1});
    sum += apart * apart;
  }
  const double variance = sum / static_cast<double>(e.operands.size());
  const double own = cell.operand(0, {cell.index.begin(), cell.index.end()}).value - mean;
  const std::string whose = names_text(cell.step.axes, over);
  const std::string epsilon_text = exact_text(epsilon);
  e.formula = "(" + cell.name(0) + " − mean_" + whose + ") / √(variance_" + whose + " + " + epsilon_text + ")";
  e.results.push_back({"mean of " + grouped_text(static_cast<Index>(e.operands.size())) + " numbers", mean});
  e.results.push_back({"variance: mean of the squared deviations", variance});
  e.results.push_back({"this value − mean", own});
  e.results.push_back({"√(variance + " + epsilon_text + ")", std::sqrt(variance + epsilon)});
  e.computed = own / std::sqrt(variance + epsilon);
}

Value mean(PlanBuilder& r, std::string name, Value input, std::string_view over) {
  Axes axes = r.axes(input);
  const auto flops = static_cast<double>(element_count(axes));
  const auto found = std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == over; });
  assert(found != axes.end());
  const MeanOperation operation = {static_cast<int>(found - axes.begin())};
  axes.erase(found);
  return r.record({std::move(name), operation, {input.step}, std::move(axes), flops});
}

std::string MeanOperation::formula(const StepInPlan& step) const {
  return "mean_" + step.input(0).axes[static_cast<std::size_t>(axis)].name + " " + input_text(step);
}

void MeanOperation::compute(Inputs inputs, const StepContext& context, Tensor& out) const {
  const auto from = inputs[0]->values();
  const Index count = inputs[0]->size(axis);
  const Index inner = inputs[0]->stride(axis);
  for (Index i = 0; i < out.count(); ++i) {
    if (i % kMeansBetweenChecks == 0 && context.stop.stop_requested()) return;
    const Index first = i / inner * inner * count + i % inner;
    double sum = 0;
    for (Index along = 0; along < count; ++along)
      sum += static_cast<double>(from[static_cast<std::size_t>(first + along * inner)]);
    out.values()[static_cast<std::size_t>(i)] = static_cast<float>(sum / static_cast<double>(count));
  }
}

std::vector<Region> MeanOperation::input_regions(const StepInPlan& step, const Region& region) const {
  Region along = same_cells(step, region);
  along.begin.insert(along.begin.begin() + axis, 0);
  along.end.insert(along.end.begin() + axis, step.input(0).axes[static_cast<std::size_t>(axis)].size);
  return {along};
}

double MeanOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const { return inputs[0]; }

void MeanOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  std::vector<bool> along(cell.input(0).axes.size(), false);
  along[static_cast<std::size_t>(axis)] = true;
  std::vector<Index> first(cell.index.begin(), cell.index.end());
  first.insert(first.begin() + axis, 0);
  e.computed = add_group(cell, along, first, e);
  for (const Operand& operand : e.operands) e.terms.push_back({number_text(operand.value), operand.value, 1});
  const auto count = static_cast<double>(e.operands.size());
  std::vector<std::string> parts;
  for (const Index at : cell.index) parts.push_back(std::to_string(at));
  const std::string& axis_name = cell.input(0).axes[static_cast<std::size_t>(axis)].name;
  parts.insert(parts.begin() + axis, axis_name);
  e.formula = "mean_" + axis_name + " " + cell.input(0).name + "[" + join(parts, ", ") + "]";
  e.results.push_back({"sum", e.computed * count});
  e.results.push_back({"÷ " + exact_text(count), e.computed});
}

}  // namespace attnscope
