#include "app/worker.h"

#include <utility>

namespace attnscope {
namespace {

// About a second of work: what takes longer is stopped when something newer is wanted; what is shorter is let finish,
// so that the picture moves during a drag instead of waiting for its end.
constexpr double kFlopsLetFinish = 2e8;

}  // namespace

ComputeWorker::ComputeWorker(std::function<void()> ready)
    : ready_(std::move(ready)), thread_([this](const std::stop_token& ending) { work(ending); }) {}

ComputeWorker::~ComputeWorker() {
  thread_.request_stop();
  cancel();
}

void ComputeWorker::request(Experiment experiment) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_ = std::move(experiment);
    if (running_ && running_flops_ > kFlopsLetFinish) running_->request_stop();
  }
  wake_.notify_one();
}

void ComputeWorker::cancel() {
  const std::scoped_lock lock(mutex_);
  waiting_.reset();
  if (running_) {
    running_->request_stop();
    cancelled_ = true;
  }
}

std::optional<Result<std::shared_ptr<const Trace>>> ComputeWorker::take_result() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(result_, std::nullopt);
}

bool ComputeWorker::busy() const {
  const std::scoped_lock lock(mutex_);
  return waiting_.has_value() || running_.has_value();
}

void ComputeWorker::work(const std::stop_token& ending) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, ending, [this] { return waiting_.has_value(); })) {
    const Experiment experiment = std::move(*waiting_);
    waiting_.reset();
    running_.emplace();
    running_flops_ = cost_of(experiment).flops;
    const Progress progress = {running_->get_token(), &progress_, running_flops_, &pool_};
    progress_ = 0;
    lock.unlock();

    Result<std::shared_ptr<const Trace>> result = run(experiment, progress);

    lock.lock();
    running_.reset();
    // Replaced by something newer: nobody asked to hear about it.
    const bool replaced = progress.stop.stop_requested() && !cancelled_;
    cancelled_ = false;
    if (!replaced) result_ = std::move(result);
    lock.unlock();
    ready_();
    lock.lock();
  }
}

}  // namespace attnscope
