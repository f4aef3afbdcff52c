// Whether an experiment can be computed.
#pragma once

#include "core/base/result.h"
#include "core/experiment/experiment.h"

namespace attnscope {

/// Whether the experiment can be computed: each parameter in range, all of them together (heads that divide, a mask
/// that fits), edits of cells that there are, and the tensors within `memory_budget` bytes.
Result<void> validate(const Experiment& experiment, double memory_budget = kDefaultMemoryBudget);

/// Takes out the edits of cells that are not there (any more): of tensors that are smaller, or not drawn at all.
/// Without its edits the experiment is valid.
void drop_edits_without_cell(Experiment& experiment);

/// How many heads may be switched off: those of the first layer that are merged; 0 where none are.
Index switchable_heads(const Experiment& experiment);

}  // namespace attnscope
