// Softmax of rows, whole or in parts.
#pragma once

#include <limits>
#include <span>

#include "core/base/tensor.h"

namespace attnscope {

/// A row's exponentials are summed in blocks of so many keys: the sum is the same whether the row is held or computed
/// block after block. Of rows that are no longer they are computed once, of others twice.
constexpr Index kSumBlock = 4096;

/// Keys of a row, such as those that a query may attend to: begin ≤ key < end.
struct KeptKeys {
  Index begin = 0;
  Index end = 0;
};

/// What the weights of a row depend on besides its logits.
struct SoftmaxStatistics {
  float maximum = -std::numeric_limits<float>::infinity();  ///< of the logits, NaN left out
  float sum = 0;  ///< Σ exp((logit − maximum) / temperature); 0 for a row of nothing but −∞
};

/// Gathers the statistics of a row from its blocks, in order: all of kSumBlock logits but the last. With m the
/// maximum and s the sum so far, a block whose own are m_b and s_b makes them m' = max(m, m_b) and
/// s · exp((m − m') / temperature) + s_b · exp((m_b − m') / temperature).
class RowStatisticsOfBlocks {
 public:
  explicit RowStatisticsOfBlocks(float temperature) : temperature_(temperature) {}

  void add(std::span<const float> block);
  /// A block whose largest logit, NaN left out, is known.
  void add(std::span<const float> block, float largest);
  /// A block of `count` times the same logit.
  void add(float logit, Index count);

  [[nodiscard]] const SoftmaxStatistics& statistics() const { return statistics_; }

 private:
  void add_sum(float largest, float sum);

  float temperature_;
  SoftmaxStatistics statistics_;
};

/// Of a whole row.
SoftmaxStatistics softmax_statistics(std::span<const float> row, float temperature);

/// Writes the weights of a part of a row to `out`, which has the same length or is the same memory: each is
/// exp((logit − maximum) / temperature) / sum, whichever part it is in.
void softmax_part(std::span<const float> part, float temperature, const SoftmaxStatistics& statistics,
                  std::span<float> out);

/// Writes softmax(row / temperature) to `out`, the maximum subtracted first so that any finite logits are safe. A row
/// of nothing but −∞ becomes zeros; NaN and +∞ give NaN, as in PyTorch. Both spans have the same length. The same
/// numbers as `softmax_part` with the statistics of the row. They are streamed to `copy` as well unless that is null,
/// which needs `Kernels::end_stream`.
void softmax_row(std::span<const float> row, float temperature, std::span<float> out, float* copy = nullptr);

/// The same of a row that is `fill` everywhere but in `kept`, in less time where that comes to nothing. Returns keys
/// outside of which all weights are 0.
KeptKeys softmax_masked_row(std::span<const float> row, const KeptKeys& kept, float fill, float temperature,
                            std::span<float> out, float* copy = nullptr);

}  // namespace attnscope
