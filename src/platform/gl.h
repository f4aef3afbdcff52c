// OpenGL 3.3 core, for the files of this folder only: no header that other folders include may include this one.
#pragma once

#include <glad/gl.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "platform/image.h"

namespace attnscope::platform {

/// Owns one OpenGL texture name. The context it was made in must be current when it is destroyed.
class Texture {
 public:
  Texture() { glGenTextures(1, &name_); }
  ~Texture() {
    if (name_ != 0) glDeleteTextures(1, &name_);
  }
  Texture(Texture&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
  Texture& operator=(Texture&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  Texture(const Texture&) = delete;
  Texture& operator=(const Texture&) = delete;

  [[nodiscard]] GLuint name() const { return name_; }

  /// Binds to texture unit `unit`.
  void bind(unsigned unit) const {
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_2D, name_);
  }

 private:
  GLuint name_ = 0;
};

/// Fills the bound framebuffer of `width` × `height` pixels with one colour, and then `areas` of it with theirs. Much
/// cheaper than rectangles where the renderer is a processor: nothing is shaded or blended.
inline void clear_framebuffer(int width, int height, const Rgba& color, std::span<const ColoredArea> areas = {}) {
  glViewport(0, 0, width, height);
  glDisable(GL_SCISSOR_TEST);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glClearColor(color[0], color[1], color[2], color[3]);
  glClear(GL_COLOR_BUFFER_BIT);
  if (areas.empty()) return;
  glEnable(GL_SCISSOR_TEST);
  for (const ColoredArea& each : areas) {
    const auto pixel = [](double at) { return static_cast<GLint>(std::lround(at)); };
    const GLint left = pixel(each.area.x0);
    const GLint bottom = pixel(each.area.y1);
    glScissor(left, height - bottom, std::max(0, pixel(each.area.x1) - left),
              std::max(0, bottom - pixel(each.area.y0)));
    glClearColor(each.color[0], each.color[1], each.color[2], each.color[3]);
    glClear(GL_COLOR_BUFFER_BIT);
  }
  glDisable(GL_SCISSOR_TEST);
}

}  // namespace attnscope::platform
