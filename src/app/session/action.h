// What a user can do. Panels return actions, the session applies them between frames.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/session/mask_cell.h"
#include "core/experiment/intervention.h"
#include "core/experiment/model.h"
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

/// Edits a random number, or restores it.
struct SetCell {
  std::string tensor;
  std::vector<Index> index;
  std::optional<double> value;  ///< nothing: the random number
};

/// Masks a pair of query and key, or unmasks it.
struct PaintMask {
  MaskCell cell;
  bool keep = false;
};

/// Turns a head of the first layer, counted from 0, off or on.
struct SwitchHead {
  Index head = 0;
  bool on = false;
};

/// Changes what takes the place of a part of a trained model, or masks one of its scores.
struct SetIntervention {
  Intervention part;                       ///< its kind does not count
  std::optional<Intervention::Kind> kind;  ///< nothing: the part itself
};

/// Token labels, first to last. They also set the number of tokens, where the system has such a parameter.
struct SetLabels {
  std::vector<std::string> labels;
};

/// A picture of the user's for a system that attends to pixels.
struct SetPicture {
  ColorPicture picture;
};

/// Another state of the open model, which reads the same.
struct SetModel {
  std::shared_ptr<const Model> model;  ///< not null
};

/// What a model reads: text, or the ids of tokens, "1, 2, 3", where it has no tokenizer.
struct SetText {
  int which = 1;     ///< 1: its text; 2: the second of a pair, or what its decoder is given; 3: what is patched from
  std::string text;  ///< empty as the second of a pair: there is none
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

/// Opens a step of the open lesson, counted from 0, with its experiment and view.
struct GoToStep {
  std::size_t step = 0;
};

/// Restores the current step's experiment and view.
struct BackToLesson {};

struct CloseLesson {};

/// An edit of the experiment, a step in its history, or a step of a lesson.
using Edit = std::variant<SetSystem, SetParameter, SetSeed, SetCell, PaintMask, SwitchHead, SetIntervention, SetLabels,
                          SetPicture, SetModel, SetText, SetView, SetViewOption, Undo, Redo, OpenLesson, GoToStep,
                          BackToLesson, CloseLesson>;

struct Action {
  Edit edit;
  /// Edits with the same number, unless it is 0, are one step for Undo: for example those of one drag of a slider.
  std::uint64_t gesture = 0;
};

}  // namespace attnscope
