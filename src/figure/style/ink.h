// Roles of colours. Figures hold roles; a palette maps them to colours.
#pragma once

#include "core/base/tensor.h"

namespace attnscope {

/// The role of a colour; a `Palette` has the colour.
enum class Ink { text, dim, accent, line, control };

/// The colour of data with its opacity: a role, or one of the hues that distinguish heads and curves (counted from 0,
/// wrapping around).
struct Shade {
  Ink ink = Ink::accent;
  int hue = -1;  ///< instead of `ink`, from 0 on
  double opacity = 1;

  static constexpr Shade of(Ink ink, double opacity = 1) { return {ink, -1, opacity}; }
  static constexpr Shade of_hue(Index hue, double opacity = 1) { return {Ink::accent, static_cast<int>(hue), opacity}; }

  friend bool operator==(const Shade&, const Shade&) = default;
};

}  // namespace attnscope
