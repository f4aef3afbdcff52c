#include "core/metrics.h"

#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>

#include "core/marginals.h"

namespace attnscope {
namespace {

using MeasureValue = std::optional<double>;

/// The mean of `of(query)` over the queries from `first` to `last`; nothing where there are none.
template <typename Of>
MeasureValue mean_over(Index first, Index last, const Of& of) {
  if (first >= last) return std::nullopt;
  double sum = 0;
  for (Index query = first; query < last; ++query) sum += of(query);
  return sum / static_cast<double>(last - first);
}

MeasureValue entropy(const HeadPattern& head) {
  return mean_over(0, head.weights.rows, [&](Index query) { return row_entropy(head.weights, query); });
}

/// Queries that have no choice are left out.
MeasureValue share_of_entropy(const HeadPattern& head) {
  double sum = 0;
  Index queries = 0;
  for (Index query = 0; query < head.weights.rows; ++query) {
    Index kept = 0;
    for (Index key = 0; key < head.weights.columns; ++key) kept += head.keeps(query, key) ? 1 : 0;
    if (kept < 2) continue;
    sum += row_entropy(head.weights, query) / std::log(static_cast<double>(kept));
    ++queries;
  }
  return queries == 0 ? MeasureValue() : sum / static_cast<double>(queries);
}

MeasureValue max_weight(const HeadPattern& head) {
  return mean_over(0, head.weights.rows, [&](Index query) {
    double most = 0;
    for (Index key = 0; key < head.weights.columns; ++key)
      most = std::max(most, static_cast<double>(head.weights.at(query, key)));
    return most;
  });
}

/// The mean weight of the key `offset` places after the query, over the queries that have one.
MeasureValue at_offset(const HeadPattern& head, Index offset) {
  if (!head.same_positions) return std::nullopt;
  return mean_over(std::max<Index>(0, -offset), head.weights.rows - std::max<Index>(0, offset),
                   [&](Index query) { return static_cast<double>(head.weights.at(query, query + offset)); });
}

MeasureValue diagonal(const HeadPattern& head) { return at_offset(head, 0); }
MeasureValue previous_token(const HeadPattern& head) { return at_offset(head, -1); }
MeasureValue next_token(const HeadPattern& head) { return at_offset(head, 1); }

MeasureValue first_token(const HeadPattern& head) {
  if (head.weights.columns == 0) return std::nullopt;
  return mean_over(0, head.weights.rows, [&](Index query) { return static_cast<double>(head.weights.at(query, 0)); });
}

/// The mean of `of(query, key)` over all pairs, weighted with the weights; nothing without any weight.
template <typename Of>
MeasureValue weighted_mean(const MatrixView& weights, const Of& of) {
  double sum = 0;
  double total = 0;
  for (Index query = 0; query < weights.rows; ++query) {
    for (Index key = 0; key < weights.columns; ++key) {
      const double weight = weights.at(query, key);
      total += weight;
      if (weight != 0) sum += weight * of(query, key);
    }
  }
  return total > 0 ? sum / total : MeasureValue();
}

/// The share of the weights on earlier places of the token at the query.
MeasureValue duplicate_token(const HeadPattern& head) {
  if (!head.same_positions || head.tokens.empty()) return std::nullopt;
  const auto token = [&](Index at) -> const std::string& { return head.tokens[static_cast<std::size_t>(at)]; };
  return weighted_mean(head.weights,
                       [&](Index query, Index key) { return key < query && token(key) == token(query) ? 1.0 : 0.0; });
}

/// The share of the weights on what once followed the token at the query.
MeasureValue induction(const HeadPattern& head) {
  if (!head.same_positions || head.tokens.empty()) return std::nullopt;
  const auto token = [&](Index at) -> const std::string& { return head.tokens[static_cast<std::size_t>(at)]; };
  return weighted_mean(head.weights, [&](Index query, Index key) {
    return key >= 1 && key <= query && token(key - 1) == token(query) ? 1.0 : 0.0;
  });
}

MeasureValue distance(const HeadPattern& head) {
  if (!head.same_positions) return std::nullopt;
  const Index across = head.pixels_across;
  if (across == 0) {
    return weighted_mean(head.weights,
                         [](Index query, Index key) { return static_cast<double>(std::abs(query - key)); });
  }
  return weighted_mean(head.weights, [=](Index query, Index key) {
    const Index down = query / across - key / across;
    const Index aside = query % across - key % across;
    return std::hypot(static_cast<double>(down), static_cast<double>(aside));
  });
}

MeasureValue effective_rank(const HeadPattern& head) {
  const MatrixView& weights = head.weights;
  if (weights.empty() || std::min(weights.rows, weights.columns) > kLargestForRank) return std::nullopt;
  Eigen::MatrixXd matrix(weights.rows, weights.columns);
  for (Index query = 0; query < weights.rows; ++query) {
    for (Index key = 0; key < weights.columns; ++key) matrix(query, key) = weights.at(query, key);
  }
  if (!matrix.allFinite()) return std::nullopt;
  const Eigen::VectorXd singular = Eigen::BDCSVD<Eigen::MatrixXd>(matrix).singularValues();
  const double total = singular.sum();
  if (!(total > 0)) return std::nullopt;
  double sum = 0;
  for (const double value : singular) {
    if (value > 0) sum -= value / total * std::log(value / total);
  }
  return std::exp(sum);
}

MeasureValue copying_of_circuit(const HeadPattern& head) {
  return head.circuit == nullptr ? std::nullopt : copying(*head.circuit);
}

constexpr std::array<Measure, 12> kMeasures = {{
    {"entropy", "entropy", "The mean of −Σ A ln A over the queries, in nats.",
     "Clark et al. 2019, What does BERT look at?", entropy},
    {"entropy_share", "entropy share",
     "The mean entropy of the queries, each as a share of ln of the number of keys that the mask leaves it.",
     "Clark et al. 2019, What does BERT look at?", share_of_entropy},
    {"max_weight", "max weight", "The mean of each query's largest weight.", "", max_weight},
    {"diagonal", "diagonal", "The mean of A[q,q].", "", diagonal},
    {"previous_token", "previous token", "The mean of A[q,q−1].", "TransformerLens head detector; Olsson et al. 2022",
     previous_token},
    {"next_token", "next token", "The mean of A[q,q+1].", "", next_token},
    {"first_token", "first token", "The mean of A[q,0]: how much of an attention sink the first token is.",
     "Xiao et al. 2023; Gu et al. 2024", first_token},
    {"duplicate_token", "duplicate token", "The share of the weights on earlier tokens that equal the query's.",
     "TransformerLens head detector", duplicate_token},
    {"induction", "induction", "The share of the weights on tokens that follow an earlier one like the query's.",
     "Olsson et al. 2022; TransformerLens", induction},
    {"distance", "distance", "The mean of |q−k|, of pixels the distance of their centres, weighted with A.",
     "Vig & Belinkov 2019; Dosovitskiy et al. 2020", distance},
    {"effective_rank", "effective rank", "exp of the entropy of the singular values' shares of their sum.",
     "Roy & Vetterli 2007", effective_rank},
    {"copying", "copying",
     "How far the head writes what it reads: Re Σλ / Σ|λ|, λ the eigenvalues of w_v · w_o; 1: copies, −1: takes away.",
     "Elhage et al. 2021", copying_of_circuit},
}};

/// The mask before the scores of a softmax, if there is one.
const MaskField* mask_before(const Trace& trace, const Step& step) {
  if (step.inputs.empty()) return nullptr;
  const Step& scores = trace.steps()[static_cast<std::size_t>(step.inputs.front())];
  const auto* mask = std::get_if<MaskOperation>(&scores.operation);
  return mask == nullptr ? nullptr : mask->field.get();
}

}  // namespace

bool HeadPattern::keeps(Index query, Index key) const {
  return mask == nullptr || mask->keeps(batch, head, query, key);
}

std::span<const Measure> measures() { return kMeasures; }

Tensor uniform_weights(const HeadPattern& like) {
  const Index keys = like.weights.columns;
  Tensor weights({{"query", like.weights.rows}, {"key", keys}});
  for (Index query = 0; query < like.weights.rows; ++query) {
    Index count = 0;
    for (Index key = 0; key < keys; ++key) count += like.keeps(query, key) ? 1 : 0;
    float* const row = weights.values().data() + query * keys;
    for (Index key = 0; key < keys; ++key) row[key] = like.keeps(query, key) ? 1.0F / static_cast<float>(count) : 0.0F;
  }
  return weights;
}

double head_distance(const MatrixView& a, const MatrixView& b) {
  const auto term = [](double weight, double mean) { return weight > 0 ? weight * std::log(weight / mean) : 0.0; };
  double sum = 0;
  for (Index query = 0; query < a.rows; ++query) {
    for (Index key = 0; key < a.columns; ++key) {
      const double of_a = a.at(query, key);
      const double of_b = b.at(query, key);
      const double mean = (of_a + of_b) / 2;
      sum += (term(of_a, mean) + term(of_b, mean)) / 2;
    }
  }
  return sum;
}

HeadPattern head_pattern(const Trace& trace, const Step& step, std::span<const Index> leading,
                         const MatrixView& weights) {
  HeadPattern pattern;
  pattern.weights = weights;
  pattern.mask = mask_before(trace, step);
  for (std::size_t axis = 0; axis < leading.size(); ++axis) {
    if (step.axes[axis].name == "batch") pattern.batch = leading[axis];
    if (step.axes[axis].name == "head") pattern.head = leading[axis];
  }
  // Queries that are drawn or given on their own, or come from a second sequence, are not at the keys' positions.
  const Experiment& experiment = trace.experiment();
  pattern.same_positions = weights.rows == weights.columns &&
                           experiment.parameters.find("queries") == experiment.parameters.end() &&
                           step.axes[step.axes.size() - 2].name != "cross_query";
  if (experiment.parameters.find("height") != experiment.parameters.end())
    pattern.pixels_across = experiment.integer("width");
  if (pattern.same_positions && std::ssize(experiment.labels) >= weights.rows)
    pattern.tokens = std::span(experiment.labels).first(static_cast<std::size_t>(weights.rows));
  return pattern;
}

}  // namespace attnscope
