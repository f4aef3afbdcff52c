#include "ui/parts/traces.h"

#include <utility>

#include "io/figures/figure_source.h"

namespace attnscope::ui {
namespace {

// A small part of a frame.
constexpr std::chrono::microseconds kAtOnce{1000};

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
  Result<void> done;
  if (auto result = worker_.take_result()) {
    if (*result) {
      take(std::move(**result));
    } else {
      coming_baseline_.reset();
      done = tl::unexpected(result->error());
    }
  }
  // Labels and views need no computation.
  if (trace_ && trace_->experiment() != open && same_computation(trace_->experiment(), open))
    trace_ = trace_->for_experiment(open);
  return done;
}

void Traces::take(std::shared_ptr<const Trace> trace) {
  if (coming_baseline_ && same_computation(trace->experiment(), *coming_baseline_)) {
    baseline_ = std::move(trace);
    coming_baseline_.reset();
    requested_ = trace_ ? std::optional(trace_->experiment()) : std::nullopt;
    return;
  }
  trace_ = std::move(trace);
  ++trace_number_;
}

bool Traces::computed_at_once() {
  const bool is_quick = trace_ && trace_->compute_seconds() < std::chrono::duration<double>(kAtOnce).count();
  return std::exchange(requested_now_, false) && is_quick && worker_.wait_for_result(kAtOnce);
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
  return {trace_, trace_number_, trace_->experiment().view, 0, 0, baseline_, options};
}

FigureRequest Traces::figure_request(double width, double height) const {
  return {trace_, trace_number_, trace_->experiment().view, width, height, baseline_};
}

ExperimentSource Traces::source_of_view() const {
  return source_of_figure(trace_->experiment(), baseline_ ? &baseline_->experiment() : nullptr);
}

}  // namespace attnscope::ui
