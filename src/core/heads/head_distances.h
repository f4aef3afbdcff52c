// The distances between all pairs of heads.
#pragma once

#include <functional>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/heads/head_rows.h"

namespace attnscope {

/// [head][head]: see `head_distance`. `entropies`: of every row, [head][query], NaN for those that are left out. `pool`
/// may be null. `pauses` is asked between two pairs where the weights are held; `distances` then has those of the pairs
/// that are done, and −1 for the others, and can be given again. False if it paused, or if reading was stopped or failed.
bool compare_heads(const HeadRows& rows, const std::vector<std::vector<double>>& entropies, ThreadPool* pool,
                   const std::function<bool()>& pauses, std::vector<std::vector<double>>& distances);

}  // namespace attnscope
