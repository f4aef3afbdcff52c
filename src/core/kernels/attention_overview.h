// What a picture of a head's weights needs when there are too many to be stored.
#pragma once

#include <functional>
#include <span>

#include "core/kernels/attention.h"
#include "core/kernels/scratch.h"
#include "core/kernels/softmax.h"

namespace attnscope {

/// One head whose scores q · k / divisor are computed block by block and stored nowhere.
struct OverviewHead {
  const float* q = nullptr;  ///< [queries, dim], rows q_row elements apart
  Index q_row = 0;
  const float* k = nullptr;  ///< [keys, dim], rows k_row elements apart
  Index k_row = 0;
  const KeptKeys* kept = nullptr;  ///< [queries]: a mask, or none
  AttentionSizes sizes;            ///< the values' is not used
  AttentionOptions options;
  bool fused = false;  ///< `rounds_once` of all heads' scores together
};

/// Keys of which one maximum is taken, at most.
constexpr Index kMaxBin = 1024;

/// Statistics and the largest logits of a head's rows: bit for bit those of the rows that `attend` would store. A
/// weight grows with its logit, so `softmax_part` of the largest logits gives the largest weights.
class AttentionOverview {
 public:
  /// Packs the keys: as much memory as they take. What `head` points to has to stay.
  AttentionOverview(const OverviewHead& head, ThreadPool* pool);

  /// Of every `every`th query from `first` on, as many as `statistics` has places: their statistics, and for each the
  /// largest logit (scores after the mask, NaN left out) of every `bin` keys, in `maxima` [queries, bins()]. `bin` is a
  /// power of two up to kMaxBin. Returns early, unfinished, once `stopped` says so, which is asked from several
  /// threads.
  void rows(Index first, Index every, Index bin, std::span<SoftmaxStatistics> statistics, std::span<float> maxima,
            ThreadPool* pool, const std::function<bool()>& stopped) const;

  /// How many bins a row has; the last may be smaller.
  [[nodiscard]] Index bins(Index bin) const { return (head_.sizes.keys + bin - 1) / bin; }

 private:
  void rows_of_band(Index first, Index every, Index bin, std::span<SoftmaxStatistics> statistics, float* maxima) const;
  void add_block(Index query, Index first_key, Index bin, std::span<float> scores, RowStatisticsOfBlocks& row,
                 float* maxima) const;
  [[nodiscard]] bool any_kept(Index query, Index first_key, Index count) const;

  OverviewHead head_;
  Scratch packed_;
  float* keys_;  ///< a packed matrix for every kSumBlock keys
};

}  // namespace attnscope
