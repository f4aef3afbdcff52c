// Computes experiments in the background.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "core/base/background_loop.h"
#include "core/base/stop.h"
#include "core/studies/equivalence.h"

namespace attnscope {

/// Both sides of an equivalence, for a validated experiment.
struct ComparisonRequest {
  const Equivalence* equivalence = nullptr;  ///< one of `equivalences()`
  Experiment experiment;
  double memory_budget = kDefaultMemoryBudget;
};

/// Computes one experiment at a time in the background, and comparisons when no experiment waits. A newer request replaces
/// the waiting one, so a dragged slider never lags; the running computation finishes if it takes less than about a
/// second, and is stopped otherwise.
class ComputeWorker {
 public:
  /// `ready` is called from the background loop whenever a computation has ended; there may be nothing to take, because it
  /// was replaced.
  /// `longest`: see BackgroundLoop::longest_step.
  explicit ComputeWorker(std::function<void()> ready, double memory_budget = kDefaultMemoryBudget,
                         std::optional<StopClock::duration> longest = BackgroundLoop::longest_step());
  ~ComputeWorker();
  ComputeWorker(const ComputeWorker&) = delete;
  ComputeWorker& operator=(const ComputeWorker&) = delete;

  /// Requests a validated experiment.
  void request(Experiment experiment);

  /// Requests a comparison; an earlier one that is not finished is dropped.
  void request(ComparisonRequest comparison);

  /// Stops the running computation and drops the waiting one.
  void cancel();

  /// Drops the comparison, whether it waits, runs or is finished.
  void forget_comparison();

  /// The newest finished computation, once.
  std::optional<Result<std::shared_ptr<const Trace>>> take_result();

  /// Waits for a result of `take_result`, at most that long and while one is on its way; whether there is one.
  bool wait_for_result(std::chrono::microseconds most);

  /// The newest finished comparison, once.
  std::optional<Result<EquivalenceResult>> take_comparison();

  /// Whether anything runs or waits.
  [[nodiscard]] bool busy() const;
  /// Progress of the running computation, 0 to 1.
  [[nodiscard]] float progress() const { return progress_; }

 private:
  BackgroundLoop::Rest step();
  // The next five are called with the lock, and release it while they plan and compute.
  void begin_experiment(std::unique_lock<std::mutex>& lock);
  void begin_comparison(std::unique_lock<std::mutex>& lock);
  /// Goes on with what is running; whether it has ended.
  bool go_on(std::unique_lock<std::mutex>& lock);
  void end_experiment(Result<std::shared_ptr<const Trace>> result);
  void end_comparison(Result<EquivalenceResult> result);
  [[nodiscard]] std::optional<StopClock::time_point> end_of_step() const;
  /// Called with the lock: the running computation can be stopped from now on.
  void set_running();
  /// Called without the lock, when the planned computation's cost is known.
  Progress begin(double flops);
  /// Called with the lock: stops a long computation that a waiting experiment replaces.
  void stop_if_replaced() const;

  std::function<void()> ready_;
  mutable std::mutex mutex_;
  std::optional<Experiment> waiting_;
  std::optional<ComparisonRequest> waiting_comparison_;
  std::optional<StopSource> running_;
  double running_flops_ = 0;                    ///< 0 while the computation is planned
  std::optional<ComparisonRequest> comparing_;  ///< the running comparison
  std::optional<Result<std::shared_ptr<const Trace>>> result_;
  std::optional<Result<EquivalenceResult>> comparison_;
  bool cancelled_ = false;  ///< the user stopped the running computation
  bool forgotten_ = false;  ///< nobody wants the running comparison any more
  std::atomic<float> progress_ = 0;
  ThreadPool pool_;
  std::optional<StopClock::duration> longest_;
  // Used by the loop only.
  Executor runner_;
  std::optional<Comparison> comparison_under_way_;
  BackgroundLoop loop_;
};

}  // namespace attnscope
