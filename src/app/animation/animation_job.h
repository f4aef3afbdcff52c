// Animations beside the window: a frame to look at, and all of them on their way to files.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/animation/animation_writer.h"

namespace attnscope {

/// Writes an animation in a thread of its own.
class AnimationJob {
 public:
  /// `wake` is called from the thread when it has got on, and at the end.
  AnimationJob(AnimationTask task, std::function<void()> wake);
  /// Stops it and waits for that.
  ~AnimationJob() = default;
  AnimationJob(const AnimationJob&) = delete;
  AnimationJob& operator=(const AnimationJob&) = delete;

  /// It ends soon, and leaves nothing behind.
  void cancel() { thread_.request_stop(); }
  [[nodiscard]] bool cancelled() const { return thread_.get_stop_token().stop_requested(); }
  [[nodiscard]] AnimationProgress progress() const;
  /// What has become of it, once it has ended.
  [[nodiscard]] std::optional<Result<WrittenAnimation>> result() const;

 private:
  mutable std::mutex mutex_;
  AnimationProgress progress_;
  std::optional<Result<WrittenAnimation>> result_;
  std::jthread thread_;  // last: it uses what stands above
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
  ~FrameMaker();
  FrameMaker(const FrameMaker&) = delete;
  FrameMaker& operator=(const FrameMaker&) = delete;

  void request(FrameRequest request);
  /// The newest frame, once.
  std::optional<MadeFrame> take();
  [[nodiscard]] bool busy() const;

 private:
  void work(const std::stop_token& ending);
  [[nodiscard]] MadeFrame make(FrameRequest request, const std::stop_token& stop);

  std::function<void()> ready_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::optional<FrameRequest> waiting_;
  std::optional<std::stop_source> running_;
  std::optional<MadeFrame> done_;

  // The thread's alone.
  std::optional<FrameRequest> last_;
  std::shared_ptr<const Animation> animation_;
  std::string trouble_;
  std::optional<Runner> runner_;
  ThreadPool pool_;
  ViewCache cache_;
  std::jthread thread_;  // last: it uses what stands above
};

}  // namespace attnscope
