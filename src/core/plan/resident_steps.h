// Which tensors of a computation stay in memory.
#pragma once

#include <vector>

#include "core/plan/plan.h"

namespace attnscope {

/// Which steps of a plan stay in memory when at most `memory_budget` bytes may be used: all of them, if they fit.
/// Otherwise the largest that can be computed or read again are left out, and everything made from those; drawn inputs
/// and weights always stay. Large imported matrices that nothing is computed from are left out in any case. Of a trained
/// model, its weights are left out first; what is computed from them stays.
std::vector<bool> resident_steps(const Plan& plan, double memory_budget);

/// The most bytes that others have at once while the resident steps are computed: they are made for a step that reads them
/// whole, and let go behind it.
double passing_bytes(const Plan& plan, const std::vector<bool>& held);

/// Bytes and operations of the resident steps.
Cost resident_cost(const Plan& plan, const std::vector<bool>& held);

}  // namespace attnscope
