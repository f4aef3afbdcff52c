#include "figure/slices/dot_product.h"

#include <algorithm>

#include "core/operations/positions.h"
#include "core/operations/softmax.h"
#include "figure/slices/selected.h"

namespace attnscope {
namespace {

using AxisLabels = std::vector<int>;

bool holds(const AxisLabels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// The label that is summed over, if there is exactly one.
std::optional<int> summed_label(const ContractOperation& product) {
  std::optional<int> summed;
  for (int label = 0; label < static_cast<int>(product.labels.size()); ++label) {
    if (holds(product.out, label)) continue;
    if (summed) return std::nullopt;
    summed = label;
  }
  return summed;
}

/// The index into a factor: that of the result, and `dim` along the summed axis.
std::vector<Index> factor_index(const DotProduct& product, const AxisLabels& labels, std::span<const Index> at,
                                Index dim) {
  const AxisLabels& out = product.product->out;
  std::vector<Index> index;
  index.reserve(labels.size());
  for (const int label : labels)
    index.push_back(label == product.dim
                        ? dim
                        : at[static_cast<std::size_t>(std::find(out.begin(), out.end(), label) - out.begin())]);
  return index;
}

std::vector<double> numbers_of(const Trace& trace, const Region& region) {
  const std::shared_ptr<const Tensor> numbers = trace.numbers(region);
  return {numbers->values().begin(), numbers->values().end()};
}

std::vector<double> factor_numbers(const Trace& trace, const DotProduct& product, int step, const AxisLabels& labels,
                                   std::span<const Index> at) {
  Region region = single_cell(step, factor_index(product, labels, at, 0));
  const auto axis = static_cast<std::size_t>(std::find(labels.begin(), labels.end(), product.dim) - labels.begin());
  region.end[axis] = product.dims;
  return numbers_of(trace, region);
}

}  // namespace

std::vector<Index> DotProduct::q_index(std::span<const Index> at, Index number) const {
  return factor_index(*this, product->a, at, number);
}
std::vector<Index> DotProduct::k_index(std::span<const Index> at, Index number) const {
  return factor_index(*this, product->b, at, number);
}

bool DotProduct::keeps(const Trace& trace, std::span<const Index> at, Index key) const {
  if (mask == nullptr) return true;
  std::vector<Index> cell(at.begin(), at.end());
  cell.back() = key;
  return mask->keeps(trace.step(masked).axes, cell);
}

std::optional<DotProduct> dot_product(const Trace& trace, std::string_view weights) {
  const Step* softmax_step = trace.find(weights);
  if (softmax_step == nullptr) return std::nullopt;
  const auto* softmax = as<SoftmaxOperation>(softmax_step->operation);
  if (softmax == nullptr) return std::nullopt;
  const auto step = [&](int number) -> const Step& { return trace.step(number); };
  DotProduct found;
  found.weights = static_cast<int>(softmax_step - trace.steps().data());
  found.temperature = softmax->temperature;
  found.scores = softmax_step->inputs[0];
  found.mask = as<MaskOperation>(step(found.scores).operation);
  if (found.mask != nullptr) {
    found.masked = found.scores;
    found.scores = step(found.masked).inputs[0];
  }
  if (is<DistanceBiasOperation>(step(found.scores).operation)) {
    found.biased = found.scores;
    found.scores = step(found.biased).inputs[0];
  }
  const Step& scores = step(found.scores);
  found.product = as<ContractOperation>(scores.operation);
  if (found.product == nullptr || scores.inputs.size() != 2 || found.product->out.size() < 2) return std::nullopt;
  const AxisLabels& out = found.product->out;
  const std::optional<int> summed = summed_label(*found.product);
  // One factor has the query, the other one the key; otherwise the scores are a layer on both.
  const int query = out[out.size() - 2];
  const int key = out.back();
  if (!summed || holds(found.product->a, key) || holds(found.product->b, query)) return std::nullopt;
  found.dim = *summed;
  const auto size = [&](int label) { return found.product->sizes[static_cast<std::size_t>(label)]; };
  found.dims = size(*summed);
  found.queries = size(query);
  found.keys = size(key);
  found.q = scores.inputs[0];
  found.k = scores.inputs[1];
  return found;
}

std::string no_dot_product(const Trace& trace) {
  const Step* const weights = first_weights(trace);
  const bool of_model = trace.experiment().model != nullptr;
  if (weights == nullptr || (!of_model && trace.find("q") == nullptr)) return "The file has no queries and keys.";
  if (dot_product(trace, weights->name)) return "";
  return of_model ? "This model's scores are dot products plus a bias by distance."
                  : "Additive scores are not dot products.";
}

std::vector<double> query_numbers(const Trace& trace, const DotProduct& product, std::span<const Index> at) {
  return factor_numbers(trace, product, product.q, product.product->a, at);
}

std::vector<double> key_numbers(const Trace& trace, const DotProduct& product, std::span<const Index> at) {
  return factor_numbers(trace, product, product.k, product.product->b, at);
}

Index head_dim(const Trace& trace) {
  const Step* q = trace.find(selected_attention(trace, {}).layer + "q");
  if (q == nullptr) return 1;
  const Axis* dim = find_axis(q->axes, "dim");
  return dim == nullptr ? 1 : dim->size;
}

std::vector<double> row_numbers(const Trace& trace, int step, std::span<const Index> at) {
  Region region = single_cell(step, at);
  region.begin.back() = 0;
  region.end.back() = trace.step(step).axes.back().size;
  return numbers_of(trace, region);
}

}  // namespace attnscope
