// Measures of how many keys a head attends to.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/heads/measure.h"
#include "core/heads/spectra.h"

namespace attnscope {

Measure entropy_measure() {
  return {"entropy", "entropy", "Mean over the queries of −Σ A ln A, in nats.",
          "Clark et al. 2019, What does BERT look at?", [](const AttentionRow& row, MeasureSum& sum) {
            sum.sum += row.entropy;
            ++sum.count;
          }};
}

Measure normalized_entropy_measure() {
  return {"entropy_share", "normalized entropy",
          "Mean over the queries of entropy / ln(number of unmasked keys): 0 for one key, 1 for uniform attention.",
          "Clark et al. 2019, What does BERT look at?", [](const AttentionRow& row, MeasureSum& sum) {
            // A query with a single key has no choice.
            if (row.unmasked < 2) return;
            sum.sum += row.entropy / std::log(static_cast<double>(row.unmasked));
            ++sum.count;
          }};
}

Measure max_weight_measure() {
  return {"max_weight", "max weight", "Mean over the queries of the largest weight.", "",
          [](const AttentionRow& row, MeasureSum& sum) {
            double largest = 0;
            for (const float weight : row.weights) largest = std::max(largest, static_cast<double>(weight));
            sum.sum += largest;
            ++sum.count;
          }};
}

namespace {

std::optional<double> effective_rank(const WholeHead& whole) {
  if (whole.weights.empty()) return std::nullopt;
  const auto finite = [](double weight) { return std::isfinite(weight); };
  if (!std::all_of(whole.weights.begin(), whole.weights.end(), finite)) return std::nullopt;
  const std::vector<double> singular =
      singular_values(whole.weights, whole.head.weights.rows, whole.head.weights.columns);
  const double total = std::accumulate(singular.begin(), singular.end(), 0.0);
  if (!(total > 0)) return std::nullopt;
  double entropy = 0;
  for (const double value : singular) {
    if (value > 0) entropy -= value / total * std::log(value / total);
  }
  return std::exp(entropy);
}

}  // namespace

Measure effective_rank_measure() {
  return {"effective_rank",      "effective rank", "exp(entropy of the singular values of A, normalized to sum to 1).",
          "Roy & Vetterli 2007", nullptr,          effective_rank};
}

}  // namespace attnscope
