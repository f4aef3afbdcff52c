// Operations whose operands' axes carry labels: sums of products, sums, rearrangements.
#include <algorithm>
#include <cmath>

#include "core/compute.h"
#include "core/kernels/contraction.h"
#include "core/rearranged_index.h"

namespace attnscope {
namespace {

Index stride_of(const std::vector<int>& axis_labels, const Tensor& tensor, int label) {
  const auto found = std::find(axis_labels.begin(), axis_labels.end(), label);
  return found == axis_labels.end() ? 0 : tensor.stride(static_cast<int>(found - axis_labels.begin()));
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

}  // namespace

void compute(const ContractOperation& operation, Inputs inputs, const StepContext& context, Tensor& out) {
  const Tensor& a = *inputs[0];
  const Tensor& b = *inputs[1];
  if (inputs.size() > 2) {
    const Tensor& start = *inputs[2];
    for_each_element(operation, start, operation.bias, start, operation.bias, out,
                     [&](std::size_t i, std::size_t from, std::size_t) { out.values()[i] = start.values()[from]; });
  }
  std::vector<ContractionLabel> labels;
  labels.reserve(operation.labels.size());
  for (const int i : loop_order(operation)) {
    labels.push_back({operation.sizes[static_cast<std::size_t>(i)], stride_of(operation.a, a, i),
                      stride_of(operation.b, b, i), stride_of(operation.out, out, i)});
  }
  contract_strided(
      labels, a.values().data(), b.values().data(), out.values().data(), out.count(), operation.divisor, context.pool,
      [&] { return context.stop.stop_requested(); }, inputs.size() > 2 ? SumsBegin::with_out : SumsBegin::with_zero,
      operation.fused);
}

void compute(const AddOperation& operation, Inputs inputs, const StepContext& /*context*/, Tensor& out) {
  const auto left = inputs[0]->values();
  const auto right = inputs[1]->values();
  for_each_element(operation, *inputs[0], operation.a, *inputs[1], operation.b, out,
                   [&](std::size_t i, std::size_t from_a, std::size_t from_b) {
                     const float sum = left[from_a] + right[from_b];
                     out.values()[i] = operation.tanh ? std::tanh(sum) : sum;
                   });
}

void compute(const RearrangeOperation& operation, Inputs inputs, const StepContext& context, Tensor& out) {
  const RearrangedIndex map(operation, out.axes());
  const float* values = inputs[0]->values().data();
  float* to = out.values().data();
  const Index length = map.run_length();
  const Index stride = map.run_stride();
  for (Index begin = 0; begin < out.count() && !context.stop.stop_requested(); begin += length) {
    const float* run = values + map.source(begin);
    for (Index i = 0; i < length; ++i) to[begin + i] = run[i * stride];
  }
}

}  // namespace attnscope
