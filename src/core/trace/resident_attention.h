// Scores of resident queries and keys, which can be visited without storing them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/kernels/attention_overview.h"
#include "core/plan/plan.h"

namespace attnscope {

/// The queries, keys and mask of one head whose weights are not resident.
class ResidentAttention {
 public:
  /// The attention of the softmax `step` at those leading axes. Null if the weights do not come from a plain q · k, if
  /// its factors are not resident, or if the mask is an array.
  static std::shared_ptr<const ResidentAttention> find(const Plan& plan,
                                                       std::span<const std::shared_ptr<const Tensor>> held, int step,
                                                       std::span<const Index> leading, ThreadPool& pool);

  [[nodiscard]] bool is(int step, std::span<const Index> leading) const;
  [[nodiscard]] float temperature() const { return head_.options.temperature; }
  [[nodiscard]] const AttentionOverview& rows() const { return *rows_; }

 private:
  int step_ = 0;
  std::vector<Index> leading_;
  std::shared_ptr<const Tensor> q_, k_;
  std::vector<KeptKeys> kept_;
  OverviewHead head_;
  std::unique_ptr<AttentionOverview> rows_;
};

}  // namespace attnscope
