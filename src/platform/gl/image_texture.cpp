#include "platform/gl/image_texture.h"

#include "platform/gl/gl.h"

namespace attnscope::platform {

struct ImageTexture::Resident {
  Texture texture;
};

ImageTexture::ImageTexture() = default;
ImageTexture::~ImageTexture() = default;
ImageTexture::ImageTexture(ImageTexture&& other) noexcept = default;
ImageTexture& ImageTexture::operator=(ImageTexture&& other) noexcept = default;

void ImageTexture::set(const Image& image, bool smooth) {
  if (resident_ == nullptr) resident_ = std::make_unique<Resident>();
  resident_->texture.bind(0);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  const GLint filter = smooth ? GL_LINEAR : GL_NEAREST;
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, image.width, image.height, 0, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
}

unsigned ImageTexture::name() const { return resident_ == nullptr ? 0 : resident_->texture.name(); }

}  // namespace attnscope::platform
