// What `attnscope metrics` prints: the measured attentions, and their heads in the order that was asked for.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/heads/head_measures.h"

namespace attnscope {

struct MeasuredAttention {
  HeadMeasures measures;
  std::optional<Index> layer;  ///< from 1; nothing for an attention that is none of several layers
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

/// Tables of all heads, of how they depend on each other, and what the measures mean. `detailed`: with the distances of
/// heads and what the layers read of each other.
std::string measured_text(const std::vector<MeasuredAttention>& attentions, const HeadRanking& ranking, bool detailed);

/// One line per head, then uniform attention of each attention.
std::string measured_csv(const std::vector<MeasuredAttention>& attentions, const HeadRanking& ranking);

/// One object per attention, each with those of its heads that are ranked, in their order.
nlohmann::ordered_json measured_json(const std::vector<MeasuredAttention>& attentions, const HeadRanking& ranking);

}  // namespace attnscope
