// Many translucent lines as one picture, drawn by the processor.
#pragma once

#include <span>

#include "platform/gl/image.h"

namespace attnscope {
class ThreadPool;
}

namespace attnscope::platform {

/// A straight line, in pixels of the framebuffer. It leads to the right: x0 < x1.
struct TranslucentLine {
  float x0 = 0;
  float y0 = 0;
  float x1 = 0;
  float y1 = 0;
  float width = 1;
  Rgba color = {0, 0, 0, 1};  ///< alpha: of the line itself, however thin

  friend bool operator==(const TranslucentLine&, const TranslucentLine&) = default;
};

/// Whole pixels of the framebuffer.
struct PixelArea {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  friend bool operator==(const PixelArea&, const PixelArea&) = default;
};

/// What the lines, blended in order over nothing, look like in `area`. Edges are smoothed over one pixel across the
/// line; its ends are upright. The sums are kept in floating point: a thousand lines of one part in a thousand are not
/// lost. The same picture for any number of threads.
///
/// (A software OpenGL, which cuts the screen into tiles and looks at every triangle in each, takes a hundred times as
/// long.)
Image draw_lines(std::span<const TranslucentLine> lines, const PixelArea& area, ThreadPool* pool);

}  // namespace attnscope::platform
