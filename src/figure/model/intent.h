// What a click or a drag on a mark asks for, as data: a view says it, the window carries it out.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/experiment/parameter.h"

namespace attnscope {

/// Sets options of the view that shows the figure.
struct SetOptions {
  ParameterValues values;

  friend bool operator==(const SetOptions&, const SetOptions&) = default;
};

/// Switches a head of the first layer off, or on again.
struct ToggleHead {
  Index head = 0;  ///< from 0

  friend bool operator==(const ToggleHead&, const ToggleHead&) = default;
};

/// Opens a view with these options; its others stay as they were.
struct OpenView {
  std::string view;
  ParameterValues values;

  friend bool operator==(const OpenView&, const OpenView&) = default;
};

/// Puts another state of its training in place of the open model, with the same text, and then opens a view.
struct OpenCheckpoint {
  std::string folder;
  std::optional<OpenView> view;  ///< nothing: the open view stays

  friend bool operator==(const OpenCheckpoint&, const OpenCheckpoint&) = default;
};

/// What a click asks for; `std::monostate`: nothing.
using ClickIntent = std::variant<std::monostate, SetOptions, ToggleHead, OpenView, OpenCheckpoint>;

/// The mark stands for a token in an order of tokens. Dragged onto another such mark, the two tokens swap places.
struct SwapTokens {
  std::string option;  ///< of the view: it holds the order, as `full_order` reads it
  Index place = 0;     ///< of the token in that order, from 0

  friend bool operator==(const SwapTokens&, const SwapTokens&) = default;
};

/// The mark is the tip of an arrow whose coordinates are numbers of a tensor. A drag changes them.
struct MoveTip {
  std::string tensor;
  std::vector<std::vector<Index>> cells;  ///< of the coordinates: across, and up unless there is only one
  double unit = 1;                        ///< pixels of the figure for 1
};

}  // namespace attnscope
