#include "app/animation/animation_job.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/base/stop.h"

namespace attnscope {

AnimationJob::AnimationJob(AnimationTask task, std::function<void()> wake)
    : task_(
          [this, task = std::move(task), wake](const StopToken& stop) {
            const auto report = [&](const AnimationProgress& progress) {
              {
                const std::scoped_lock lock(mutex_);
                progress_ = progress;
              }
              wake();
            };
            return write_animation(task, stop, report);
          },
          wake) {}

AnimationProgress AnimationJob::progress() const {
  const std::scoped_lock lock(mutex_);
  return progress_;
}

// A frame takes a moment: what is under way is let finish.
FrameMaker::FrameMaker(std::function<void()> ready)
    : job_({[this](const FrameRequest& request, const StopToken& stop) {
              try {
                return make(request, stop);
              } catch (const std::bad_alloc&) {
                return MadeFrame{request, nullptr, std::nullopt, "there is not enough memory for this frame"};
              }
            },
            [](const FrameRequest&, const FrameRequest&) { return std::optional<StopClock::duration>(); },
            std::move(ready)}) {}

MadeFrame FrameMaker::make(FrameRequest request, const StopToken& stop) {
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
  if (const Result<void> there = animation_->check(**trace); !there) {
    made.trouble = there.error().message;
    return made;
  }
  const FontScope font(wanted.file.font);  // of the notes
  double room = 0;
  const double width = layout_size(wanted.file).width;
  for (std::size_t i = 0; wanted.note && i < animation_->size(); ++i)
    room = std::max(room, note_height(animation_->note(i), width));
  const AnimationFrame frame = {*trace, wanted.pinned.get(), &cache_, stop, animation_->cell(number)};
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
