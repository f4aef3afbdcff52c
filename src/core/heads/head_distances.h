// The distances between all pairs of heads.
#pragma once

#include <vector>

#include "core/base/thread_pool.h"
#include "core/heads/head_rows.h"

namespace attnscope {

/// [head][head]: see `head_distance`. `entropies`: of every row, [head][query], NaN for those that are left out. `pool`
/// may be null. False if reading was stopped or failed.
bool compare_heads(const HeadRows& rows, const std::vector<std::vector<double>>& entropies, ThreadPool* pool,
                   std::vector<std::vector<double>>& distances);

}  // namespace attnscope
