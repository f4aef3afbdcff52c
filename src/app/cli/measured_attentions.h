// What `attnscope metrics` prints: the measured attentions, and their heads in the order that was asked for.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/head_table.h"

namespace attnscope {

/// Tables of all heads, of how they depend on each other, and what the measures mean. `detailed`: with the distances of
/// heads and what the layers read of each other.
std::string measured_text(const std::vector<MeasuredAttention>& attentions, const HeadRanking& ranking, bool detailed);

/// One line per head, then uniform attention of each attention.
std::string measured_csv(const std::vector<MeasuredAttention>& attentions, const HeadRanking& ranking);

/// One object per attention, each with those of its heads that are ranked, in their order.
nlohmann::ordered_json measured_json(const std::vector<MeasuredAttention>& attentions, const HeadRanking& ranking);

}  // namespace attnscope
