// Computes experiments beside the window.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "core/base/background_thread.h"
#include "core/studies/equivalence.h"

namespace attnscope {

/// Both sides of an equivalence, for a validated experiment.
struct ComparisonRequest {
  const Equivalence* equivalence = nullptr;  ///< one of `equivalences()`
  Experiment experiment;
  double memory_budget = kDefaultMemoryBudget;
};

/// One thread that computes one experiment at a time, and comparisons when no experiment waits. A newer request
/// replaces the one that waits, so that a dragged slider is never behind; what is being computed is finished if that
/// takes less than a moment, and stopped otherwise.
class ComputeWorker {
 public:
  /// `ready` is called from the worker's thread whenever there is something to take.
  explicit ComputeWorker(std::function<void()> ready, double memory_budget = kDefaultMemoryBudget);
  ~ComputeWorker();
  ComputeWorker(const ComputeWorker&) = delete;
  ComputeWorker& operator=(const ComputeWorker&) = delete;

  /// Asks for a validated experiment to be computed.
  void request(Experiment experiment);

  /// Asks for a comparison; one that waits or is under way is forgotten.
  void request(ComparisonRequest comparison);

  /// Stops what is being computed and forgets what waits.
  void cancel();

  /// Stops the comparison under way and forgets one that waits or is finished.
  void forget_comparison();

  /// The newest finished computation, once; nothing when there is none since the last call.
  std::optional<Result<std::shared_ptr<const Trace>>> take_result();

  /// Waits until there is something for `take_result`, or nothing more to wait for, but no longer than `most`. Whether
  /// there is.
  bool wait_for_result(std::chrono::microseconds most);

  /// The comparison asked for last, once it is finished; see `take_result`.
  std::optional<Result<EquivalenceResult>> take_comparison();

  /// Whether anything is being computed or waits.
  [[nodiscard]] bool busy() const;
  /// How far the computation under way is, 0 to 1.
  [[nodiscard]] float progress() const { return progress_; }

 private:
  void work(const StopToken& ending);
  /// Both take the lock, let go of it while they compute, and have it again at the end.
  void work_on_experiment(std::unique_lock<std::mutex>& lock);
  void work_on_comparison(std::unique_lock<std::mutex>& lock);
  /// Notes that something is being computed.
  Progress begin(double flops);

  std::function<void()> ready_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;  ///< with an experiment
  std::optional<Experiment> waiting_;
  std::optional<ComparisonRequest> waiting_comparison_;
  std::optional<StopSource> running_;
  double running_flops_ = 0;
  bool comparing_ = false;  ///< what is running is a comparison
  std::optional<Result<std::shared_ptr<const Trace>>> result_;
  std::optional<Result<EquivalenceResult>> comparison_;
  bool cancelled_ = false;
  bool forgotten_ = false;  ///< the comparison under way
  std::atomic<float> progress_ = 0;
  ThreadPool pool_;
  Executor runner_;  ///< used by the thread only
  BackgroundThread thread_;
};

}  // namespace attnscope
