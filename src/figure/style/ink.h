// What colours are for. Figures hold these roles; a palette says which colours they are.
#pragma once

#include "core/base/tensor.h"

namespace attnscope {

/// What a colour is for; a `Palette` says which one that is.
enum class Ink { text, dim, accent, line, control };

/// The colour of data: a role, or one of the hues that tell heads and curves apart (counted from 0; after the last one
/// they begin anew), more or less of it.
struct Shade {
  Ink ink = Ink::accent;
  int hue = -1;  ///< instead of `ink`, from 0 on
  double opacity = 1;

  static constexpr Shade of(Ink ink, double opacity = 1) { return {ink, -1, opacity}; }
  static constexpr Shade of_hue(Index hue, double opacity = 1) { return {Ink::accent, static_cast<int>(hue), opacity}; }

  friend bool operator==(const Shade&, const Shade&) = default;
};

}  // namespace attnscope
