#include "core/heads/metrics.h"

#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/heads/row_statistics.h"
#include "core/operations/mask.h"

namespace attnscope {
namespace {

using MeasureValue = std::optional<double>;

MeasureValue mean_of(double sum, Index count) {
  return count > 0 ? MeasureValue(sum / static_cast<double>(count)) : std::nullopt;
}

MeasureValue effective_rank(const Eigen::MatrixXd& matrix) {
  if (matrix.size() == 0 || !matrix.allFinite()) return std::nullopt;
  const Eigen::VectorXd singular = Eigen::BDCSVD<Eigen::MatrixXd>(matrix).singularValues();
  const double total = singular.sum();
  if (!(total > 0)) return std::nullopt;
  double sum = 0;
  for (const double value : singular) {
    if (value > 0) sum -= value / total * std::log(value / total);
  }
  return std::exp(sum);
}

constexpr std::array<Measure, 12> kMeasures = {{
    {"entropy", "entropy", "Mean over the queries of −Σ A ln A, in nats.",
     "Clark et al. 2019, What does BERT look at?"},
    {"entropy_share", "normalized entropy",
     "Mean over the queries of entropy / ln(number of unmasked keys): 0 for one key, 1 for uniform attention.",
     "Clark et al. 2019, What does BERT look at?"},
    {"max_weight", "max weight", "Mean over the queries of the largest weight.", ""},
    {"diagonal", "self", "Mean of A[q,q]: attention to the token itself.", ""},
    {"previous_token", "previous token", "Mean of A[q,q−1].", "TransformerLens head detector; Olsson et al. 2022"},
    {"next_token", "next token", "Mean of A[q,q+1].", ""},
    {"first_token", "first token", "Mean of A[q,0]: how strong an attention sink the first token is.",
     "Xiao et al. 2023; Gu et al. 2024"},
    {"duplicate_token", "duplicate token", "Share of the attention on earlier copies of the query's token.",
     "TransformerLens head detector"},
    {"induction", "induction", "Share of the attention on tokens that follow an earlier copy of the query's token.",
     "Olsson et al. 2022; TransformerLens"},
    {"distance", "distance", "Mean of |q−k| weighted by A; for pixels, the distance between their centres.",
     "Vig & Belinkov 2019; Dosovitskiy et al. 2020"},
    {"effective_rank", "effective rank", "exp(entropy of the singular values of A, normalized to sum to 1).",
     "Roy & Vetterli 2007"},
    {"copying", "copying",
     "How far the head writes what it reads: Re Σλ / Σ|λ| over the eigenvalues λ of w_v · w_o; 1: copies, −1: "
     "subtracts.",
     "Elhage et al. 2021"},
}};

/// The mask applied before a softmax step; null: none.
const MaskField* mask_before(const Trace& trace, const Step& step) {
  if (step.inputs.empty()) return nullptr;
  const Step& scores = trace.steps()[static_cast<std::size_t>(step.inputs.front())];
  const auto* mask = as<MaskOperation>(scores.operation);
  return mask == nullptr ? nullptr : mask->field.get();
}

}  // namespace

bool HeadPattern::keeps(Index query, Index key) const {
  return mask == nullptr || mask->keeps(batch, head, query, key);
}

std::span<const Measure> measures() { return kMeasures; }

/// The effective rank needs all weights at once.
struct HeadSums::Kept {
  Eigen::MatrixXd weights;
};

HeadSums::HeadSums(const HeadPattern& head) : head_(head), kept_(std::make_unique<Kept>()) {
  const auto [queries, keys] = std::pair(head.weights.rows, head.weights.columns);
  if (std::min(queries, keys) <= kMaxForRank && saturating_product(queries, keys) <= kMaxCellsForRank)
    kept_->weights.resize(queries, keys);
  received_.resize(static_cast<std::size_t>(keys));
  // Comparing numbers is faster than comparing words.
  if (!head.same_positions) return;
  std::unordered_map<std::string_view, Index> known;
  for (const std::string& token : head.tokens)
    tokens_.push_back(known.try_emplace(token, std::ssize(known)).first->second);
}

HeadSums::~HeadSums() = default;

void HeadSums::add(std::span<const float> row) {
  const Index query = next_++;
  const double entropy = row_entropy({row.data(), 1, std::ssize(row), std::ssize(row), 1}, 0);
  entropy_ += entropy;
  Index kept = 0;
  for (Index key = 0; key < std::ssize(row); ++key) kept += head_.keeps(query, key) ? 1 : 0;
  // A query with a single key has no entropy to normalize.
  if (kept >= 2) {
    entropy_share_ += entropy / std::log(static_cast<double>(kept));
    ++with_choice_;
  }
  double most = 0;
  for (const float weight : row) most = std::max(most, static_cast<double>(weight));
  largest_ += most;
  if (!row.empty()) first_ += static_cast<double>(row.front());
  if (head_.same_positions) add_places(query, row);
  for (std::size_t key = 0; key < row.size(); ++key) {
    received_[key] += static_cast<double>(row[key]);
    if (kept_->weights.size() > 0) kept_->weights(query, static_cast<Index>(key)) = static_cast<double>(row[key]);
  }
}

void HeadSums::add_places(Index query, std::span<const float> row) {
  const auto at = [&](Index key) { return static_cast<double>(row[static_cast<std::size_t>(key)]); };
  diagonal_ += at(query);
  if (query > 0) previous_ += at(query - 1);
  if (query + 1 < std::ssize(row)) following_ += at(query + 1);
  const auto token = [&](Index place) { return tokens_[static_cast<std::size_t>(place)]; };
  const Index across = head_.pixels_across;
  for (Index key = 0; key < std::ssize(row); ++key) {
    const double weight = at(key);
    total_ += weight;
    if (weight == 0) continue;
    if (across == 0) {
      distance_ += weight * static_cast<double>(std::abs(query - key));
    } else {
      const Index down = query / across - key / across;
      const Index right = query % across - key % across;
      distance_ += weight * std::hypot(static_cast<double>(down), static_cast<double>(right));
    }
    if (tokens_.empty()) continue;
    duplicate_ += weight * (key < query && token(key) == token(query) ? 1 : 0);
    induction_ += weight * (key >= 1 && key <= query && token(key - 1) == token(query) ? 1 : 0);
  }
}

MeasureRow HeadSums::measured() const {
  const Index queries = head_.weights.rows;
  const bool empty = head_.weights.columns == 0;
  const auto of_places = [&](double sum, Index count) {
    return head_.same_positions ? mean_of(sum, count) : std::nullopt;
  };
  const auto share = [&](double sum, bool known) {
    return head_.same_positions && known && total_ > 0 ? MeasureValue(sum / total_) : std::nullopt;
  };
  return {mean_of(entropy_, queries),
          mean_of(entropy_share_, with_choice_),
          mean_of(largest_, queries),
          of_places(diagonal_, queries),
          of_places(previous_, queries - 1),
          of_places(following_, queries - 1),
          empty ? std::nullopt : mean_of(first_, queries),
          share(duplicate_, !tokens_.empty()),
          share(induction_, !tokens_.empty()),
          share(distance_, true),
          effective_rank(kept_->weights),
          head_.circuit == nullptr ? std::nullopt : copying(*head_.circuit)};
}

std::vector<double> HeadSums::received() const {
  std::vector<double> means = received_;
  for (double& mean : means) mean /= static_cast<double>(head_.weights.rows);
  return means;
}

MeasureRow measure_head(const HeadPattern& head) {
  HeadSums sums(head);
  std::vector<float> row(static_cast<std::size_t>(head.weights.columns));
  for (Index query = 0; query < head.weights.rows; ++query) {
    for (std::size_t key = 0; key < row.size(); ++key) row[key] = head.weights.at(query, static_cast<Index>(key));
    sums.add(row);
  }
  return sums.measured();
}

void uniform_row(const HeadPattern& like, Index query, std::span<float> row) {
  Index count = 0;
  for (Index key = 0; key < std::ssize(row); ++key) count += like.keeps(query, key) ? 1 : 0;
  for (Index key = 0; key < std::ssize(row); ++key)
    row[static_cast<std::size_t>(key)] = like.keeps(query, key) ? 1.0F / static_cast<float>(count) : 0.0F;
}

Tensor uniform_weights(const HeadPattern& like) {
  const Index keys = like.weights.columns;
  Tensor weights({{"query", like.weights.rows}, {"key", keys}});
  for (Index query = 0; query < like.weights.rows; ++query)
    uniform_row(like, query,
                weights.values().subspan(static_cast<std::size_t>(query * keys), static_cast<std::size_t>(keys)));
  return weights;
}

void add_distance(std::span<const float> a, std::span<const float> b, double& sum) {
  const auto term = [](double weight, double mean) { return weight > 0 ? weight * std::log(weight / mean) : 0.0; };
  for (std::size_t key = 0; key < a.size(); ++key) {
    const double of_a = a[key];
    const double of_b = b[key];
    const double mean = (of_a + of_b) / 2;
    sum += (term(of_a, mean) + term(of_b, mean)) / 2;
  }
}

double head_distance(const MatrixView& a, const MatrixView& b) {
  std::vector<float> of_a(static_cast<std::size_t>(a.columns));
  std::vector<float> of_b(of_a.size());
  double sum = 0;
  for (Index query = 0; query < a.rows; ++query) {
    for (std::size_t key = 0; key < of_a.size(); ++key) {
      of_a[key] = a.at(query, static_cast<Index>(key));
      of_b[key] = b.at(query, static_cast<Index>(key));
    }
    add_distance(of_a, of_b, sum);
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
  // Separate queries, or queries of a target sequence, are not at the positions of the keys.
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
