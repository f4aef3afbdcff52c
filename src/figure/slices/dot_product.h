// Scores that are dot products: which tensors they come from, and the numbers of one query and one key.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/operations/contract.h"
#include "core/operations/mask.h"
#include "core/trace/trace.h"

namespace attnscope {

/// scores[…, query, key] = Σ q · k / divisor over one axis, perhaps biased by distance, perhaps masked; weights = their
/// softmax. The axes of q and k may stand in any order.
struct DotProduct {
  int q = -1;  ///< what enters the product: perhaps scaled already
  int k = -1;
  int scores = -1;
  int biased = -1;  ///< −1: nothing is taken off for the distance
  int masked = -1;  ///< −1: no mask
  int weights = -1;

  const ContractOperation* product = nullptr;  ///< of the trace
  const MaskOperation* mask = nullptr;         ///< null: no mask
  double temperature = 1;
  int dim = 0;  ///< the label that is summed over
  Index dims = 0;
  Index queries = 0;
  Index keys = 0;

  /// What the softmax is taken of.
  [[nodiscard]] int logits() const { return masked >= 0 ? masked : biased >= 0 ? biased : scores; }
  /// The cells of q and of k that number `dim` of the sum is the product of; `at` is the score's index.
  [[nodiscard]] std::vector<Index> q_index(std::span<const Index> at, Index dim) const;
  [[nodiscard]] std::vector<Index> k_index(std::span<const Index> at, Index dim) const;
  /// Whether the mask leaves key `key` to the query of `at`.
  [[nodiscard]] bool keeps(const Trace& trace, std::span<const Index> at, Index key) const;
};

/// What the tensor `weights` is the softmax of, if that is a dot product.
std::optional<DotProduct> dot_product(const Trace& trace, std::string_view weights);

/// The numbers of q or k for a score at `at`, all dimensions in order.
std::vector<double> query_numbers(const Trace& trace, const DotProduct& product, std::span<const Index> at);
std::vector<double> key_numbers(const Trace& trace, const DotProduct& product, std::span<const Index> at);

/// How many numbers the queries of one head have; 1 where a trace has none.
Index head_dim(const Trace& trace);

/// One row of tensor `step`, whose last axis runs over the keys: the one of the query at `at`.
std::vector<double> row_numbers(const Trace& trace, int step, std::span<const Index> at);

}  // namespace attnscope
