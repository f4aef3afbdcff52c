// The user's own numbers, any box of them.
#pragma once

#include "core/compute/compute.h"
#include "core/plan/region.h"

namespace attnscope {

/// `out` [the box `region` of what the operation gives], read from where the tensors are. Where that fails,
/// `context.failure` hears of it, and `out` has no number.
void read_imported(const ImportOperation& operation, const Region& region, const StepContext& context, Tensor& out);

}  // namespace attnscope
