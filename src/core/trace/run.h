// From an experiment to its trace.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/base/thread_pool.h"
#include "core/trace/trace.h"

namespace attnscope {

/// The progress of a computation, and whether it is still wanted.
struct Progress {
  StopToken stop;
  std::atomic<float>* fraction = nullptr;  ///< 0 to 1; may be null
  double total_flops = 0;                  ///< that make a `fraction` of 1
  ThreadPool* pool = nullptr;              ///< threads to help; may be null
  double done_flops = 0;                   ///< computed before, part of that total
};

/// Tensors that replace draws and constants of a computation, by name.
using Substitutions = std::map<std::string, std::shared_ptr<const Tensor>, std::less<>>;

/// Computes experiments one after the other. Steps that are the same as in the last trace are reused: after a change
/// late in the computation, only the steps from there on are computed. The memory of traces that are gone is used
/// again. One thread at a time.
class Executor {
 public:
  /// `memory_budget`: bytes of tensors beyond which the largest are not resident; see `resident_steps`.
  explicit Executor(double memory_budget = kDefaultMemoryBudget);
  ~Executor();

  /// What `run` will compute at most. `run` then reuses the plan.
  Cost prepare(const Experiment& experiment);

  /// Runs the experiment, which `validate` has accepted. Fails if it was stopped, if imported numbers cannot be read,
  /// or if memory ran out all the same. Each of the `substitutions` replaces a draw or a constant of the experiment with
  /// the same axes; the generator continues as if they had been drawn.
  Result<std::shared_ptr<const Trace>> run(const Experiment& experiment, const Progress& progress = {},
                                           const Substitutions& substitutions = {});

  /// The same for a plan that need not come from a system; `experiment` gives the seed.
  Result<std::shared_ptr<const Trace>> run(const Experiment& experiment, const std::shared_ptr<const Plan>& plan,
                                           const Progress& progress, const Substitutions& substitutions);

  /// Begins to run an experiment, for who has other things to do meanwhile; `go_on` computes it. A run that has not ended
  /// is dropped by whatever is called next instead of `go_on`.
  void begin(Experiment experiment, const Progress& progress, Substitutions substitutions = {});
  void begin(Experiment experiment, std::shared_ptr<const Plan> plan, const Progress& progress,
             Substitutions substitutions);

  /// Goes on with what was begun: until the end, or until about that time, and some milliseconds at least. The result is
  /// that of `run`; nothing: it has not ended.
  std::optional<Result<std::shared_ptr<const Trace>>> go_on(std::optional<StopClock::time_point> until = std::nullopt);

  /// Takes the trace for the last run's, as far as it draws no random numbers: the next run reuses what is the same.
  void continue_from(std::shared_ptr<const Trace> trace);

  /// Forgets all results of the last run except draws and constants: the next run computes the same experiment again
  /// from those, in the memory that this frees once nobody else uses the last trace.
  void forget_results();

  /// Steps that the last run reused from the trace before.
  [[nodiscard]] Index steps_reused() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Runs another experiment within the memory budget of `trace`, and reuses what is the same in both. Null if it was
/// stopped or failed.
std::shared_ptr<const Trace> run_beside(const Trace& trace, const Experiment& experiment, const StopToken& stop = {});

/// Runs a single experiment; see Executor.
Result<std::shared_ptr<const Trace>> run(const Experiment& experiment, const Progress& progress = {},
                                         const Substitutions& substitutions = {});

}  // namespace attnscope
