// The order of the heads in a table.
#pragma once

#include <string>
#include <vector>

#include "core/heads/head_measures.h"

namespace attnscope {

/// Heads, from 0, sorted by "head", their number, by "similarity", with similar heads next to each other, or by the
/// measure of that name: the largest first, or the smallest if `up`. Heads without that measure come last.
std::vector<Index> sorted_heads(const HeadMeasures& heads, const std::string& sort, bool up);

}  // namespace attnscope
