// The order in which a table has the heads.
#pragma once

#include <string>
#include <vector>

#include "core/heads/head_measures.h"

namespace attnscope {

/// Heads from 0: by "head", their number, by "similarity", such that those that are near each other stand together, or
/// by the measure of that name, the largest first, or the smallest if `up`. What does not apply comes last.
std::vector<Index> sorted_heads(const HeadMeasures& heads, const std::string& sort, bool up);

}  // namespace attnscope
