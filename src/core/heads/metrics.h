// Measures of a head: single numbers that describe what its attention weights do.
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

/// The weights of a head, with context. Holds pointers and views; their owners must outlive it.
struct HeadPattern {
  MatrixView weights;               ///< [query, key]; rows sum to 1, or to 0 where the mask leaves no key
  const MaskField* mask = nullptr;  ///< null: no mask
  Index batch = 0;                  ///< index into the mask
  Index head = 0;
  bool same_positions = false;           ///< queries and keys are the same positions of one sequence
  std::span<const std::string> tokens;   ///< the tokens at these positions; empty: unknown
  Index pixels_across = 0;               ///< width of the picture if tokens are pixels; 0: a sequence
  const HeadCircuit* circuit = nullptr;  ///< null: unknown

  [[nodiscard]] bool keeps(Index query, Index key) const;
};

/// The definition of a measure.
struct Measure {
  std::string_view name;        ///< as in JSON: "previous_token"
  std::string_view title;       ///< as in tables: "previous token"
  std::string_view definition;  ///< one sentence; A[q,k] is the attention weight of query q for key k
  std::string_view source;      ///< empty: none
};

/// The measures of one head, in the order of `measures()`. A measure has no value if it does not apply: queries and
/// keys at different positions, unknown tokens, a matrix that is too large.
using MeasureRow = std::vector<std::optional<double>>;

/// All measures, in display order.
std::span<const Measure> measures();

/// Limits for singular values: the maximum length of the shorter side of the matrix, and of its number of weights.
inline constexpr Index kMaxForRank = 1024;
inline constexpr Index kMaxCellsForRank = 2 * kMaxForRank * kMaxForRank;

/// Measures a head row by row: the weights need not be in memory all at once. Rows come in order.
class HeadSums {
 public:
  /// Uses only the size of `head.weights`. Everything that `head` refers to must outlive this object.
  explicit HeadSums(const HeadPattern& head);
  ~HeadSums();
  HeadSums(const HeadSums&) = delete;
  HeadSums& operator=(const HeadSums&) = delete;

  /// Adds the weights of the next query.
  void add(std::span<const float> row);
  /// The measures, after all rows have been added.
  [[nodiscard]] MeasureRow measured() const;
  /// [key]: the mean weight of a key over the queries.
  [[nodiscard]] std::vector<double> received() const;

 private:
  struct Kept;

  /// Updates the measures that depend on positions.
  void add_places(Index query, std::span<const float> row);

  HeadPattern head_;
  std::vector<Index> tokens_;  ///< equal words have equal numbers
  std::unique_ptr<Kept> kept_;
  std::vector<double> received_;
  Index next_ = 0;         ///< query
  Index with_choice_ = 0;  ///< queries with at least two unmasked keys
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

/// Measures a head whose weights are all in memory.
MeasureRow measure_head(const HeadPattern& head);

/// Uniform attention: equal weights for all unmasked keys of each query. The reference for measures.
Tensor uniform_weights(const HeadPattern& like);
/// One row of uniform attention.
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
