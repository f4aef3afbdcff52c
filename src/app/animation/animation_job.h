// Animations beside the window: a frame to look at, and all of them on their way to files.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "app/animation/animation_writer.h"
#include "app/jobs/background_task.h"
#include "app/jobs/latest_job.h"
#include "core/base/stop.h"

namespace attnscope {

/// Writes an animation in a thread of its own.
class AnimationJob {
 public:
  /// `wake` is called from the thread when it has got on, and at the end.
  AnimationJob(AnimationTask task, std::function<void()> wake);

  /// It ends soon, and leaves nothing behind.
  void cancel() { task_.cancel(); }
  [[nodiscard]] bool cancelled() const { return task_.cancelled(); }
  [[nodiscard]] AnimationProgress progress() const;
  /// What has become of it, once it has ended.
  [[nodiscard]] std::optional<Result<WrittenAnimation>> result() const { return task_.result(); }

 private:
  mutable std::mutex mutex_;  ///< of the progress
  AnimationProgress progress_;
  BackgroundTask<Result<WrittenAnimation>> task_;  // last: it uses what stands above
};

/// What a frame to look at is made of.
struct FrameRequest {
  Experiment experiment;
  std::string sweep;                               ///< as `Animation::of_sweep` has it
  std::shared_ptr<const Lesson> lesson = nullptr;  ///< instead of that, unless null
  std::size_t frame = 0;                           ///< behind the last one: that
  FigureFileOptions file = {};                     ///< in range
  bool note = true;
  std::shared_ptr<const Trace> pinned = nullptr;
  double memory_budget = kDefaultMemoryBudget;

  friend bool operator==(const FrameRequest&, const FrameRequest&) = default;
};

struct MadeFrame {
  FrameRequest request;
  std::shared_ptr<const Animation> animation;  ///< null where there is none
  std::optional<Figure> figure;                ///< the page, as high as this frame alone needs it
  std::string trouble;                         ///< one line, where one of them is missing
};

/// A thread that makes one frame after the other. The newest request wins.
class FrameMaker {
 public:
  /// `ready` is called from the thread when a frame is made.
  explicit FrameMaker(std::function<void()> ready);

  void request(FrameRequest request) { job_.request(std::move(request)); }
  /// The newest frame, once.
  std::optional<MadeFrame> take() { return job_.take(); }
  [[nodiscard]] bool busy() const { return job_.busy() || job_.has_result(); }

 private:
  [[nodiscard]] MadeFrame make(FrameRequest request, const StopToken& stop);

  // The thread's alone.
  std::optional<FrameRequest> last_;
  std::shared_ptr<const Animation> animation_;
  std::string trouble_;
  std::optional<Executor> runner_;
  ThreadPool pool_;
  ViewCache cache_;

  LatestJob<FrameRequest, MadeFrame> job_;  // last: it uses what stands above
};

}  // namespace attnscope
