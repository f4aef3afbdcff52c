// Scores that are dot products: the tensors they come from, and the numbers of one query and one key.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/operations/contract.h"
#include "core/operations/mask.h"
#include "core/trace/trace.h"

namespace attnscope {

/// scores[…, query, key] = Σ q · k / divisor over one axis, perhaps biased by distance, perhaps masked; weights =
/// softmax of those. q and k have their axes in any order.
struct DotProduct {
  int q = -1;  ///< the factor of the product: perhaps scaled before
  int k = -1;
  int scores = -1;
  int biased = -1;  ///< scores with the distance bias; −1: none
  int masked = -1;  ///< −1: no mask
  int weights = -1;

  const ContractOperation* product = nullptr;  ///< of the trace
  const MaskOperation* mask = nullptr;         ///< null: no mask
  double temperature = 1;
  int dim = 0;  ///< the label of the summed axis
  Index dims = 0;
  Index queries = 0;
  Index keys = 0;

  /// The input of the softmax.
  [[nodiscard]] int logits() const { return masked >= 0 ? masked : biased >= 0 ? biased : scores; }
  /// The cells of q and k whose product is term `dim` of the sum; `at` is the index of the score.
  [[nodiscard]] std::vector<Index> q_index(std::span<const Index> at, Index dim) const;
  [[nodiscard]] std::vector<Index> k_index(std::span<const Index> at, Index dim) const;
  /// Whether the mask leaves key `key` to the query at `at`.
  [[nodiscard]] bool keeps(const Trace& trace, std::span<const Index> at, Index key) const;
};

/// The dot product of whose scores the tensor `weights` is the softmax, if there is one.
std::optional<DotProduct> dot_product(const Trace& trace, std::string_view weights);

/// Why a view of dot products has nothing to show; empty: the scores of the trace are such.
std::string no_dot_product(const Trace& trace);

/// The elements of q or k for the score at `at`.
std::vector<double> query_numbers(const Trace& trace, const DotProduct& product, std::span<const Index> at);
std::vector<double> key_numbers(const Trace& trace, const DotProduct& product, std::span<const Index> at);

/// The head dimension d_k; 1 where the trace has no queries.
Index head_dim(const Trace& trace);

/// The row of tensor `step` for the query at `at`; the last axis of the tensor runs over the keys.
std::vector<double> row_numbers(const Trace& trace, int step, std::span<const Index> at);

}  // namespace attnscope
