#include "ui/parts/traces.h"

#include <utility>

#include "io/figures/figure_source.h"

namespace attnscope::ui {
namespace {

// How long a frame may wait for a computation: a small part of the frame.
constexpr std::chrono::microseconds kQuick{1000};

}  // namespace

Traces::Traces(const std::function<void()>& wake, double memory_budget) : worker_(wake, memory_budget) {}

void Traces::request(const Experiment& open) {
  const Experiment& wanted = coming_baseline_ ? *coming_baseline_ : open;
  if (requested_ && same_computation(*requested_, wanted)) return;
  requested_ = wanted;
  worker_.request(*requested_);
  requested_now_ = true;
}

void Traces::compare_with(Experiment baseline) {
  coming_baseline_ = std::move(baseline);
  requested_.reset();
}

Result<void> Traces::take(const Experiment& open) {
  Result<void> outcome;
  if (auto result = worker_.take_result()) {
    if (*result) {
      accept(std::move(**result));
    } else {
      coming_baseline_.reset();
      outcome = tl::unexpected(result->error());
    }
  }
  // Another view or other labels change no number: the same trace serves the edited experiment.
  if (trace_ && trace_->experiment() != open && same_computation(trace_->experiment(), open))
    trace_ = trace_->for_experiment(open);
  return outcome;
}

void Traces::accept(std::shared_ptr<const Trace> trace) {
  if (coming_baseline_ && same_computation(trace->experiment(), *coming_baseline_)) {
    baseline_ = std::move(trace);
    coming_baseline_.reset();
    // The baseline took the place of any waiting request: only the trace on screen is sure to be computed.
    requested_ = trace_ ? std::optional(trace_->experiment()) : std::nullopt;
    return;
  }
  trace_ = std::move(trace);
  ++trace_number_;
}

bool Traces::computed_at_once() {
  const bool requested = std::exchange(requested_now_, false);
  // The previous trace predicts the time of the next one.
  const bool is_quick = trace_ && trace_->compute_seconds() < std::chrono::duration<double>(kQuick).count();
  return requested && is_quick && worker_.wait_for_result(kQuick);
}

void Traces::cancel() {
  coming_baseline_.reset();
  worker_.cancel();
}

void Traces::set_baseline() {
  baseline_ = trace_;
  coming_baseline_.reset();
}

void Traces::remove_baseline() {
  baseline_.reset();
  coming_baseline_.reset();
}

FigureRequest Traces::figure_request(const FigureFileOptions& options) const {
  return {.trace = trace_,
          .trace_number = trace_number_,
          .view = trace_->experiment().view,
          .pinned = baseline_,
          .file = options};
}

FigureRequest Traces::figure_request(double width, double height) const {
  return {.trace = trace_,
          .trace_number = trace_number_,
          .view = trace_->experiment().view,
          .width = width,
          .height = height,
          .pinned = baseline_};
}

ExperimentSource Traces::source_of_view() const {
  return source_of_figure(trace_->experiment(), baseline_ ? &baseline_->experiment() : nullptr);
}

}  // namespace attnscope::ui
