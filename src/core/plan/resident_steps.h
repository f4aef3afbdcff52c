// Which tensors of a computation stay in memory.
#pragma once

#include <vector>

#include "core/plan/plan.h"

namespace attnscope {

/// Which steps of a plan are held in memory when no more than `memory_budget` bytes are to be used. All of them, if
/// they fit. Otherwise the largest that can be computed or read again are not, nor what is made from those; inputs and
/// weights that are drawn always are. Given matrices that are only looked at are not, wherever they are large.
std::vector<bool> resident_steps(const Plan& plan, double memory_budget);

/// Bytes and operations of the steps that are held.
Cost resident_cost(const Plan& plan, const std::vector<bool>& held);

}  // namespace attnscope
