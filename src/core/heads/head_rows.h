// The weights of the heads of one attention, row by row, wherever they are.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/base/read_failure.h"
#include "core/base/stop.h"
#include "core/plan/region.h"
#include "core/trace/trace.h"

namespace attnscope {

/// Weights computed or read at a time: 16 MB.
inline constexpr Index kWeightsAtOnce = Index{1} << 22U;

/// The heads along the axis of that name; 1 without one.
Index heads_in(const Axes& axes);

/// Reads the weights of the heads of one attention, for one batch item.
class HeadRows {
 public:
  HeadRows(const Trace& trace, int position, Index item, const StopToken& stop);

  [[nodiscard]] const Step& step() const { return trace_.step(position_); }
  [[nodiscard]] Index heads() const { return heads_in(step().axes); }
  [[nodiscard]] Index queries() const { return step().axes[step().axes.size() - 2].size; }
  [[nodiscard]] Index keys() const { return step().axes.back().size; }
  [[nodiscard]] std::vector<Index> leading(Index head) const { return leading_index(step().axes, 2, head, item_); }

  /// Whether reading was stopped or has failed.
  [[nodiscard]] bool ended() const { return context_.gives_up(); }

  /// Whether all weights are in memory: then any number of threads may ask for rows.
  [[nodiscard]] bool held() const { return !held_.empty(); }
  /// The weights of a query, where they are held.
  [[nodiscard]] std::span<const float> row(Index head, Index query) const;

  /// [1…, query, key]: a range of queries and keys of a head; arbitrary once `ended`.
  [[nodiscard]] std::shared_ptr<const Tensor> block(Index head, Index first, Index count, Index key, Index width) const;

  /// Calls `take(query, weights)` for the queries of a head, in order. False once it `ended`.
  template <typename Take>
  bool each_row(Index head, const Take& take) const {
    return each_row(head, 0, queries(), take);
  }
  /// The same for the queries from `begin` to before `end`.
  template <typename Take>
  bool each_row(Index head, Index begin, Index end, const Take& take) const {
    if (held()) {
      for (Index query = begin; query < end; ++query) take(query, row(head, query));
      return !ended();
    }
    const Index at_once = std::max<Index>(1, kWeightsAtOnce / std::max<Index>(1, keys()));
    const auto width = static_cast<std::size_t>(keys());
    for (Index first = begin; first < end; first += at_once) {
      const Index count = std::min(at_once, end - first);
      const std::shared_ptr<const Tensor> numbers = block(head, first, count, 0, keys());
      if (ended()) return false;
      for (Index i = 0; i < count; ++i)
        take(first + i, numbers->values().subspan(static_cast<std::size_t>(i) * width, width));
    }
    return !ended();
  }

 private:
  const Trace& trace_;
  int position_;
  Index item_;
  mutable ReadFailure failure_;
  StepContext context_;
  std::vector<std::shared_ptr<const Tensor>> held_;  ///< [head]; empty: too many to hold
};

}  // namespace attnscope
