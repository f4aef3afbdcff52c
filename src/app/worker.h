// Computes experiments beside the window.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "core/ops.h"

namespace attnscope {

/// One thread that computes one experiment at a time. A newer request replaces the one that waits, so that a dragged
/// slider is never behind; what is being computed is finished if that takes less than a moment, and stopped otherwise.
class ComputeWorker {
 public:
  /// `ready` is called from the worker's thread whenever there is something to take.
  explicit ComputeWorker(std::function<void()> ready);
  ~ComputeWorker();
  ComputeWorker(const ComputeWorker&) = delete;
  ComputeWorker& operator=(const ComputeWorker&) = delete;

  /// Asks for a validated experiment to be computed.
  void request(Experiment experiment);

  /// Stops what is being computed and forgets what waits.
  void cancel();

  /// The newest finished computation, once; nothing when there is none since the last call.
  std::optional<Result<std::shared_ptr<const Trace>>> take_result();

  /// Whether anything is being computed or waits.
  [[nodiscard]] bool busy() const;
  /// How far the computation under way is, 0 to 1.
  [[nodiscard]] float progress() const { return progress_; }

 private:
  void work(const std::stop_token& ending);

  std::function<void()> ready_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::optional<Experiment> waiting_;
  std::optional<std::stop_source> running_;
  double running_flops_ = 0;
  std::optional<Result<std::shared_ptr<const Trace>>> result_;
  bool cancelled_ = false;
  std::atomic<float> progress_ = 0;
  ThreadPool pool_;
  std::jthread thread_;  // last: it uses everything above
};

}  // namespace attnscope
