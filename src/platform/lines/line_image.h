// Many translucent lines as one image, drawn on the CPU.
#pragma once

#include <span>

#include "platform/gl/image.h"

namespace attnscope {
class ThreadPool;
}

namespace attnscope::platform {

/// A straight line, in framebuffer pixels, from left to right: x0 < x1.
struct TranslucentLine {
  float x0 = 0;
  float y0 = 0;
  float x1 = 0;
  float y1 = 0;
  float width = 1;
  Rgba color = {0, 0, 0, 1};  ///< alpha of the line itself, however thin it is

  friend bool operator==(const TranslucentLine&, const TranslucentLine&) = default;
};

/// A rectangle of whole framebuffer pixels.
struct PixelArea {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  friend bool operator==(const PixelArea&, const PixelArea&) = default;
};

/// The lines in `area`, blended in order over a transparent background. Edges are antialiased over one pixel across the
/// line; ends are vertical. Blending is in floating point: a thousand lines with alpha 0.001 remain visible. The image
/// is the same for any number of threads.
///
/// (Software OpenGL, which checks every triangle in every screen tile, takes a hundred times as long.)
Image draw_lines(std::span<const TranslucentLine> lines, const PixelArea& area, ThreadPool* pool);

}  // namespace attnscope::platform
