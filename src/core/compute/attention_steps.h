// Steps of a plan that together are attention, for the kernels that compute all of it a few rows at a time.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/kernels/attention.h"
#include "core/plan/plan.h"

namespace attnscope {

/// scores = q · k / divisor, perhaps masked; weights = their softmax; and perhaps outputs = weights · v. Axes of the
/// scores are [leading…, query, key]; of q, k and v [leading…, position, dim], where leading ones may be missing.
struct AttentionSteps {
  int q = -1;
  int k = -1;
  int scores = -1;
  int masked = -1;  ///< −1: no mask
  int weights = -1;
  int v = -1;
  int outputs = -1;  ///< −1: the next step is not a weighted sum

  std::vector<Index> leading;  ///< sizes of the leading axes
  AttentionSizes sizes;
  AttentionOptions options;
  bool fused = false;
};

/// The attention whose softmax is step `weights`, if it has that form and its mask keeps neighbouring keys.
std::optional<AttentionSteps> attention_with_weights(const Plan& plan, int weights);

/// Where the leading index `at` of the scores begins in a factor or in the outputs; `step` is one of q, k, v, outputs.
Index leading_offset(const Plan& plan, const AttentionSteps& attention, int step, std::span<const Index> at);

/// The keys that each query keeps at the leading index `at`; empty without a mask.
std::vector<KeptKeys> kept_keys(const Plan& plan, const AttentionSteps& attention, std::span<const Index> at);

/// The share of the scores that the mask keeps, in the first head of the first item; 1 without a mask.
double kept_share(const Plan& plan, const AttentionSteps& attention);

}  // namespace attnscope
