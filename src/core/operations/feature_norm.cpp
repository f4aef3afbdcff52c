#include "core/operations/feature_norm.h"

#include <cmath>
#include <limits>
#include <utility>

#include "core/base/python_text.h"
#include "core/base/text.h"
#include "core/operations/einsum.h"
#include "core/operations/ops.h"
#include "core/operations/shared.h"

namespace attnscope {
namespace {

struct RowMoments {
  double mean = 0;
  double power = 0;  ///< variance, or the mean of the squares
};

RowMoments moments_of(const float* row, Index length, bool centered) {
  RowMoments moments;
  if (centered) {
    for (Index i = 0; i < length; ++i) moments.mean += static_cast<double>(row[i]);
    moments.mean /= static_cast<double>(length);
  }
  for (Index i = 0; i < length; ++i) {
    const double apart = static_cast<double>(row[i]) - moments.mean;
    moments.power += apart * apart;
  }
  moments.power /= static_cast<double>(length);
  return moments;
}

Value record_norm(PlanBuilder& r, std::string name, const FeatureNormOperation& operation, Value input, Value scale,
                  Value bias) {
  Axes axes = r.axes(input);
  std::vector<int> inputs = {input.step, scale.step};
  if (bias.step >= 0) inputs.push_back(bias.step);
  const double flops = 8 * static_cast<double>(element_count(axes));
  return r.record({std::move(name), operation, std::move(inputs), std::move(axes), flops});
}

}  // namespace

Value layer_norm(PlanBuilder& r, std::string name, Value input, Value scale, Value bias, double epsilon) {
  return record_norm(r, std::move(name), {true, epsilon}, input, scale, bias);
}

Value rms_norm(PlanBuilder& r, std::string name, Value input, Value scale, double epsilon) {
  return record_norm(r, std::move(name), {false, epsilon}, input, scale, {});
}

std::string FeatureNormOperation::formula(const StepInPlan& step) const {
  const std::string x = input_text(step);
  const std::string over = step.step.axes.back().name;
  const std::string centered_text = "(" + x + " − mean_" + over + ") / √(variance_" + over + " + ";
  std::string text = (centered ? centered_text : x + " / √(mean_" + over + " of squares + ") + exact_text(epsilon) +
                     ") · " + input_text(step, 1);
  if (step.step.inputs.size() > 2) text += " + " + input_text(step, 2);
  return text;
}

void FeatureNormOperation::normalize(Inputs inputs, const StepContext& context, Index first, Tensor& out) const {
  const Index whole = inputs[0]->size(-1);
  const Index length = out.size(-1);
  if (length == 0 || whole == 0) return;
  const float* const scale = inputs[1]->values().data();
  const float* const bias = inputs.size() > 2 ? inputs[2]->values().data() : nullptr;
  share_out(context, out.count() / length, whole, [&](Index run) {
    const float* const row = inputs[0]->values().data() + run * whole;
    const RowMoments moments = moments_of(row, whole, centered);
    const double factor = 1 / std::sqrt(moments.power + epsilon);
    float* const to = out.values().data() + run * length;
    for (Index i = 0; i < length; ++i) {
      double value = (static_cast<double>(row[first + i]) - moments.mean) * factor * static_cast<double>(scale[i]);
      if (bias != nullptr) value += static_cast<double>(bias[i]);
      to[i] = static_cast<float>(value);
    }
  });
}

void FeatureNormOperation::compute(Inputs inputs, const StepContext& context, Tensor& out) const {
  normalize(inputs, context, 0, out);
}

std::vector<Region> FeatureNormOperation::input_regions(const StepInPlan& step, const Region& region) const {
  Region rows = same_cells(step, region);
  rows.begin.back() = 0;
  rows.end.back() = step.step.axes.back().size;
  std::vector<Region> regions = {std::move(rows)};
  for (std::size_t i = 1; i < step.step.inputs.size(); ++i)
    regions.push_back({step.step.inputs[i], {region.begin.back()}, {region.end.back()}});
  return regions;
}

// The moments are those of whole rows.
void FeatureNormOperation::compute_part(const StepPart& part, Inputs inputs, const StepContext& context,
                                        Tensor& out) const {
  normalize(inputs, context, part.region.begin.back(), out);
}

double FeatureNormOperation::magnitude_bound(const Axes& axes, std::span<const double> inputs) const {
  if (!(epsilon > 0)) return std::numeric_limits<double>::infinity();  // a row of equal numbers is 0 / 0
  // No number is further from the mean than √n standard deviations.
  const double bound = std::isfinite(inputs[0]) ? std::sqrt(static_cast<double>(axes.back().size)) : inputs[0];
  return bound * inputs[1] * (1 + 1e-6) + (inputs.size() > 2 ? inputs[2] : 0);
}

void FeatureNormOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  const Index length = cell.step.axes.back().size;
  std::vector<Index> at(cell.index.begin(), cell.index.end());
  double mean = 0;
  for (at.back() = 0; at.back() < length; ++at.back()) {
    e.operands.push_back(cell.operand(0, at));
    mean += e.operands.back().value;
  }
  const auto count = static_cast<double>(length);
  mean = centered ? mean / count : 0;
  double sum = 0;
  e.terms.reserve(e.operands.size());
  for (const Operand& operand : e.operands) {
    const double apart = operand.value - mean;
    const std::string value = number_text(operand.value);
    e.terms.push_back({centered ? "(" + value + " − mean)²" : value + "²", apart * apart, 1});
    sum += apart * apart;
  }
  const double own = e.operands[static_cast<std::size_t>(cell.index.back())].value - mean;
  const double root = std::sqrt(sum / count + epsilon);
  const std::string last = index_text(std::vector<Index>{cell.index.back()});
  const std::string over = cell.step.axes.back().name;
  e.formula = (centered ? "(" + cell.name(0) + " − mean_" + over + ") / √(variance_" + over + " + "
                        : cell.name(0) + " / √(mean_" + over + " of squares + ") +
              exact_text(epsilon) + ") · " + cell.input(1).name + last;
  if (centered) e.results.push_back({"mean of " + grouped_text(length) + " numbers", mean});
  e.results.push_back({centered ? "variance: mean of the squared deviations" : "mean of the squares", sum / count});
  e.results.push_back({"√(" + std::string(centered ? "variance" : "mean") + " + " + exact_text(epsilon) + ")", root});
  e.results.push_back({centered ? "(this value − mean) / root" : "this value / root", own / root});
  e.operands.push_back(cell.operand(1, {cell.index.back()}));
  e.computed = own / root * e.operands.back().value;
  e.results.push_back({"· " + cell.input(1).name + last + " = " + number_text(e.operands.back().value), e.computed});
  if (cell.step.inputs.size() < 3) return;
  e.formula += " + " + cell.input(2).name + last;
  e.operands.push_back(cell.operand(2, {cell.index.back()}));
  e.computed += e.operands.back().value;
  e.results.push_back({"+ " + cell.input(2).name + last + " = " + number_text(e.operands.back().value), e.computed});
}

std::string FeatureNormOperation::python(const StepInPlan& step, std::span<const std::string> inputs) const {
  if (!centered)
    return inputs[0] + " * torch.rsqrt(" + inputs[0] + ".pow(2).mean(-1, keepdim=True) + " + python_number(epsilon) +
           ") * " + inputs[1];
  return "functional.layer_norm(" + inputs[0] + ", (" + std::to_string(step.step.axes.back().size) + ",), " +
         inputs[1] + ", " + (inputs.size() > 2 ? inputs[2] : "None") + ", " + python_number(epsilon) + ")";
}

}  // namespace attnscope
