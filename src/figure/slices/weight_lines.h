// Which weights are drawn as lines between tokens: so many that they can be told apart and painted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/stop.h"
#include "core/trace/trace.h"
#include "figure/slices/selected.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// Some of the things that there are, one after the other.
struct IndexWindow {
  Index first = 0;
  Index count = 0;
  Index of = 0;  ///< so many there are

  [[nodiscard]] bool is_all() const { return count == of; }
  [[nodiscard]] Index end() const { return first + count; }
  [[nodiscard]] bool contains(Index i) const { return i >= first && i < end(); }
  /// "queries 64 to 127 of 512", counted from `start` on.
  [[nodiscard]] std::string text(const std::string& what, Index start) const;
};

/// What is shown of a trace. Everything counts from 0.
struct WeightLines {
  SelectedAttention of;
  int step = 0;  ///< that made the weights
  Index item = 0;
  Index head = 0;  ///< the chosen one
  IndexWindow heads;
  IndexWindow queries;
  IndexWindow keys;
  Index query = -1;  ///< the chosen one; −1: all
  double mass = 1;   ///< share of a row's weight whose lines are drawn

  [[nodiscard]] bool has_one_head() const { return heads.count == 1; }
  [[nodiscard]] bool shows_query(Index i) const { return query < 0 || i == query; }
};

/// What the options of the view `lines` say. Of many tokens it is the block in which the chosen query lies, at both
/// sides where tokens look at themselves; of many heads the block with the chosen one.
WeightLines weight_lines(const Trace& trace, const ViewOptions& options);

/// The weights of the queries that are shown, all keys of them, for each head that is shown.
class WeightRows {
 public:
  /// Unfinished when `stop` was requested.
  WeightRows(const Trace& trace, const WeightLines& lines, const StopToken& stop);

  /// All weights of a query. Head and query count as in the trace.
  [[nodiscard]] std::span<const float> row(Index head, Index query) const;

 private:
  IndexWindow heads_;
  IndexWindow queries_;
  Index keys_ = 0;
  std::vector<std::shared_ptr<const Tensor>> numbers_;  ///< of each head
};

/// The same, computed once for several figures where the weights are not in memory; null when it was stopped.
std::shared_ptr<const WeightRows> weight_rows(const Trace& trace, const WeightLines& lines, const ViewOptions& options);

}  // namespace attnscope
