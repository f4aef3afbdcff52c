#include "platform/lines/line_layer.h"

#include <utility>

#include "platform/gl/gl.h"

namespace attnscope::platform {

struct LineLayer::Resident {
  Texture texture;
};

LineLayer::LineLayer() = default;
LineLayer::~LineLayer() = default;

unsigned LineLayer::texture(std::vector<TranslucentLine> lines, const PixelArea& area) {
  if (resident_ != nullptr && area == area_ && lines == lines_) return resident_->texture.name();
  if (resident_ == nullptr) resident_ = std::make_unique<Resident>();
  lines_ = std::move(lines);
  area_ = area;
  const Image image = draw_lines(lines_, area_, &pool_);
  resident_->texture.bind(0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, image.width, image.height, 0, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
  ++pictures_;
  return resident_->texture.name();
}

}  // namespace attnscope::platform
