// Row statistics and maxima for the overview of weights that are too many to store.
#pragma once

#include <functional>
#include <span>

#include "core/kernels/attention.h"
#include "core/kernels/scratch.h"
#include "core/kernels/softmax.h"

namespace attnscope {

/// One head whose scores q · k / divisor are computed block by block and never stored.
struct OverviewHead {
  const float* q = nullptr;  ///< [queries, dim], rows q_row elements apart
  Index q_row = 0;
  const float* k = nullptr;  ///< [keys, dim], rows k_row elements apart
  Index k_row = 0;
  const KeptKeys* kept = nullptr;  ///< [queries]: a mask; null: none
  AttentionSizes sizes;            ///< value_dim is not used
  AttentionOptions options;
  bool fused = false;  ///< `rounds_once` for the scores of all heads together
};

/// The maximum number of keys per bin.
constexpr Index kMaxBin = 1024;

/// Row statistics and largest logits of a head; the bits equal those of the rows that `attend` would store. Softmax is
/// monotonic: `softmax_part` of the largest logits gives the largest weights.
class AttentionOverview {
 public:
  /// Packs the keys, which doubles their memory. The data of `head` must outlive this object.
  AttentionOverview(const OverviewHead& head, ThreadPool* pool);

  /// Computes, for every `every`-th query from `first` on, as many as `statistics` has room for: the row statistics,
  /// and the largest logit (masked score, ignoring NaN) of every `bin` keys in `maxima` [queries, bins()]. `bin` is a
  /// power of two up to kMaxBin. Returns early, unfinished, once `stopped`, which is called from several threads,
  /// returns true.
  void rows(Index first, Index every, Index bin, std::span<SoftmaxStatistics> statistics, std::span<float> maxima,
            ThreadPool* pool, const std::function<bool()>& stopped) const;

  /// The number of bins per row; the last may be smaller.
  [[nodiscard]] Index bins(Index bin) const { return (head_.sizes.keys + bin - 1) / bin; }

 private:
  void rows_of_band(Index first, Index every, Index bin, std::span<SoftmaxStatistics> statistics, float* maxima) const;
  void add_block(Index query, Index first_key, Index bin, std::span<float> scores, RowStatisticsOfBlocks& row,
                 float* maxima) const;
  [[nodiscard]] bool any_kept(Index query, Index first_key, Index count) const;

  OverviewHead head_;
  Scratch packed_;
  float* keys_;  ///< one packed matrix per kSumBlock keys
};

}  // namespace attnscope
