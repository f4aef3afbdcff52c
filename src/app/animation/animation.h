// What an animation shows, frame by frame: a parameter that goes through values, or a lesson.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/animation/sweep.h"
#include "core/experiment/experiment.h"
#include "figure/model/figure_note.h"
#include "io/experiments/lesson_file.h"

namespace attnscope {

/// Something of an experiment that can go through values.
struct Sweepable {
  enum class Place { parameter, seed, discard, view_option };

  std::string name;  ///< as it is typed: that of the parameter; "view.heads" where the system has another "heads"
  Parameter parameter;
  Place place = Place::parameter;
  std::vector<std::string> choices;        ///< those that the experiment can have, where they have names
  std::vector<std::string> choice_labels;  ///< the same for people
};

/// All of them: the system's parameters in the order of its table, seed and discard, the options of the view. The
/// experiment's view and its options have been checked.
std::vector<Sweepable> sweepables(const Experiment& experiment);

class Animation {
 public:
  /// The experiment with one thing of it going through values. `sweep` is as it is typed: "NAME=VALUES", as
  /// `sweep_values` has it, or the NAME of a choice alone: all that the experiment can be with. What goes with it
  /// changes as it does when a slider is dragged. Each of the experiments is valid and fits into `memory_budget`; the
  /// one that is not is named, by a usage error unless it is too large.
  static Result<Animation> of_sweep(const Experiment& experiment, std::string_view sweep, double memory_budget);

  /// The steps of a lesson, each with its words, for as long as it takes to read them.
  static Result<Animation> of_lesson(std::shared_ptr<const Lesson> lesson, double memory_budget);

  [[nodiscard]] std::size_t size() const { return lesson_ != nullptr ? lesson_->steps.size() : values_.size(); }
  [[nodiscard]] Experiment experiment(std::size_t frame) const;
  /// Fails where a frame's trace has no such query, key or head as the sweep says, whose note would name it.
  [[nodiscard]] Result<void> check(const Trace& trace) const;
  /// What is said below it: "Temperature = 0.50", or the words of the step.
  [[nodiscard]] FigureNote note(std::size_t frame) const;

  /// The cell that is pinned in it.
  [[nodiscard]] std::optional<LessonCell> cell(std::size_t frame) const;

  /// "sweep temperature=0.1:2", "lesson Attention by example"
  [[nodiscard]] std::string about() const;

  /// Frames to the second of a file that has each frame `times` times.
  [[nodiscard]] double rate() const { return rate_; }
  [[nodiscard]] int times(std::size_t frame) const;
  [[nodiscard]] double seconds() const;
  /// Every frame is there once, that many to the second.
  void set_rate(double rate);

 private:
  Animation() = default;

  // Of a sweep.
  Experiment base_;
  Sweepable swept_;
  std::string sweep_;  ///< as it was typed
  std::vector<ParameterValue> values_;
  int decimals_ = 0;  ///< of numbers that are not whole

  std::shared_ptr<const Lesson> lesson_;  ///< otherwise
  bool resident_ = false;                 ///< its steps, to be read

  double rate_ = 10;
};

}  // namespace attnscope
