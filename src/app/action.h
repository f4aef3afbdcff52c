// What a user can do. Panels return actions, the session applies them between frames.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/parameter.h"
#include "figure/palette.h"

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

/// Token labels, first to last.
struct SetLabels {
  std::vector<std::string> labels;
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

/// An edit of the experiment, or a step in its history.
using Edit = std::variant<SetSystem, SetParameter, SetSeed, SetLabels, SetView, SetViewOption, Undo, Redo>;

struct Action {
  Edit edit;
  /// Edits with the same number other than 0 are one step for undo: those of one drag of a slider.
  std::uint64_t gesture = 0;
};

}  // namespace attnscope
