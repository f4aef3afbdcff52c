// The backgrounds of a window's parts, in as few fills as possible.
#pragma once

#include <span>
#include <vector>

#include "platform/gl/image.h"

namespace attnscope::platform {

/// A rectangle of whole pixels, [x0, x1) × [y0, y1) from the top left, in one colour.
struct Fill {
  int x0 = 0;
  int y0 = 0;
  int x1 = 0;
  int y1 = 0;
  Rgba color = {0, 0, 0, 1};
};

/// A colour for the whole framebuffer, then `fills`, which do not overlap.
struct Backdrop {
  Rgba color = {0, 0, 0, 1};
  std::vector<Fill> fills;
};

/// Fills that look like `width` × `height` pixels of `color` with `areas` on top, the last one topmost. The whole
/// framebuffer gets the colour of most pixels: clearing all of it at once is many times faster than filling parts.
Backdrop plan_backdrop(int width, int height, const Rgba& color, std::span<const ColoredArea> areas);

}  // namespace attnscope::platform
