// What a window's parts stand on, as few fills.
#pragma once

#include <span>
#include <vector>

#include "platform/gl/image.h"

namespace attnscope::platform {

/// A rectangle of whole pixels, [x0, x1) × [y0, y1) from the top left, of one colour.
struct Fill {
  int x0 = 0;
  int y0 = 0;
  int x1 = 0;
  int y1 = 0;
  Rgba color = {0, 0, 0, 1};
};

/// A framebuffer of one colour, and then `fills`, which do not overlap.
struct Backdrop {
  Rgba color = {0, 0, 0, 1};
  std::vector<Fill> fills;
};

/// What looks like `width` × `height` pixels of `color` with `areas` on it, the last one on top. The colour of most
/// pixels is the one that the whole framebuffer gets: a renderer clears all of it at once many times quicker than
/// parts.
Backdrop plan_backdrop(int width, int height, const Rgba& color, std::span<const ColoredArea> areas);

}  // namespace attnscope::platform
