#include "core/held_attention.h"

#include <algorithm>

#include "core/kernels/matrix_product.h"

namespace attnscope {
namespace {

using TensorPointer = std::shared_ptr<const Tensor>;

/// Where one head of a factor of the scores begins, and how far its rows are apart.
struct Factor {
  const float* data = nullptr;
  Index row = 0;
};

/// The factor with its axes [leading…, row, dim], if its labels say so: those of `lead` first, which stand at
/// `leading`.
std::optional<Factor> factor_of(const Tensor& tensor, const std::vector<int>& labels, std::span<const int> lead,
                                std::span<const Index> leading, int row, int dim) {
  const std::size_t rank = labels.size();
  if (rank < 2 || labels[rank - 1] != dim || labels[rank - 2] != row) return std::nullopt;
  Index offset = 0;
  for (std::size_t axis = 0; axis + 2 < rank; ++axis) {
    const auto found = std::find(lead.begin(), lead.end(), labels[axis]);
    if (found == lead.end()) return std::nullopt;
    offset += leading[static_cast<std::size_t>(found - lead.begin())] * tensor.stride(static_cast<int>(axis));
  }
  return Factor{tensor.values().data() + offset, tensor.size(-1)};
}

/// The label that is summed, if it is one.
std::optional<int> summed_label(const ContractOperation& operation) {
  std::optional<int> summed;
  for (int label = 0; label < static_cast<int>(operation.labels.size()); ++label) {
    if (std::find(operation.out.begin(), operation.out.end(), label) != operation.out.end()) continue;
    if (summed) return std::nullopt;
    summed = label;
  }
  return summed;
}

KeptKeys kept_keys(const MaskField& field, Index batch, Index query) {
  const Index keys = field.sizes().keys;
  const Mask& mask = field.mask();
  if (mask.kind == Mask::Kind::causal) return {0, std::min(query + 1, keys)};
  if (mask.kind == Mask::Kind::window)
    return {std::clamp<Index>(query - mask.radius, 0, keys), std::min(query + mask.radius + 1, keys)};
  if (mask.kind == Mask::Kind::padding)
    return {0, mask.lengths[mask.lengths.size() == 1 ? 0 : static_cast<std::size_t>(batch)]};
  return {0, keys};
}

}  // namespace

bool HeldAttention::is(int step, std::span<const Index> leading) const {
  return step == step_ && std::ranges::equal(leading, leading_);
}

std::shared_ptr<const HeldAttention> HeldAttention::find(const Plan& plan, std::span<const TensorPointer> held,
                                                         int step, std::span<const Index> leading, ThreadPool& pool) {
  const auto planned = [&](int number) -> const PlannedStep& { return plan.steps[static_cast<std::size_t>(number)]; };
  auto attention = std::make_shared<HeldAttention>();
  attention->step_ = step;
  attention->leading_.assign(leading.begin(), leading.end());
  OverviewHead& head = attention->head_;
  head.options.temperature = static_cast<float>(std::get<SoftmaxOperation>(planned(step).operation).temperature);

  int scores = planned(step).inputs[0];
  const auto* mask = std::get_if<MaskOperation>(&planned(scores).operation);
  if (mask != nullptr) {
    if (mask->field->mask().kind == Mask::Kind::array) return nullptr;
    head.options.fill = static_cast<float>(mask->fill);
    scores = planned(scores).inputs[0];
  }
  const auto* product = std::get_if<ContractOperation>(&planned(scores).operation);
  if (product == nullptr || planned(scores).inputs.size() != 2 || product->out.size() < 2) return nullptr;
  attention->q_ = held[static_cast<std::size_t>(planned(scores).inputs[0])];
  attention->k_ = held[static_cast<std::size_t>(planned(scores).inputs[1])];
  const std::optional<int> dim = summed_label(*product);
  if (attention->q_ == nullptr || attention->k_ == nullptr || !dim) return nullptr;
  const std::span<const int> lead(product->out.data(), product->out.size() - 2);
  const int query = product->out[product->out.size() - 2];
  const int key = product->out.back();
  const std::optional<Factor> q = factor_of(*attention->q_, product->a, lead, leading, query, *dim);
  const std::optional<Factor> k = factor_of(*attention->k_, product->b, lead, leading, key, *dim);
  if (!q || !k) return nullptr;

  head.q = q->data;
  head.q_row = q->row;
  head.k = k->data;
  head.k_row = k->row;
  const auto size = [&](int label) { return product->sizes[static_cast<std::size_t>(label)]; };
  head.sizes = {size(query), size(key), size(*dim), 0};
  head.options.divisor = static_cast<float>(product->divisor);
  head.fused = product->fused;
  if (mask != nullptr) {
    Index batch = 0;
    const Axes& axes = planned(step).axes;
    for (std::size_t i = 0; i < leading.size(); ++i) batch = axes[i].name == "head" ? batch : leading[i];
    attention->kept_.resize(static_cast<std::size_t>(head.sizes.queries));
    for (Index i = 0; i < head.sizes.queries; ++i)
      attention->kept_[static_cast<std::size_t>(i)] = kept_keys(*mask->field, batch, i);
    head.kept = attention->kept_.data();
  }
  attention->rows_ = std::make_unique<AttentionOverview>(head, &pool);
  return attention;
}

}  // namespace attnscope
