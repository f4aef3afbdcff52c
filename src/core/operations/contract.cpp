#include "core/operations/contract.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "core/base/python_text.h"
#include "core/kernels/matrix_product.h"
#include "core/operations/ops.h"

namespace attnscope {
namespace {

using ContractionLabels = std::array<ContractionLabel, kMaxContractionLabels>;

/// Sets the stride `which` of every label to that in `tensor`, whose axes have the labels `axis_labels`.
void note_strides(const std::vector<int>& axis_labels, const Tensor& tensor, Index ContractionLabel::*which,
                  ContractionLabels& labels) {
  for (std::size_t axis = 0; axis < axis_labels.size(); ++axis) {
    // A tensor without numbers has no strides that matter, but 0 means that it lacks the label.
    labels[static_cast<std::size_t>(axis_labels[axis])].*which = std::max<Index>(1, tensor.apart(axis));
  }
}

/// The bias alone, if there is nothing to sum.
void repeat_bias(const ContractOperation& operation, const Tensor& bias, const StepContext& context, Tensor& out) {
  const Repeated start(operation, bias, operation.bias);
  const Index length = run_length(out);
  share_out(context, length == 0 ? 0 : out.count() / length, length,
            [&](Index run) { copy_run(start.along(out.axes(), run), length, out.values().data() + run * length); });
}

/// The note that a factor of 0, such as a masked weight, does not keep NaN or ±∞ out of a product. `terms`: pairs of
/// operands.
std::string zeros_note(const ExplainedCell& cell, std::span<const Operand> terms) {
  const auto text = [&](const Operand& operand) {
    return cell.steps[static_cast<std::size_t>(operand.step)].name + index_text(operand.index) + " = " +
           number_text(operand.value);
  };
  std::size_t count = 0;
  std::string first;
  for (std::size_t i = 0; i + 1 < terms.size(); i += 2) {
    const bool left = terms[i].value == 0 && !std::isfinite(terms[i + 1].value);
    const bool right = terms[i + 1].value == 0 && !std::isfinite(terms[i].value);
    if (!left && !right) continue;
    if (count == 0) first = text(terms[left ? i : i + 1]) + " times " + text(terms[left ? i + 1 : i]);
    ++count;
  }
  if (count == 0) return "";
  const std::string more = count == 1 ? "" : " (and " + grouped_text(static_cast<Index>(count - 1)) + " more)";
  return "0 times NaN or ∞ is NaN, as in PyTorch: " + first + more;
}

/// `torch.einsum("ab,cb->ac", …)`.
std::string einsum_python(const EinsumOperation& operation, std::span<const std::string> inputs) {
  const auto letters = [](const std::vector<int>& labels) {
    std::string text;
    for (const int label : labels) text += static_cast<char>('a' + label);
    return text;
  };
  return "torch.einsum(\"" + letters(operation.a) + "," + letters(operation.b) + "->" + letters(operation.out) +
         "\", " + inputs[0] + ", " + inputs[1] + ")";
}

}  // namespace

Value contract(PlanBuilder& r, std::string name, std::string_view pattern, Value a, Value b,
               const ContractOptions& options) {
  ContractOperation operation;
  static_cast<EinsumOperation&>(operation) = einsum_operation(pattern, r.axes(a), r.axes(b));
  operation.divisor = options.divisor;
  operation.divisor_text = options.divisor_text;
  std::vector<int> inputs;
  inputs.reserve(3);
  inputs = {a.step, b.step};
  if (options.bias.step >= 0) {
    assert(options.divisor == 1);
    operation.bias = known_labels(operation, options.bias_pattern);
    inputs.push_back(options.bias.step);
  }
  double flops = 2;
  for (const Index size : operation.sizes) flops *= static_cast<double>(size);
  operation.fused = rounds_once(flops);
  Axes axes = result_axes(operation);
  return r.record({std::move(name), std::move(operation), std::move(inputs), std::move(axes), flops});
}

ContractOptions divided_by_root(Index size) {
  return {std::sqrt(static_cast<double>(size)), "√" + std::to_string(size), {}, {}};
}

void multiply(const ContractOperation& operation, Inputs inputs, const StepContext& context, Tensor& out,
              const RowSink* made) {
  const Tensor& a = *inputs[0];
  const Tensor& b = *inputs[1];
  const Tensor* const bias = inputs.size() > 2 ? inputs[2] : nullptr;
  if (bias != nullptr && std::find(operation.sizes.begin(), operation.sizes.end(), 0) != operation.sizes.end()) {
    repeat_bias(operation, *bias, context, out);
    if (made != nullptr && out.count() > 0) (*made)(out.values().data(), out.count(), 1, 0);
    return;
  }
  const std::size_t count = operation.labels.size();
  assert(count <= kMaxContractionLabels);
  ContractionLabels by_number;
  for (std::size_t i = 0; i < count; ++i) by_number[i].size = operation.sizes[i];
  note_strides(operation.a, a, &ContractionLabel::a_stride, by_number);
  note_strides(operation.b, b, &ContractionLabel::b_stride, by_number);
  note_strides(operation.out, out, &ContractionLabel::out_stride, by_number);
  if (bias != nullptr) note_strides(operation.bias, *bias, &ContractionLabel::start_stride, by_number);
  // First the result's labels in its own order: neighbours in memory are then neighbours in the list. The summed ones
  // follow.
  ContractionLabels labels;
  std::size_t next = 0;
  for (const int label : operation.out) labels[next++] = by_number[static_cast<std::size_t>(label)];
  std::copy_if(by_number.begin(), by_number.begin() + count, labels.begin() + next,
               [](const ContractionLabel& label) { return label.out_stride == 0; });
  contract_strided(
      std::span(labels).first(count), a.first(), b.first(), out.values().data(), out.count(), operation.divisor,
      context.pool, [&] { return context.stop.stop_requested(); }, bias != nullptr ? bias->first() : nullptr,
      operation.fused, made);
}

void ContractOperation::compute(Inputs inputs, const StepContext& context, Tensor& result) const {
  multiply(*this, inputs, context, result, nullptr);
}

void ContractOperation::compute_part(const StepPart& part, Inputs inputs, const StepContext& context,
                                     Tensor& result) const {
  with_sizes_of(*this, part.sources).compute(inputs, context, result);
}

std::string ContractOperation::formula(const StepInPlan& step) const {
  std::vector<std::string> summed;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (is_summed(*this, static_cast<int>(i))) summed.push_back(labels[i]);
  }
  std::string text = summed.empty() ? "" : "Σ_" + join(summed, ",") + " ";
  text += operand_text(step, 0, *this, a) + " · " + operand_text(step, 1, *this, b);
  if (!divisor_text.empty()) text += " / " + divisor_text;
  if (step.step.inputs.size() > 2) text += " + " + operand_text(step, 2, *this, bias);
  return text;
}

