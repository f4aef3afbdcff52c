// The computed numbers on screen: the trace of the open experiment, and of the baseline that it is compared with.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "app/jobs/figure_builder.h"
#include "app/jobs/worker.h"

namespace attnscope::ui {

class Traces {
 public:
  /// `wake` is called from the worker's thread when there is something to take.
  Traces(const std::function<void()>& wake, double memory_budget);

  /// Requests the trace of the open experiment, unless it was the last one requested. A baseline that is not computed
  /// yet goes first.
  void request(const Experiment& open);
  /// Computes a validated experiment first and makes it the baseline.
  void compare_with(Experiment baseline);
  /// Takes what was computed since the last call. The error is the computation's, one line.
  Result<void> take(const Experiment& open);
  /// Whether there is something to `take` for a request made since the last call. Waits for it, at most a millisecond,
  /// if the trace on screen took less than that.
  bool computed_at_once();
  /// Stops the computation, also that of a baseline.
  void cancel();

  /// Null until the first one is computed.
  [[nodiscard]] const std::shared_ptr<const Trace>& trace() const { return trace_; }
  /// The baseline's trace, or null.
  [[nodiscard]] const std::shared_ptr<const Trace>& baseline() const { return baseline_; }
  /// Makes the trace on screen the baseline.
  void set_baseline();
  void remove_baseline();

  /// The open view as a figure in a file; the size is in `options`. There must be a trace.
  [[nodiscard]] FigureRequest figure_request(const FigureFileOptions& options) const;
  /// The open view as a figure on screen, in logical pixels. There must be a trace.
  [[nodiscard]] FigureRequest figure_request(double width, double height) const;
  /// What a file of the open view says about its experiment. There must be a trace.
  [[nodiscard]] ExperimentSource source_of_view() const;

  /// Whether anything is being computed.
  [[nodiscard]] bool busy() const { return worker_.busy() || coming_baseline_; }
  [[nodiscard]] ComputeWorker& worker() { return worker_; }
  [[nodiscard]] const ComputeWorker& worker() const { return worker_; }

 private:
  /// Makes a finished trace the baseline if it was computed for that, otherwise the trace on screen.
  void accept(std::shared_ptr<const Trace> trace);

  std::shared_ptr<const Trace> trace_;
  std::uint64_t trace_number_ = 0;
  std::shared_ptr<const Trace> baseline_;
  std::optional<Experiment> coming_baseline_;  ///< computed first, to become the baseline
  std::optional<Experiment> requested_;        ///< the last one; nothing: the next request always computes
  bool requested_now_ = false;                 ///< something was requested since `computed_at_once` was last called
  ComputeWorker worker_;
};

}  // namespace attnscope::ui
