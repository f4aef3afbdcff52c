#include "app/animation/animation_job.h"

#include <algorithm>
#include <utility>

namespace attnscope {

AnimationJob::AnimationJob(AnimationTask task, std::function<void()> wake)
    : thread_([this, task = std::move(task), wake = std::move(wake)](const std::stop_token& stop) {
        const auto report = [&](const AnimationProgress& progress) {
          {
            const std::scoped_lock lock(mutex_);
            progress_ = progress;
          }
          wake();
        };
        Result<WrittenAnimation> result = write_animation(task, stop, report);
        {
          const std::scoped_lock lock(mutex_);
          result_ = std::move(result);
        }
        wake();
      }) {}

AnimationProgress AnimationJob::progress() const {
  const std::scoped_lock lock(mutex_);
  return progress_;
}

std::optional<Result<WrittenAnimation>> AnimationJob::result() const {
  const std::scoped_lock lock(mutex_);
  return result_;
}

FrameMaker::FrameMaker(std::function<void()> ready)
    : ready_(std::move(ready)), thread_([this](const std::stop_token& ending) { work(ending); }) {}

FrameMaker::~FrameMaker() {
  thread_.request_stop();
  const std::scoped_lock lock(mutex_);
  waiting_.reset();
  if (running_) running_->request_stop();
}

void FrameMaker::request(FrameRequest request) {
  {
    const std::scoped_lock lock(mutex_);
    waiting_ = std::move(request);
  }
  wake_.notify_one();
}

std::optional<MadeFrame> FrameMaker::take() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(done_, std::nullopt);
}

bool FrameMaker::busy() const {
  const std::scoped_lock lock(mutex_);
  return waiting_.has_value() || running_.has_value() || done_.has_value();
}

void FrameMaker::work(const std::stop_token& ending) {
  std::unique_lock lock(mutex_);
  while (wake_.wait(lock, ending, [this] { return waiting_.has_value(); })) {
    FrameRequest request = *std::exchange(waiting_, std::nullopt);
    running_.emplace();
    const std::stop_token stop = running_->get_token();
    lock.unlock();

    MadeFrame made = make(std::move(request), stop);

    lock.lock();
    if (!stop.stop_requested()) done_ = std::move(made);
    running_.reset();
    lock.unlock();
    ready_();
    lock.lock();
  }
}

MadeFrame FrameMaker::make(FrameRequest request, const std::stop_token& stop) {
  const bool same = last_ && last_->experiment == request.experiment && last_->sweep == request.sweep &&
                    last_->lesson == request.lesson && last_->memory_budget == request.memory_budget;
  if (!same) {
    Result<Animation> animation = request.lesson != nullptr
                                      ? Animation::of_lesson(request.lesson, request.memory_budget)
                                      : Animation::of_sweep(request.experiment, request.sweep, request.memory_budget);
    trouble_ = animation ? "" : animation.error().message;
    animation_ = animation ? std::make_shared<const Animation>(std::move(*animation)) : nullptr;
  }
  if (!runner_ || last_->memory_budget != request.memory_budget) runner_.emplace(request.memory_budget);
  last_ = request;
  MadeFrame made = {std::move(request), animation_, std::nullopt, trouble_};
  if (animation_ == nullptr) return made;
  const FrameRequest& wanted = made.request;
  const std::size_t number = std::min(wanted.frame, animation_->size() - 1);
  const auto trace = runner_->run(animation_->experiment(number), {stop, nullptr, 0, &pool_});
  if (!trace) {
    made.trouble = trace.error().message;
    return made;
  }
  double room = 0;
  const double width = layout_size(wanted.file).width;
  for (std::size_t i = 0; wanted.note && i < animation_->size(); ++i)
    room = std::max(room, note_height(animation_->note(i), width));
  const AnimationFrame frame = {*trace, wanted.pinned.get(), &cache_, stop};
  const FigureNote note = wanted.note ? animation_->note(number) : FigureNote{};
  Result<Figure> figure = frame_height(frame, wanted.file, room).and_then([&](double height) {
    return frame_figure(frame, wanted.file, height, note, room);
  });
  if (figure) {
    made.figure = std::move(*figure);
  } else {
    made.trouble = figure.error().message;
  }
  return made;
}

}  // namespace attnscope
