// The weights that are drawn as lines between tokens: as many as can be told apart and painted.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/stop.h"
#include "core/trace/trace.h"
#include "figure/slices/selected.h"
#include "figure/slices/view_options.h"

namespace attnscope {

/// A run of consecutive things.
struct IndexWindow {
  Index first = 0;
  Index count = 0;
  Index of = 0;  ///< their number

  [[nodiscard]] bool is_all() const { return count == of; }
  [[nodiscard]] Index end() const { return first + count; }
  [[nodiscard]] bool contains(Index i) const { return i >= first && i < end(); }
  /// "queries 65 to 128 of 512".
  [[nodiscard]] std::string text(const std::string& what) const;
};

/// The keys with a place in the figure, in order: a run of them, or the strongest ones wherever they are.
struct ShownKeys {
  std::vector<Index> keys;
  Index of = 0;  ///< their number

  [[nodiscard]] bool is_all() const { return std::ssize(keys) == of; }
  [[nodiscard]] Index count() const { return std::ssize(keys); }
  /// The place of a key; −1: it has none.
  [[nodiscard]] Index place(Index key) const;
};

/// The lines to draw. Everything counts from 0.
struct WeightLines {
  SelectedAttention of;
  int step = 0;  ///< of the weights
  Index item = 0;
  Index head = 0;  ///< the selected one
  IndexWindow heads;
  IndexWindow queries;
  ShownKeys keys;
  Index query = -1;  ///< the selected one; −1: all
  double mass = 1;   ///< share of a row's weight that the drawn lines hold

  [[nodiscard]] bool has_one_head() const { return heads.count == 1; }
  [[nodiscard]] bool shows_query(Index i) const { return query < 0 || i == query; }
};

/// The lines that the options of the view `lines` select. Of many queries, the block with the selected one or the page's; of
/// many keys, the same block in self-attention, see `strongest_keys`; of many heads, the block with the selected head.
WeightLines weight_lines(const Trace& trace, const ViewOptions& options);

/// The number of blocks of queries.
Index line_pages(const Trace& trace, const ParameterValues& options);
/// Whether there are more keys than are shown.
bool leaves_out_keys(const Trace& trace, const ParameterValues& options);

/// The weights of the shown queries over all keys, for each shown head.
class WeightRows {
 public:
  /// Unfinished when `stop` was requested.
  WeightRows(const Trace& trace, const WeightLines& lines, const StopToken& stop);

  /// All weights of a query. Head and query are positions in the trace.
  [[nodiscard]] std::span<const float> row(Index head, Index query) const;

 private:
  IndexWindow heads_;
  IndexWindow queries_;
  Index keys_ = 0;
  std::vector<std::shared_ptr<const Tensor>> numbers_;  ///< of each head
};

/// As many keys as `lines` shows: those with the largest weights in the rows of its queries and heads, wherever they are.
ShownKeys strongest_keys(const WeightLines& lines, const WeightRows& rows);

/// The rows, kept for later figures where the weights are not in memory; null when it was stopped.
std::shared_ptr<const WeightRows> weight_rows(const Trace& trace, const WeightLines& lines, const ViewOptions& options);

}  // namespace attnscope
