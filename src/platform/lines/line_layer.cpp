#include "platform/lines/line_layer.h"

#include <utility>

namespace attnscope::platform {

unsigned LineLayer::texture(std::vector<TranslucentLine> lines, const PixelArea& area) {
  if (texture_.name() != 0 && area == area_ && lines == lines_) return texture_.name();
  lines_ = std::move(lines);
  area_ = area;
  texture_.set(draw_lines(lines_, area_, &pool_));
  ++pictures_;
  return texture_.name();
}

}  // namespace attnscope::platform
