#include "core/trace/resident_attention.h"

#include <algorithm>

#include "core/compute/attention_steps.h"

namespace attnscope {

bool ResidentAttention::is(int step, std::span<const Index> leading) const {
  return step == step_ && std::ranges::equal(leading, leading_);
}

std::shared_ptr<const ResidentAttention> ResidentAttention::find(const Plan& plan,
                                                                 std::span<const std::shared_ptr<const Tensor>> held,
                                                                 int step, std::span<const Index> leading,
                                                                 ThreadPool& pool) {
  const std::optional<AttentionSteps> steps = attention_with_weights(plan, step);
  if (!steps) return nullptr;
  auto attention = std::make_shared<ResidentAttention>();
  attention->step_ = step;
  attention->leading_.assign(leading.begin(), leading.end());
  attention->q_ = held[static_cast<std::size_t>(steps->q)];
  attention->k_ = held[static_cast<std::size_t>(steps->k)];
  if (attention->q_ == nullptr || attention->k_ == nullptr) return nullptr;
  attention->kept_ = kept_keys(plan, *steps, leading);
  OverviewHead& head = attention->head_;
  head.q = attention->q_->values().data() + leading_offset(plan, *steps, steps->q, leading);
  head.q_row = steps->sizes.dim;
  head.k = attention->k_->values().data() + leading_offset(plan, *steps, steps->k, leading);
  head.k_row = steps->sizes.dim;
  head.kept = attention->kept_.empty() ? nullptr : attention->kept_.data();
  head.sizes = steps->sizes;
  head.options = steps->options;
  head.fused = steps->fused;
  attention->rows_ = std::make_unique<AttentionOverview>(head, &pool);
  return attention;
}

}  // namespace attnscope
