#include "app/jobs/worker.h"

#include <new>
#include <utility>

namespace attnscope {
namespace {

// About a second of work. Longer computations are stopped by a newer request; shorter ones finish, so the figure
// follows a drag instead of waiting for its end.
constexpr double kFlopsLetFinish = 2e8;

}  // namespace

ComputeWorker::ComputeWorker(std::function<void()> ready, double memory_budget,
                             std::optional<StopClock::duration> longest)
    : ready_(std::move(ready)), longest_(longest), runner_(memory_budget), loop_([this] { return step(); }) {}

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

std::optional<StopClock::time_point> ComputeWorker::end_of_step() const {
  if (!longest_) return std::nullopt;
  return StopClock::now() + *longest_;
}

BackgroundLoop::Rest ComputeWorker::step() {
  std::unique_lock lock(mutex_);
  if (!running_ && !waiting_ && !waiting_comparison_) return std::nullopt;
  if (!running_ && waiting_) {
    begin_experiment(lock);
  } else if (!running_) {
    begin_comparison(lock);
  }
  // What could not be begun has ended.
  if (running_ && !go_on(lock)) return StopClock::duration::zero();
  loop_.notify_waiting();
  lock.unlock();
  ready_();
  return StopClock::duration::zero();
}

void ComputeWorker::begin_experiment(std::unique_lock<std::mutex>& lock) {
  Experiment experiment = std::move(*waiting_);
  waiting_.reset();
  set_running();
  lock.unlock();
  bool has_begun = true;
  try {
    const Progress progress = begin(runner_.prepare(experiment).flops);
    runner_.begin(std::move(experiment), progress);
  } catch (const std::bad_alloc&) {
    has_begun = false;
  }
  lock.lock();
  if (!has_begun) end_experiment(fail("not enough memory to plan the experiment"));
}

void ComputeWorker::begin_comparison(std::unique_lock<std::mutex>& lock) {
  const ComparisonRequest request = std::move(*waiting_comparison_);
  waiting_comparison_.reset();
  set_running();
  comparing_ = request;
  forgotten_ = false;
  lock.unlock();
  Result<EquivalenceSides> sides = equivalence_sides(*request.equivalence, request.experiment, request.memory_budget);
  if (sides) comparison_under_way_.emplace(*sides, begin(equivalence_flops(*sides)));
  lock.lock();
  if (!sides) end_comparison(tl::unexpected(sides.error()));
}

bool ComputeWorker::go_on(std::unique_lock<std::mutex>& lock) {
  const auto until = end_of_step();
  if (comparing_) {
    lock.unlock();
    std::optional<Result<EquivalenceResult>> result = comparison_under_way_->go_on(until);
    if (result) comparison_under_way_.reset();
    lock.lock();
    if (result) end_comparison(std::move(*result));
  } else {
    lock.unlock();
    std::optional<Result<std::shared_ptr<const Trace>>> result = runner_.go_on(until);
    lock.lock();
    if (result) end_experiment(std::move(*result));
  }
  return !running_;
}

void ComputeWorker::end_experiment(Result<std::shared_ptr<const Trace>> result) {
  // A newer request stopped it, or came after it was cancelled: that is not worth a message.
  const bool replaced = running_->stop_requested() && (waiting_ || !cancelled_);
  running_.reset();
  cancelled_ = false;
  if (!replaced) result_ = std::move(result);
}

void ComputeWorker::end_comparison(Result<EquivalenceResult> result) {
  // A newer experiment comes first, and then this comparison again, unless another one was requested.
  const bool put_off = running_->stop_requested() && !cancelled_ && !forgotten_;
  running_.reset();
  if (put_off && !waiting_comparison_) waiting_comparison_ = std::move(comparing_);
  comparing_.reset();
  if (!put_off && !forgotten_) comparison_ = std::move(result);
  cancelled_ = false;
}

}  // namespace attnscope
