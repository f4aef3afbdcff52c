// Boxes of steps, computed from boxes of their inputs.
#pragma once

#include <memory>
#include <span>

#include "core/base/memory.h"
#include "core/plan/plan.h"
#include "core/plan/step_context.h"
#include "core/trace/trace.h"

namespace attnscope {

/// What has been computed so far, and how to go on.
struct ComputedSteps {
  const Plan& plan;
  std::span<const StepResult> results;  ///< of the first steps; without a tensor: to be read from its file in boxes
  const StepContext& context;
  std::shared_ptr<MemoryStore> memory;
};

/// Computes the box `region` of `step` and puts it into `whole`, the step's tensor. Boxes of inputs that have no tensor
/// are read into memory, a few megabytes at a time: the box is divided for that, which changes no bit.
void compute_box(const ComputedSteps& computed, const PlannedStep& step, const Region& region, Tensor& whole);

/// The same from inputs that are in memory.
void compute_box(const Plan& plan, const PlannedStep& step, const Region& region,
                 std::span<const std::shared_ptr<const Tensor>> inputs, const StepContext& context, Tensor& whole);

}  // namespace attnscope
