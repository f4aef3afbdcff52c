#include "core/compute/attention_steps.h"

#include <algorithm>

#include "core/operations/contract.h"
#include "core/operations/mask.h"
#include "core/operations/softmax.h"

namespace attnscope {
namespace {

using Labels = std::vector<int>;

const PlannedStep& planned(const Plan& plan, int step) { return plan.steps[static_cast<std::size_t>(step)]; }

/// Whether the labels of a factor are some of `lead`, then these two.
bool is_factor(const Labels& labels, std::span<const int> lead, int row, int column) {
  if (labels.size() < 2 || labels[labels.size() - 2] != row || labels.back() != column) return false;
  return std::all_of(labels.begin(), labels.end() - 2,
                     [&](int label) { return std::find(lead.begin(), lead.end(), label) != lead.end(); });
}

/// The summed label, if there is exactly one.
std::optional<int> summed_label(const ContractOperation& operation) {
  std::optional<int> summed;
  for (int label = 0; label < static_cast<int>(operation.labels.size()); ++label) {
    if (std::find(operation.out.begin(), operation.out.end(), label) != operation.out.end()) continue;
    if (summed) return std::nullopt;
    summed = label;
  }
  return summed;
}

const ContractOperation* plain_product(const Plan& plan, int step) {
  const auto* product = as<ContractOperation>(planned(plan, step).operation);
  return product != nullptr && planned(plan, step).inputs.size() == 2 && product->out.size() >= 2 ? product : nullptr;
}

std::span<const int> leading_labels(const ContractOperation& product) {
  return {product.out.data(), product.out.size() - 2};
}

bool add_scores(const Plan& plan, AttentionSteps& attention) {
  const ContractOperation* product = plain_product(plan, attention.scores);
  if (product == nullptr) return false;
  const std::optional<int> dim = summed_label(*product);
  const std::span<const int> lead = leading_labels(*product);
  const int query = product->out[product->out.size() - 2];
  const int key = product->out.back();
  if (!dim || !is_factor(product->a, lead, query, *dim) || !is_factor(product->b, lead, key, *dim)) return false;
  const auto size = [&](int label) { return product->sizes[static_cast<std::size_t>(label)]; };
  attention.q = planned(plan, attention.scores).inputs[0];
  attention.k = planned(plan, attention.scores).inputs[1];
  attention.sizes = {size(query), size(key), size(*dim), 0};
  attention.options.divisor = static_cast<float>(product->divisor);
  attention.fused = product->fused;
  for (const int label : lead) attention.leading.push_back(size(label));
  return true;
}

/// Adds the step after the weights, if it is the weighted sum of values.
void add_outputs(const Plan& plan, AttentionSteps& attention) {
  const int outputs = attention.weights + 1;
  if (outputs >= static_cast<int>(plan.steps.size())) return;
  const ContractOperation* product = plain_product(plan, outputs);
  if (product == nullptr || product->divisor != 1 || planned(plan, outputs).inputs[0] != attention.weights) return;
  const std::optional<int> key = summed_label(*product);
  const std::span<const int> lead = leading_labels(*product);
  const int query = product->out[product->out.size() - 2];
  const int dim = product->out.back();
  if (!key || !is_factor(product->a, lead, query, *key) || !is_factor(product->b, lead, *key, dim)) return;
  // The leading axes of weights and outputs are the same ones in the same order.
  if (!std::equal(lead.begin(), lead.end(), product->a.begin(), product->a.end() - 2)) return;
  attention.outputs = outputs;
  attention.v = planned(plan, outputs).inputs[1];
  attention.sizes.value_dim = product->sizes[static_cast<std::size_t>(dim)];
}

}  // namespace

std::optional<AttentionSteps> attention_with_weights(const Plan& plan, int weights) {
  const auto* softmax = as<SoftmaxOperation>(planned(plan, weights).operation);
  if (softmax == nullptr) return std::nullopt;
  AttentionSteps attention;
  attention.weights = weights;
  attention.scores = planned(plan, weights).inputs[0];
  attention.options.temperature = static_cast<float>(softmax->temperature);
  if (const auto* mask = as<MaskOperation>(planned(plan, attention.scores).operation)) {
    if (!mask->field->keeps_ranges()) return std::nullopt;
    attention.masked = attention.scores;
    attention.scores = planned(plan, attention.masked).inputs[0];
    attention.options.fill = static_cast<float>(mask->fill);
  }
  if (!add_scores(plan, attention)) return std::nullopt;
  add_outputs(plan, attention);
  return attention;
}

Index leading_offset(const Plan& plan, const AttentionSteps& attention, int step, std::span<const Index> at) {
  const bool of_outputs = step == attention.v || step == attention.outputs;
  const int product_step = of_outputs ? attention.outputs : attention.scores;
  const auto& product = *as<ContractOperation>(planned(plan, product_step).operation);
  const std::span<const int> lead = leading_labels(product);
  const Labels& labels = step == product_step ? product.out : step == attention.q ? product.a : product.b;
  const Axes& axes = planned(plan, step).axes;
  Index offset = 0;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    Index index = 0;
    if (axis + 2 < axes.size())
      index = at[static_cast<std::size_t>(std::find(lead.begin(), lead.end(), labels[axis]) - lead.begin())];
    offset = offset * axes[axis].size + index;
  }
  return offset;
}

std::vector<KeptKeys> kept_keys(const Plan& plan, const AttentionSteps& attention, std::span<const Index> at) {
  std::vector<KeptKeys> kept;
  if (attention.masked < 0) return kept;
  const PlannedStep& step = planned(plan, attention.masked);
  Index batch = 0;
  for (std::size_t i = 0; i < at.size(); ++i) batch = step.axes[i].name == "head" ? batch : at[i];
  kept.reserve(static_cast<std::size_t>(attention.sizes.queries));
  for (Index query = 0; query < attention.sizes.queries; ++query)
    kept.push_back(as<MaskOperation>(step.operation)->field->range(batch, query));
  return kept;
}

double kept_share(const Plan& plan, const AttentionSteps& attention) {
  const std::vector<KeptKeys> kept = kept_keys(plan, attention, std::vector<Index>(attention.leading.size()));
  if (kept.empty()) return 1;
  double keys = 0;
  for (const KeptKeys& each : kept) keys += static_cast<double>(each.end - each.begin);
  return keys / (static_cast<double>(kept.size()) * static_cast<double>(attention.sizes.keys));
}

}  // namespace attnscope
