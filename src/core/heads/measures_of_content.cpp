// Measures of which tokens a head attends to, and what it writes.
#include "core/heads/measure.h"

namespace attnscope {
namespace {

/// Adds the share of the weights on the keys for which `counts` holds. Does not apply where the tokens are unknown.
template <typename Counts>
void add_share(const AttentionRow& row, MeasureSum& sum, const Counts& counts) {
  if (row.tokens.empty()) return;
  for (Index key = 0; key < std::ssize(row.weights); ++key) {
    const auto weight = static_cast<double>(row.weights[static_cast<std::size_t>(key)]);
    sum.count += weight;
    if (weight != 0 && counts(key)) sum.sum += weight;
  }
}

bool equals_query(const AttentionRow& row, Index position) {
  return row.tokens[static_cast<std::size_t>(position)] == row.tokens[static_cast<std::size_t>(row.query)];
}

}  // namespace

Measure duplicate_token_measure() {
  return {"duplicate_token", "duplicate token", "Share of the attention on earlier copies of the query's token.",
          "TransformerLens head detector", [](const AttentionRow& row, MeasureSum& sum) {
            add_share(row, sum, [&](Index key) { return key < row.query && equals_query(row, key); });
          }};
}

Measure induction_measure() {
  return {"induction", "induction",
          "Share of the attention on tokens that follow an earlier copy of the query's token.",
          "Olsson et al. 2022; TransformerLens", [](const AttentionRow& row, MeasureSum& sum) {
            add_share(row, sum, [&](Index key) { return key >= 1 && key <= row.query && equals_query(row, key - 1); });
          }};
}

Measure copying_measure() {
  return {"copying",
          "copying",
          "How far the head writes what it reads: Re Σλ / Σ|λ| over the eigenvalues λ of w_v · w_o; 1: copies, −1: "
          "subtracts.",
          "Elhage et al. 2021",
          nullptr,
          [](const WholeHead& whole) -> std::optional<double> {
            return whole.head.circuit == nullptr ? std::nullopt : copying(*whole.head.circuit);
          },
          true};
}

}  // namespace attnscope
