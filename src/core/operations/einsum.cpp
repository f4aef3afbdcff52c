// Operations whose patterns label every axis: sums of products, sums, rearrangements.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/pattern.h"
#include "core/kernels/matrix_product.h"
#include "core/operations/ops.h"

namespace attnscope {
namespace {

int label_position(std::vector<std::string>& labels, std::vector<Index>& sizes, std::string_view label, Index size) {
  const auto found = std::find(labels.begin(), labels.end(), label);
  const auto at = static_cast<std::size_t>(found - labels.begin());
  if (found == labels.end()) {
    labels.emplace_back(label);
    sizes.push_back(size);
  }
  assert(sizes[at] == size);
  return static_cast<int>(at);
}

/// Labels of an operand with these axes; those that are new are added to the operation's.
std::vector<int> operand_labels(EinsumOperation& operation, std::string_view text, const Axes& axes) {
  std::vector<int> labels;
  labels.reserve(axes.size());
  Words words(text);
  for (const Axis& axis : axes)
    labels.push_back(label_position(operation.labels, operation.sizes, words.next(), axis.size));
  assert(words.next().empty());
  return labels;
}

/// Labels that the operation has already.
std::vector<int> known_labels(const EinsumOperation& operation, std::string_view text) {
  std::vector<int> labels;
  labels.reserve(operation.labels.size());
  Words words(text);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    const auto found = std::find(operation.labels.begin(), operation.labels.end(), word);
    assert(found != operation.labels.end());
    labels.push_back(static_cast<int>(found - operation.labels.begin()));
  }
  return labels;
}

EinsumOperation einsum_operation(std::string_view text, const Axes& a, const Axes& b) {
  const PlainPattern pattern = split_pattern(text);
  EinsumOperation operation;
  operation.labels.reserve(a.size() + b.size());
  operation.sizes.reserve(a.size() + b.size());
  operation.a = operand_labels(operation, pattern.a, a);
  operation.b = operand_labels(operation, pattern.b, b);
  operation.out = known_labels(operation, pattern.out);
  return operation;
}

Axes result_axes(const EinsumOperation& operation) {
  Axes axes;
  axes.reserve(operation.out.size());
  for (const int label : operation.out) {
    const auto at = static_cast<std::size_t>(label);
    axes.push_back({operation.labels[at], operation.sizes[at]});
  }
  return axes;
}

}  // namespace

Value contract(PlanBuilder& r, std::string name, std::string_view pattern, Value a, Value b,
               const ContractOptions& options) {
  ContractOperation operation;
  static_cast<EinsumOperation&>(operation) = einsum_operation(pattern, r.axes(a), r.axes(b));
  operation.divisor = options.divisor;
  operation.divisor_text = options.divisor_text;
  std::vector<int> inputs = {a.step, b.step};
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

Value add(PlanBuilder& r, std::string name, std::string_view pattern, Value a, Value b, bool tanh) {
  AddOperation operation;
  static_cast<EinsumOperation&>(operation) = einsum_operation(pattern, r.axes(a), r.axes(b));
  operation.tanh = tanh;
  Axes axes = result_axes(operation);
  const double flops = (tanh ? 10 : 1) * static_cast<double>(element_count(axes));
  return r.record({std::move(name), std::move(operation), {a.step, b.step}, std::move(axes), flops});
}

Value rearrange(PlanBuilder& r, std::string name, std::string_view text, Value input,
                const std::map<std::string, Index>& sizes, const std::map<std::string, Index>& at) {
  const Pattern pattern = parse_pattern(text);
  const Axes from = r.axes(input);
  assert(pattern.inputs.size() == 1 && pattern.inputs[0].size() == from.size());
  RearrangeOperation operation;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const LabelGroup& group = pattern.inputs[0][i];
    Index rest = from[i].size;
    for (const std::string& label : group) {
      if (const auto found = sizes.find(label); found != sizes.end()) rest /= found->second;
    }
    operation.in.emplace_back();
    for (const std::string& label : group) {
      const auto found = sizes.find(label);
      operation.in.back().push_back(
          label_position(operation.labels, operation.sizes, label, found != sizes.end() ? found->second : rest));
    }
  }
  Axes axes;
  for (std::size_t i = 0; i < pattern.output.size(); ++i) {
    Axis axis = {pattern.output_names[i], 1};
    operation.out.emplace_back();
    for (const std::string& label : pattern.output[i]) {
      const auto known = std::find(operation.labels.begin(), operation.labels.end(), label) - operation.labels.begin();
      axis.size = saturating_product(axis.size, operation.sizes[static_cast<std::size_t>(known)]);
      operation.out.back().push_back(static_cast<int>(known));
    }
    axes.push_back(std::move(axis));
  }
  for (const std::string& label : operation.labels) {
    const auto found = at.find(label);
    operation.at.push_back(found == at.end() ? 0 : found->second);
  }
  const auto count = static_cast<double>(element_count(axes));
  return r.record({std::move(name), std::move(operation), {input.step}, std::move(axes), count});
}

}  // namespace attnscope
