// From an experiment to its trace.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/base/thread_pool.h"
#include "core/trace/trace.h"

namespace attnscope {

/// How a computation gets on, and whether it is still wanted.
struct Progress {
  StopToken stop;
  std::atomic<float>* fraction = nullptr;  ///< 0 to 1; may be null
  double total_flops = 0;                  ///< what `fraction` is measured against
  ThreadPool* pool = nullptr;              ///< threads to help; may be null
  double done_flops = 0;                   ///< what was computed before, of that total
};

/// Tensors that stand in for what a computation would draw or set constant, by name.
using Substitutions = std::map<std::string, std::shared_ptr<const Tensor>, std::less<>>;

/// Computes experiments one after the other. What is the same as in the last trace is taken from there: a change to
/// what comes late in the computation computes only from there on. The memory of traces that are gone is used again.
/// One thread at a time.
class Executor {
 public:
  /// `memory_budget`: bytes of tensors beyond which the largest are not held; see `resident_steps`.
  explicit Executor(double memory_budget = kDefaultMemoryBudget);
  ~Executor();

  /// What `run` will compute at most. It need not plan again then.
  Cost prepare(const Experiment& experiment);

  /// Runs the experiment, which `validate` has accepted. Fails when it was stopped, when given numbers
  /// cannot be read, or memory ran out all the same.
  /// Every one of the `substitutions` is a draw or a constant of the experiment with the same axes; the generator goes
  /// on as if those had been drawn.
  Result<std::shared_ptr<const Trace>> run(const Experiment& experiment, const Progress& progress = {},
                                           const Substitutions& substitutions = {});

  /// The same for a plan that need not be a system's; `experiment` gives the seed.
  Result<std::shared_ptr<const Trace>> run(const Experiment& experiment, const std::shared_ptr<const Plan>& plan,
                                           const Progress& progress, const Substitutions& substitutions);

  /// Lets go of all that the last run computed but draws and constants: the same experiment is computed anew from
  /// those, in the memory that this frees once nobody else holds the last trace.
  void forget_results();

  /// Steps that the last trace took over from the one before.
  [[nodiscard]] Index steps_reused() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs one experiment alone; see Executor.
Result<std::shared_ptr<const Trace>> run(const Experiment& experiment, const Progress& progress = {},
                                         const Substitutions& substitutions = {});

}  // namespace attnscope
