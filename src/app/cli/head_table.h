// The heads of several attentions in one table, in the order that was asked for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/heads/head_measures.h"

namespace attnscope {

struct MeasuredAttention {
  HeadMeasures measures;
  std::optional<Index> layer;  ///< from 1; nothing for an attention that is none of several layers
  Index items = 1;             ///< how many batch items the measures are the means of
  /// [head]: standard deviations over the items; empty if only one item is measured.
  std::vector<MeasureRow> spread = {};
  MeasureRow uniform_spread = {};
};

/// A head of one of several attentions; both from 0.
struct PlacedHead {
  std::size_t attention = 0;
  std::size_t head = 0;
};

/// The heads to print. `winners`: how many of the first ones have the largest value of the measure they are sorted by,
/// to four decimals; 0 if they are not sorted, or if all heads have the same value.
struct HeadRanking {
  std::optional<std::size_t> measure;  ///< of `measures()`
  bool applies = false;                ///< whether any head has that measure
  std::vector<PlacedHead> heads;
  std::size_t winners = 0;
};

/// All heads in the order of the computation, or by a measure, largest first and those without it last; only the first
/// `most` of them, if that is not 0.
HeadRanking ranked_heads(const std::vector<MeasuredAttention>& attentions, std::optional<std::size_t> measure,
                         Index most);

/// The row of the table that each head has for some of its values.
struct TableRow {
  std::string title;                                           ///< "mean"
  const std::vector<MeasuredAttention>* attentions = nullptr;  ///< as long as the table is made
  int decimals = 4;
};

/// The table of the ranked heads, in the order of the ranking, and of uniform attention: once for all attentions where it
/// is the same. Each head has one row for each of `rows`, whose titles stand beside them if there are several.
std::string head_table_text(std::span<const TableRow> rows, const HeadRanking& ranking);

/// A value in the table: "0.2500", "–" for none.
std::string table_value(const std::optional<double>& value, int decimals = 4);

/// The definitions of the measures.
std::string measure_legend();

}  // namespace attnscope
