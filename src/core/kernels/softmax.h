// Softmax of rows, whole or in parts.
#pragma once

#include <limits>
#include <span>

#include "core/base/tensor.h"

namespace attnscope {

/// The exponentials of a row are summed in blocks of this many keys: the sum is the same whether the row is in memory
/// or computed block by block. Rows of up to one block compute their exponentials once, longer rows twice.
constexpr Index kSumBlock = 4096;

/// A range of keys: begin ≤ key < end.
struct KeptKeys {
  Index begin = 0;
  Index end = 0;
};

/// The statistics that turn logits of a row into weights.
struct SoftmaxStatistics {
  float maximum = -std::numeric_limits<float>::infinity();  ///< of the logits, ignoring NaN
  float sum = 0;  ///< Σ exp((logit − maximum) / temperature); 0 if all logits are −∞
};

/// Accumulates the statistics of a row from its blocks, in order; all blocks except the last have kSumBlock logits.
/// With maximum m and sum s so far, a block with m_b and s_b gives m' = max(m, m_b) and s' = s · exp((m − m') /
/// temperature) + s_b · exp((m_b − m') / temperature).
class RowStatisticsOfBlocks {
 public:
  explicit RowStatisticsOfBlocks(float temperature) : temperature_(temperature) {}

  void add(std::span<const float> block);
  /// Adds a block whose largest logit, ignoring NaN, is known.
  void add(std::span<const float> block, float largest);
  /// Adds a block of `count` equal logits.
  void add(float logit, Index count);

  [[nodiscard]] const SoftmaxStatistics& statistics() const { return statistics_; }

 private:
  void add_sum(float largest, float sum);

  float temperature_;
  SoftmaxStatistics statistics_;
};

/// The statistics of a whole row.
SoftmaxStatistics softmax_statistics(std::span<const float> row, float temperature);

/// Writes the weights of a part of a row, exp((logit − maximum) / temperature) / sum, to `out`, which has the same
/// length and may be the same memory. The result does not depend on the part.
void softmax_part(std::span<const float> part, float temperature, const SoftmaxStatistics& statistics,
                  std::span<float> out);

/// Writes softmax(row / temperature) to `out`. Subtracts the maximum first: any finite logits are safe. A row of only
/// −∞ becomes zeros; NaN and +∞ give NaN, as in PyTorch. Both spans have the same length. Same numbers as
/// `softmax_part` with the statistics of the row. Unless `copy` is null, also streams them there, which requires
/// `Kernels::end_stream`.
void softmax_row(std::span<const float> row, float temperature, std::span<float> out, float* copy = nullptr);

/// The same for a row that is `fill` outside of `kept`; faster if the fill gives zero weights. Returns a range of keys
/// outside of which all weights are 0.
KeptKeys softmax_masked_row(std::span<const float> row, const KeptKeys& kept, float fill, float temperature,
                            std::span<float> out, float* copy = nullptr);

}  // namespace attnscope
