// Measures of a head: what its weights do, in one number each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/head_circuits.h"
#include "core/mask.h"
#include "core/trace.h"

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
  /// Nothing where it does not apply: positions that do not line up, tokens that are unknown, too large a matrix.
  std::optional<double> (*of)(const HeadPattern& head) = nullptr;
};

/// All measures, in the order of a table.
std::span<const Measure> measures();

/// The largest side of a matrix whose singular values are computed.
inline constexpr Index kLargestForRank = 1024;

/// Weights that attend evenly to what the mask leaves each query: what the measures are when a head does nothing in
/// particular.
Tensor uniform_weights(const HeadPattern& like);

/// How differently two heads attend: the Jensen–Shannon divergence of their rows in nats, summed over the queries, each
/// 0 to ln 2. Both matrices have the same size. Source: Clark et al. 2019.
double head_distance(const MatrixView& a, const MatrixView& b);

/// The pattern of `weights`, which are those of the matrix `leading` of a softmax of a trace, whose axes are
/// [leading…, query, key]. The trace and the weights have to outlive the result.
HeadPattern head_pattern(const Trace& trace, const Step& step, std::span<const Index> leading,
                         const MatrixView& weights);

}  // namespace attnscope