std::vector<Region> ContractOperation::input_regions(const StepInPlan& step, const Region& region) const {
  const std::vector<int>& inputs = step.step.inputs;
  std::vector<Region> regions = {einsum_region(*this, inputs[0], a, region),
                                 einsum_region(*this, inputs[1], b, region)};
  if (inputs.size() > 2) regions.push_back(einsum_region(*this, inputs[2], bias, region));
  return regions;
}

double ContractOperation::magnitude_bound(const Axes& /*axes*/, std::span<const double> inputs) const {
  double products = 1;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (is_summed(*this, static_cast<int>(i))) products *= static_cast<double>(sizes[i]);
  }
  // Undivided: the sum must not overflow before it is divided.
  double bound = products * inputs[0] * inputs[1];
  if (inputs.size() > 2) bound += inputs[2];
  // Rounding may add that much to a float32 sum of so many products.
  bound *= 1 + products * 0x1p-22;
  return bound / std::min(1.0, divisor);
}

void ContractOperation::explain(const ExplainedCell& cell, Explanation& e) const {
  LabelValues values(*this, cell.index);
  const std::vector<std::string> summed = values.summed();
  e.formula = (summed.empty() ? "" : "Σ_" + join(summed, ",") + " ") + cell.input(0).name + values.text(a) + " · " +
              cell.input(1).name + values.text(b);
  if (!divisor_text.empty()) e.formula += " / " + divisor_text;

  double sum = 0;
  const bool nothing = std::any_of(sizes.begin(), sizes.end(), [](Index size) { return size == 0; });
  for (bool more = !nothing; more; more = values.advance()) {
    e.operands.push_back(cell.operand(0, values.index(a)));
    e.operands.push_back(cell.operand(1, values.index(b)));
    const double left = e.operands[e.operands.size() - 2].value;
    const double right = e.operands.back().value;
    e.terms.push_back({number_text(left) + " × " + number_text(right), left * right, 2});
    sum += left * right;
  }
  e.note = zeros_note(cell, e.operands);
  if (!summed.empty()) e.results.push_back({"sum", sum});
  if (cell.step.inputs.size() > 2) {
    e.formula += " + " + cell.input(2).name + values.text(bias);
    e.operands.push_back(cell.operand(2, values.index(bias)));
    sum += e.operands.back().value;
    e.results.push_back(
        {"+ " + cell.input(2).name + values.text(bias) + " = " + number_text(e.operands.back().value), sum});
  }
  if (!divisor_text.empty()) e.results.push_back({"÷ " + divisor_text + " = " + number_text(divisor), sum / divisor});
  e.computed = sum / divisor;
}

std::string ContractOperation::python(const StepInPlan& step, std::span<const std::string> inputs) const {
  std::string code = einsum_python(*this, inputs);
  if (divisor != 1) code += " / " + python_number(divisor);
  // Our biases lie along the last axis, as PyTorch broadcasts them.
  if (step.step.inputs.size() > 2) code += " + " + inputs[2];
  return code;
}

}  // namespace attnscope
