// What a user can do. Panels return actions, the session applies them between frames.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/session/mask_cell.h"
#include "core/experiment/parameter.h"
#include "core/experiment/picture.h"
#include "figure/style/palette.h"
#include "io/experiments/lesson_file.h"

namespace attnscope {

/// Starts over with another system's defaults.
struct SetSystem {
  std::string name;
};

struct SetParameter {
  std::string name;
  ParameterValue value;
};

struct SetSeed {
  std::uint64_t seed = 0;
};

/// Puts a number in the place of a drawn one, or takes it away again.
struct SetCell {
  std::string tensor;
  std::vector<Index> index;
  std::optional<double> value;  ///< nothing: as drawn
};

/// Keeps a pair of query and key in the mask, or hides the key from the query.
struct PaintMask {
  MaskCell cell;
  bool keep = false;
};

/// Switches a head of the first layer off, or on again; counted from 0.
struct SwitchHead {
  Index head = 0;
  bool on = false;
};

/// Token labels, first to last. They say how many tokens there are, where the system has such a parameter.
struct SetLabels {
  std::vector<std::string> labels;
};

/// A picture of the user's own for the pixels of a system that attends to them.
struct SetPicture {
  ColorPicture picture;
};

struct SetView {
  std::string name;
};

struct SetViewOption {
  std::string name;
  ParameterValue value;
};

struct Undo {};
struct Redo {};

/// Opens a lesson at its first step.
struct OpenLesson {
  std::shared_ptr<const Lesson> lesson;
};

/// Makes a step of the open lesson the current one, with its experiment and view; 0 is the first.
struct GoToStep {
  std::size_t step = 0;
};

/// Restores the current step's experiment and view.
struct BackToLesson {};

struct CloseLesson {};

/// An edit of the experiment, a step in its history, or a step of a lesson.
using Edit = std::variant<SetSystem, SetParameter, SetSeed, SetCell, PaintMask, SwitchHead, SetLabels, SetPicture,
                          SetView, SetViewOption, Undo, Redo, OpenLesson, GoToStep, BackToLesson, CloseLesson>;

struct Action {
  Edit edit;
  /// Edits with the same number other than 0 are one step for undo: those of one drag of a slider.
  std::uint64_t gesture = 0;
};

}  // namespace attnscope
