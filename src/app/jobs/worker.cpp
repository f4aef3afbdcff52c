#include "app/jobs/worker.h"

#include <utility>

namespace attnscope {
namespace {

// About a second of work. Longer computations are stopped by a newer request; shorter ones finish, so the figure
// follows a drag instead of waiting for its end.
constexpr double kFlopsLetFinish = 2e8;

}  // namespace

ComputeWorker::ComputeWorker(std::function<void()> ready, double memory_budget)
    : ready_(std::move(ready)), runner_(memory_budget), loop_([this] { return step(); }) {}

ComputeWorker::~ComputeWorker() { cancel(); }

void ComputeWorker::request(Experiment experiment) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_ = std::move(experiment);
    stop_if_replaced();
  }
  loop_.wake();
}

void ComputeWorker::request(ComparisonRequest comparison) {
  forget_comparison();
  {
    const std::scoped_lock lock(mutex_);
    waiting_comparison_ = std::move(comparison);
  }
  loop_.wake();
}

void ComputeWorker::cancel() {
  const std::scoped_lock lock(mutex_);
  waiting_.reset();
  waiting_comparison_.reset();
  if (running_) {
    running_->request_stop();
    cancelled_ = true;
  }
}

void ComputeWorker::forget_comparison() {
  const std::scoped_lock lock(mutex_);
  waiting_comparison_.reset();
  comparison_.reset();
  if (running_ && comparing_) {
    running_->request_stop();
    forgotten_ = true;
  }
}

std::optional<Result<std::shared_ptr<const Trace>>> ComputeWorker::take_result() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(result_, std::nullopt);
}

std::optional<Result<EquivalenceResult>> ComputeWorker::take_comparison() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(comparison_, std::nullopt);
}

bool ComputeWorker::wait_for_result(std::chrono::microseconds most) {
  std::unique_lock lock(mutex_);
  loop_.wait(lock, most, [this] { return result_.has_value() || !(waiting_ || running_); });
  return result_.has_value();
}

bool ComputeWorker::busy() const {
  const std::scoped_lock lock(mutex_);
  return waiting_.has_value() || waiting_comparison_.has_value() || running_.has_value();
}

void ComputeWorker::set_running() {
  running_.emplace();
  running_flops_ = 0;
  progress_ = 0;
}

Progress ComputeWorker::begin(double flops) {
  const std::scoped_lock lock(mutex_);
  running_flops_ = flops;
  // A request that came during the planning could not know whether this is long.
  stop_if_replaced();
  return {running_->token(), &progress_, flops, &pool_};
}

void ComputeWorker::stop_if_replaced() const {
  if (waiting_ && running_ && running_flops_ > kFlopsLetFinish) running_->request_stop();
}

BackgroundLoop::Rest ComputeWorker::step() {
  std::unique_lock lock(mutex_);
  if (waiting_.has_value()) {
    work_on_experiment(lock);
  } else if (waiting_comparison_.has_value()) {
    work_on_comparison(lock);
  } else {
    return std::nullopt;
  }
  lock.unlock();
  ready_();
  return StopClock::duration::zero();
}

void ComputeWorker::work_on_experiment(std::unique_lock<std::mutex>& lock) {
  const Experiment experiment = std::move(*waiting_);
  waiting_.reset();
  set_running();
  lock.unlock();

  const Progress progress = begin(runner_.prepare(experiment).flops);
  Result<std::shared_ptr<const Trace>> result = runner_.run(experiment, progress);

  lock.lock();
  running_.reset();
  // A newer request stopped it, or came after it was cancelled: that is not worth a message.
  const bool replaced = progress.stop.stop_requested() && (waiting_ || !cancelled_);
  cancelled_ = false;
  if (!replaced) result_ = std::move(result);
  loop_.notify_waiting();
}

Result<EquivalenceResult> ComputeWorker::compute(const ComparisonRequest& request) {
  const Result<EquivalenceSides> sides =
      equivalence_sides(*request.equivalence, request.experiment, request.memory_budget);
  if (!sides) return tl::unexpected(sides.error());
  return compare(*sides, begin(equivalence_flops(*sides)));
}

void ComputeWorker::work_on_comparison(std::unique_lock<std::mutex>& lock) {
  const ComparisonRequest request = std::move(*waiting_comparison_);
  waiting_comparison_.reset();
  set_running();
  comparing_ = true;
  forgotten_ = false;
  lock.unlock();

  Result<EquivalenceResult> result = compute(request);

  lock.lock();
  // A newer experiment comes first, and then this comparison again, unless another one was requested.
  const bool put_off = running_->stop_requested() && !cancelled_ && !forgotten_;
  running_.reset();
  comparing_ = false;
  if (put_off && !waiting_comparison_) waiting_comparison_ = request;
  if (!put_off && !forgotten_) comparison_ = std::move(result);
  cancelled_ = false;
}

}  // namespace attnscope
