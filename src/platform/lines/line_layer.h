// An image of many lines on the graphics card.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/thread_pool.h"
#include "platform/gl/image_texture.h"
#include "platform/lines/line_image.h"

namespace attnscope::platform {

/// Caches the image of the last requested lines. Its OpenGL context must be current in all functions and the
/// destructor.
class LineLayer {
 public:
  /// The OpenGL texture with `lines` in `area`, alpha not premultiplied, top row first. Draws only if they differ from
  /// the previous call. Uses texture unit 0.
  unsigned texture(std::vector<TranslucentLine> lines, const PixelArea& area);

  /// Number of images drawn so far.
  [[nodiscard]] std::uint64_t pictures() const { return pictures_; }

 private:
  ImageTexture texture_;
  std::vector<TranslucentLine> lines_;
  PixelArea area_;
  std::uint64_t pictures_ = 0;
  ThreadPool pool_;
};

}  // namespace attnscope::platform
