// What the step of a lesson speaks of, for a class that reads it from the last row.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "figure/style/geometry.h"
#include "io/experiments/lesson_file.h"

namespace attnscope::ui {

/// The tensors whose numbers the step quotes, each once, the one of its cell first, and X, X₂, Q, K and V where it tells to
/// look at them, and the same tensor of other layers that it names: their matrices are lit and enlarged.
std::vector<std::string> tensors_of_step(const LessonStep& step);

/// What stands beside a presented step because the step speaks of it. Controls are those that its `look` names after Drag,
/// Set, Change, Choose, Switch, Try or Type.
struct BesideStep {
  std::vector<std::string> controls;  ///< parameters, in the order of the panel; "seed", "labels", "interventions"
  bool options = false;               ///< of the view
  bool text = false;                  ///< that a model reads, to be changed
  bool inspector = false;             ///< `look` speaks of it
  std::vector<Index> answers;         ///< positions of a text, from 0, at which the step quotes what the model answers
};

BesideStep beside_step(const LessonStep& step);

/// Letters have at least this height while a lesson is presented, and everything is as much larger as the window is
/// larger than `kPresentedWidth` × `kPresentedHeight`. Logical pixels.
inline constexpr double kPresentedLetters = 16;
inline constexpr double kPresentedWidth = 1280;
inline constexpr double kPresentedHeight = 720;

/// How much larger than usual everything is while presenting in a window of that size, logical pixels.
double presenting_size(double width, double height);

/// The step on screen while a lesson is presented.
class PresentedStep {
 public:
  /// What the camera was last moved for.
  struct Place {
    const LessonStep* step = nullptr;
    double figure_width = 0;
    double figure_height = 0;
    Rect first;        ///< of the first matrix that is spoken of
    double width = 0;  ///< of the panel
    double height = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };

  /// `step`: null while no lesson is presented. `all`: nothing of the figure is enlarged. Returns whether nothing is any
  /// more.
  bool set(const LessonStep* step, bool all);
  /// Whether the camera has to move: the step is another one, or the figure or its panel has another size.
  bool arrives_at(Place place);
  [[nodiscard]] const LessonStep* step() const { return step_; }
  /// What it speaks of.
  [[nodiscard]] std::span<const std::string> tensors() const { return tensors_; }
  /// Whether nothing of the figure is enlarged.
  [[nodiscard]] bool shows_all() const { return all_; }
  /// What of that is enlarged: all of it, or nothing.
  [[nodiscard]] std::span<const std::string> enlarged() const {
    return all_ ? std::span<const std::string>() : tensors_;
  }

 private:
  const LessonStep* step_ = nullptr;
  bool all_ = false;
  std::vector<std::string> tensors_;
  Place place_;
};

}  // namespace attnscope::ui
