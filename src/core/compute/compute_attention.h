// Attention computed in one go: several steps, a few rows of all of them at a time.
#pragma once

#include "core/compute/attention_steps.h"
#include "core/kernels/contraction.h"
#include "core/plan/step_context.h"

namespace attnscope {

/// The tensors of the steps. Without a mask there is no `masked`; without `outputs` nothing is made from the weights.
struct AttentionTensors {
  const Tensor* q = nullptr;
  const Tensor* k = nullptr;
  const Tensor* v = nullptr;
  Tensor* scores = nullptr;
  bool hidden_later = false;  ///< skips most scores that the mask hides: their memory keeps its content
  Tensor* masked = nullptr;
  Tensor* weights = nullptr;
  Tensor* outputs = nullptr;
};

/// Computes the steps while their rows are in the cache: those of `rows`, a box of the scores with all of their keys. The
/// numbers are those of the steps one by one. `made`, which may be null, is told of the outputs.
void compute_attention(const Plan& plan, const AttentionSteps& attention, const AttentionTensors& tensors,
                       const Region& rows, const StepContext& context, const RowSink* made);

}  // namespace attnscope
