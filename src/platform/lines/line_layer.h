// The picture of many lines on the graphics card.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/thread_pool.h"
#include "platform/lines/line_image.h"

namespace attnscope::platform {

/// Keeps the picture of the lines that were asked for last. Needs the same OpenGL context to be current whenever one of
/// its functions or its destructor runs.
class LineLayer {
 public:
  LineLayer();
  ~LineLayer();
  LineLayer(const LineLayer&) = delete;
  LineLayer& operator=(const LineLayer&) = delete;

  /// OpenGL's name of the texture that holds `lines` in `area`, alpha not premultiplied, the top row first. They are
  /// drawn if they are not those of the call before. Uses texture unit 0.
  unsigned texture(std::vector<TranslucentLine> lines, const PixelArea& area);

  /// Pictures drawn since the beginning.
  [[nodiscard]] std::uint64_t pictures() const { return pictures_; }

 private:
  struct Resident;

  std::unique_ptr<Resident> resident_;
  std::vector<TranslucentLine> lines_;
  PixelArea area_;
  std::uint64_t pictures_ = 0;
  ThreadPool pool_;
};

}  // namespace attnscope::platform
