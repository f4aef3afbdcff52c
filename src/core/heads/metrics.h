// Measures of a head: what its weights do, in one number each.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/mask.h"
#include "core/heads/head_circuits.h"
#include "core/trace/trace.h"

namespace attnscope {

/// A head's weights, and what else is known of them. Refers to what belongs to others.
struct HeadPattern {
  MatrixView weights;               ///< [query, key]; rows sum to 1, or to 0 where the mask leaves no key
  const MaskField* mask = nullptr;  ///< what may be attended to; null: everything
  Index batch = 0;                  ///< of the mask
  Index head = 0;
  bool same_positions = false;           ///< queries and keys are the same positions of one sequence
  std::span<const std::string> tokens;   ///< what stands at them, one for each; empty: unknown
  Index pixels_across = 0;               ///< of the picture whose pixels they are; 0: a sequence
  const HeadCircuit* circuit = nullptr;  ///< its own weights; null: unknown

  [[nodiscard]] bool keeps(Index query, Index key) const;
};

/// A definition after a source.
struct Measure {
  std::string_view name;        ///< as in JSON: "previous_token"
  std::string_view title;       ///< as in tables: "previous token"
  std::string_view definition;  ///< one sentence; A[q,k] are the weights of query q
  std::string_view source;      ///< empty: no particular one
};

/// The measures of one head, in the order of `measures()`. Nothing where one does not apply: positions that do not line
/// up, tokens that are unknown, too large a matrix.
using MeasureRow = std::vector<std::optional<double>>;

/// All measures, in the order of a table.
std::span<const Measure> measures();

/// The longest of the shorter sides of a matrix whose singular values are computed, and the most weights that it has.
inline constexpr Index kMaxForRank = 1024;
inline constexpr Index kMaxCellsForRank = 2 * kMaxForRank * kMaxForRank;

/// Measures a head whose weights need not be there all at once: rows are given one after the other, first to last.
class HeadSums {
 public:
  /// Of `head.weights` only the size counts. What it refers to has to outlive this.
  explicit HeadSums(const HeadPattern& head);
  ~HeadSums();
  HeadSums(const HeadSums&) = delete;
  HeadSums& operator=(const HeadSums&) = delete;

  /// The weights of the next query.
  void add(std::span<const float> row);
  /// Once all rows have been added.
  [[nodiscard]] MeasureRow measured() const;
  /// [key]: the mean weight of a key over the queries.
  [[nodiscard]] std::vector<double> received() const;

 private:
  struct Kept;

  /// What goes by where the keys are.
  void add_places(Index query, std::span<const float> row);

  HeadPattern head_;
  std::vector<Index> tokens_;  ///< a number for each word
  std::unique_ptr<Kept> kept_;
  std::vector<double> received_;
  Index next_ = 0;         ///< query
  Index with_choice_ = 0;  ///< queries that the mask leaves two keys at least
  // Sums over the queries, or over all pairs.
  double entropy_ = 0;
  double entropy_share_ = 0;
  double largest_ = 0;
  double first_ = 0;
  double diagonal_ = 0;
  double previous_ = 0;
  double following_ = 0;
  double total_ = 0;
  double duplicate_ = 0;
  double induction_ = 0;
  double distance_ = 0;
};

/// The same of a head whose weights are all there.
MeasureRow measure_head(const HeadPattern& head);

/// Weights that attend evenly to what the mask leaves each query: what the measures are when a head does nothing in
/// particular.
Tensor uniform_weights(const HeadPattern& like);
/// The row of one query of those.
void uniform_row(const HeadPattern& like, Index query, std::span<float> row);

/// How differently two heads attend: the Jensen–Shannon divergence of their rows in nats, summed over the queries, each
/// 0 to ln 2. Both matrices have the same size. Source: Clark et al. 2019.
double head_distance(const MatrixView& a, const MatrixView& b);
/// Adds to `sum` what one row, or the next part of one, adds to that.
void add_distance(std::span<const float> a, std::span<const float> b, double& sum);

/// The pattern of `weights`, which are those of the matrix `leading` of a softmax of a trace, whose axes are
/// [leading…, query, key]. The trace and the weights have to outlive the result.
HeadPattern head_pattern(const Trace& trace, const Step& step, std::span<const Index> leading,
                         const MatrixView& weights);

}  // namespace attnscope
