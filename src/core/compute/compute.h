// The numbers of one planned step.
#pragma once

#include <cstdint>
#include <span>

#include "core/base/read_failure.h"
#include "core/base/stop.h"
#include "core/base/thread_pool.h"
#include "core/kernels/contraction.h"
#include "core/plan/plan.h"
#include "core/random/generator.h"

namespace attnscope {

/// What a step is computed with.
struct StepContext {
  std::uint64_t seed = 0;
  ThreadPool* pool = nullptr;  ///< threads to help; may be null
  StopToken stop;              ///< asked in long loops, which then leave with the rest of the result unfinished
  /// Told where given numbers cannot be read; whatever was made by then is no result. May be null.
  ReadFailure* failure = nullptr;

  /// Whether to leave with the result unfinished.
  [[nodiscard]] bool gives_up() const { return stop.stop_requested() || (failure != nullptr && failure->any()); }
};

/// Fills `out`, which has the step's axes and any content. `inputs` are the tensors of the step's inputs. For any step
/// but a draw.
void compute(const PlannedStep& step, std::span<const Tensor* const> inputs, const StepContext& context, Tensor& out);

/// Fills `out` with what the generator gives next, after throwing away what the operation says, and puts a picture and
/// the numbers that were set by hand in their places.
void draw(const DrawOperation& operation, const StepContext& context, Generator& generator, Tensor& out);

struct AttentionSteps;

/// The tensors of attention that is computed in one go; see AttentionSteps. Without a mask there is no `masked`;
/// without `outputs` nothing is made from the weights.
struct AttentionTensors {
  const Tensor* q = nullptr;
  const Tensor* k = nullptr;
  const Tensor* v = nullptr;
  Tensor* scores = nullptr;
  Tensor* masked = nullptr;
  Tensor* weights = nullptr;
  Tensor* outputs = nullptr;
};

/// Computes several steps together, a few rows of all of them at a time while those are in the cache. The numbers are
/// those of the steps one by one. `made`, which may be null, is told of the outputs.
void compute_attention(const Plan& plan, const AttentionSteps& attention, const AttentionTensors& tensors,
                       const StepContext& context, const RowSink* made);

// By operation; see operation.h.
using Inputs = std::span<const Tensor* const>;
void compute(const ContractOperation& operation, Inputs inputs, const StepContext& context, Tensor& out,
             const RowSink* made = nullptr);
void compute(const AddOperation& operation, Inputs inputs, const StepContext& context, Tensor& out);
void compute(const RearrangeOperation& operation, Inputs inputs, const StepContext& context, Tensor& out);

}  // namespace attnscope
