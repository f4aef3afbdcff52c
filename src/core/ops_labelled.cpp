// Operations whose patterns label every axis: sums of products, sums, rearrangements.
#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/kernels/contraction.h"
#include "core/ops.h"
#include "core/pattern.h"
#include "core/rearranged_index.h"
#include "core/text.h"

namespace attnscope {
namespace {

int label_position(std::vector<std::string>& labels, std::vector<Index>& sizes, const std::string& label, Index size) {
  const auto found = std::find(labels.begin(), labels.end(), label);
  const auto at = static_cast<std::size_t>(found - labels.begin());
  if (found == labels.end()) {
    labels.push_back(label);
    sizes.push_back(size);
  }
  assert(sizes[at] == size);
  return static_cast<int>(at);
}

Index stride_of(const std::vector<int>& axis_labels, const Tensor& tensor, int label) {
  const auto found = std::find(axis_labels.begin(), axis_labels.end(), label);
  return found == axis_labels.end() ? 0 : tensor.stride(static_cast<int>(found - axis_labels.begin()));
}

std::vector<int> known_labels(const LabelledOperation& operation, const LabelGroups& groups) {
  std::vector<int> labels;
  for (const LabelGroup& group : groups) {
    const auto found = std::find(operation.labels.begin(), operation.labels.end(), group.front());
    assert(found != operation.labels.end());
    labels.push_back(static_cast<int>(found - operation.labels.begin()));
  }
  return labels;
}

LabelledOperation labelled_operation(std::string_view text, const Axes& a, const Axes& b) {
  const Pattern pattern = parse_pattern(text);
  assert(pattern.inputs.size() == 2 && pattern.inputs[0].size() == a.size() && pattern.inputs[1].size() == b.size());
  LabelledOperation operation;
  const auto place = [&](const LabelGroup& group, Index size) {
    return label_position(operation.labels, operation.sizes, group.front(), size);
  };
  for (std::size_t i = 0; i < a.size(); ++i) operation.a.push_back(place(pattern.inputs[0][i], a[i].size));
  for (std::size_t i = 0; i < b.size(); ++i) operation.b.push_back(place(pattern.inputs[1][i], b[i].size));
  operation.out = known_labels(operation, pattern.output);
  return operation;
}

Axes result_axes(const LabelledOperation& operation) {
  Axes axes;
  for (const int label : operation.out) {
    const auto at = static_cast<std::size_t>(label);
    axes.push_back({operation.labels[at], operation.sizes[at]});
  }
  return axes;
}

/// "q[head, query, dim]"
std::string operand_text(const Recorder& r, const LabelledOperation& operation, Value operand,
                         const std::vector<int>& labels) {
  std::vector<std::string> names;
  names.reserve(labels.size());
  for (const int label : labels) names.push_back(operation.labels[static_cast<std::size_t>(label)]);
  return r.step(operand).name + (names.empty() ? "" : "[" + join(names, ", ") + "]");
}

/// "Σ_dim q[head, query, dim] · k[head, key, dim] / √7"
std::string contract_formula(const Recorder& r, const ContractOperation& operation, Value a, Value b, Value bias) {
  std::vector<std::string> summed;
  for (std::size_t i = 0; i < operation.labels.size(); ++i) {
    if (std::find(operation.out.begin(), operation.out.end(), static_cast<int>(i)) == operation.out.end())
      summed.push_back(operation.labels[i]);
  }
  std::string text = summed.empty() ? "" : "Σ_" + join(summed, ",") + " ";
  text += operand_text(r, operation, a, operation.a) + " · " + operand_text(r, operation, b, operation.b);
  if (!operation.divisor_text.empty()) text += " / " + operation.divisor_text;
  if (bias.step >= 0) text += " + " + operand_text(r, operation, bias, operation.bias);
  return text;
}

/// The result's labels in its own order come first, so that neighbours in memory are neighbours in the list; then the
/// summed ones.
std::vector<int> loop_order(const LabelledOperation& operation) {
  std::vector<int> order = operation.out;
  for (int i = 0; i < static_cast<int>(operation.labels.size()); ++i) {
    if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
  }
  return order;
}

/// Calls `visit(position in out, position in a, position in b)` for every element of the result, in order.
template <typename Visit>
void for_each_element(const LabelledOperation& operation, const Tensor& a, const std::vector<int>& a_labels,
                      const Tensor& b, const std::vector<int>& b_labels, const Tensor& out, const Visit& visit) {
  const auto rank = static_cast<std::size_t>(out.rank());
  std::vector<Index> at(rank, 0);
  std::vector<Index> a_strides;
  std::vector<Index> b_strides;
  for (const int label : operation.out) {
    a_strides.push_back(stride_of(a_labels, a, label));
    b_strides.push_back(stride_of(b_labels, b, label));
  }
  Index from_a = 0;
  Index from_b = 0;
  for (Index i = 0; i < out.count(); ++i) {
    visit(static_cast<std::size_t>(i), static_cast<std::size_t>(from_a), static_cast<std::size_t>(from_b));
    for (std::size_t axis = rank; axis-- > 0;) {
      from_a += a_strides[axis];
      from_b += b_strides[axis];
      if (++at[axis] < out.axes()[axis].size) break;
      from_a -= at[axis] * a_strides[axis];
      from_b -= at[axis] * b_strides[axis];
      at[axis] = 0;
    }
  }
}

void compute_contraction(const Recorder& r, const ContractOperation& operation, Value a, Value b, Value bias,
                         Tensor& out) {
  if (bias.step >= 0) {
    const Tensor& start = r.tensor(bias);
    for_each_element(operation, start, operation.bias, start, operation.bias, out,
                     [&](std::size_t i, std::size_t from, std::size_t) { out.values()[i] = start.values()[from]; });
  }
  std::vector<ContractionLabel> labels;
  for (const int i : loop_order(operation)) {
    labels.push_back({operation.sizes[static_cast<std::size_t>(i)], stride_of(operation.a, r.tensor(a), i),
                      stride_of(operation.b, r.tensor(b), i), stride_of(operation.out, out, i)});
  }
  contract_strided(std::move(labels), r.tensor(a).values().data(), r.tensor(b).values().data(), out.values().data(),
                   out.count(), operation.divisor, r.pool(), [&r] { return r.stopped(); });
}

}  // namespace

Value contract(Recorder& r, std::string name, std::string_view pattern, Value a, Value b,
               const ContractOptions& options) {
  ContractOperation operation;
  static_cast<LabelledOperation&>(operation) = labelled_operation(pattern, r.axes(a), r.axes(b));
  operation.divisor = options.divisor;
  operation.divisor_text = options.divisor_text;
  std::vector<int> inputs = {a.step, b.step};
  if (options.bias.step >= 0) {
    assert(options.divisor == 1);
    operation.bias = known_labels(operation, parse_pattern(options.bias_pattern + " ->").inputs.front());
    inputs.push_back(options.bias.step);
  }
  double flops = 2;
  for (const Index size : operation.sizes) flops *= static_cast<double>(size);
  std::string formula = contract_formula(r, operation, a, b, options.bias);
  return r.record({std::move(name), operation, std::move(inputs), std::move(formula), result_axes(operation), nullptr},
                  flops, [&](Tensor& out) { compute_contraction(r, operation, a, b, options.bias, out); });
}

ContractOptions divided_by_root(Index size) {
  return {std::sqrt(static_cast<double>(size)), "√" + std::to_string(size), {}, {}};
}

Value add(Recorder& r, std::string name, std::string_view pattern, Value a, Value b, bool tanh) {
  AddOperation operation;
  static_cast<LabelledOperation&>(operation) = labelled_operation(pattern, r.axes(a), r.axes(b));
  operation.tanh = tanh;
  std::string formula = operand_text(r, operation, a, operation.a) + " + " + operand_text(r, operation, b, operation.b);
  if (tanh) formula = "tanh(" + formula + ")";
  Axes axes = result_axes(operation);
  const double flops = (tanh ? 10 : 1) * static_cast<double>(element_count(axes));
  return r.record({std::move(name), operation, {a.step, b.step}, std::move(formula), std::move(axes), nullptr}, flops,
                  [&](Tensor& out) {
                    const auto left = r.tensor(a).values();
                    const auto right = r.tensor(b).values();
                    for_each_element(operation, r.tensor(a), operation.a, r.tensor(b), operation.b, out,
                                     [&](std::size_t i, std::size_t from_a, std::size_t from_b) {
                                       const float sum = left[from_a] + right[from_b];
                                       out.values()[i] = tanh ? std::tanh(sum) : sum;
                                     });
                  });
}

Value rearrange(Recorder& r, std::string name, std::string_view text, Value input,
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
  std::string slice;
  for (const std::string& label : operation.labels) {
    const auto found = at.find(label);
    operation.at.push_back(found == at.end() ? 0 : found->second);
    if (found != at.end()) slice += ", " + label + " " + std::to_string(found->second);
  }
  std::string formula = r.reference(input) + (slice.empty() ? ", reordered" : slice);
  return r.record({std::move(name), operation, {input.step}, std::move(formula), axes, nullptr},
                  static_cast<double>(element_count(axes)), [&](Tensor& out) {
                    const RearrangedIndex map(operation, out.axes());
                    const float* values = r.tensor(input).values().data();
                    float* to = out.values().data();
                    const Index length = map.run_length();
                    const Index stride = map.run_stride();
                    for (Index begin = 0; begin < out.count() && !r.stopped(); begin += length) {
                      const float* run = values + map.source(begin);
                      for (Index i = 0; i < length; ++i) to[begin + i] = run[i * stride];
                    }
                  });
}

}  // namespace attnscope
