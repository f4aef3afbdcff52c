// Measures of a head: single numbers that describe what its attention weights do.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/heads/measure.h"
#include "core/trace/trace.h"

namespace attnscope {

/// The measures of one head, in the order of `measures()`. Nothing where one does not apply: positions that do not line
/// up, tokens that are unknown, too large a matrix.
using MeasureRow = std::vector<std::optional<double>>;

/// All measures, in display order.
std::span<const Measure> measures();

/// Limits for singular values: the maximum length of the shorter side of the matrix, and of its number of weights.
inline constexpr Index kMaxForRank = 1024;
inline constexpr Index kMaxCellsForRank = 2 * kMaxForRank * kMaxForRank;

/// Measures a head row by row: the weights need not be in memory all at once. Rows come in order. A row with weights that
/// are not finite, and one of padding, is left out of all measures.
class HeadSums {
 public:
  /// Uses only the size of `head.weights`. Everything that `head` refers to must outlive this object. Without `rank`
  /// there is no effective rank, which takes far longer than everything else.
  explicit HeadSums(const HeadPattern& head, bool rank = true);

  /// Adds the weights of the next query.
  void add(std::span<const float> row);
  /// The measures, after all rows have been added.
  [[nodiscard]] MeasureRow measured() const;
  /// [key]: the mean weight of a key over the queries.
  [[nodiscard]] std::vector<double> received() const;
  /// [query]: the entropy of each row in nats; NaN for a row that was left out.
  [[nodiscard]] const std::vector<double>& entropies() const { return entropies_; }
  /// Rows that are not padding, and left out.
  [[nodiscard]] Index left_out() const { return left_out_; }

 private:
  HeadPattern head_;
  std::vector<Index> tokens_;     ///< [position]: a number for each word
  std::vector<double> weights_;   ///< [key, query]; empty: too many
  std::vector<double> received_;  ///< [key]
  std::vector<double> entropies_;
  std::vector<MeasureSum> sums_;  ///< one for each of `measures()`
  Index next_ = 0;                ///< query
  Index counted_ = 0;             ///< queries so far that are not left out
  Index left_out_ = 0;
};

/// One row of uniform attention, the reference for measures: equal weights for all unmasked keys of the query, all 0 where
/// no key is left.
void uniform_row(const HeadPattern& like, Index query, std::span<float> row);

/// The distance of two heads: the Jensen–Shannon divergence of their rows in nats (0 to ln 2 each), summed over the
/// queries. Both matrices have the same size. Source: Clark et al. 2019.
double head_distance(const MatrixView& a, const MatrixView& b);
/// Adds the contribution of one row, or of a part of one, to `sum`.
void add_distance(std::span<const float> a, std::span<const float> b, double& sum);

/// The pattern of `weights`: the matrix at the indices `leading` of a softmax step with axes [leading…, query, key].
/// Trace and weights must outlive the result.
HeadPattern head_pattern(const Trace& trace, const Step& step, std::span<const Index> leading,
                         const MatrixView& weights);

}  // namespace attnscope
