// OpenGL 3.3 core, only for files of this floor: no header that other floors include may include this one.
#pragma once

#include <glad/gl.h>

#include <span>
#include <utility>

#include "platform/gl/backdrop.h"
#include "platform/gl/image.h"

namespace attnscope::platform {

/// Owns one OpenGL texture. Its context must be current when it is destroyed.
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

/// Fills the bound framebuffer of `width` × `height` pixels with one colour, then `areas` with theirs. In a software
/// renderer, much cheaper than drawing rectangles: nothing is shaded or blended.
inline void clear_framebuffer(int width, int height, const Rgba& color, std::span<const ColoredArea> areas = {}) {
  const auto clear = [](const Rgba& with) {
    glClearColor(with[0], with[1], with[2], with[3]);
    glClear(GL_COLOR_BUFFER_BIT);
  };
  const Backdrop backdrop = plan_backdrop(width, height, color, areas);
  glViewport(0, 0, width, height);
  glDisable(GL_SCISSOR_TEST);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  clear(backdrop.color);
  if (backdrop.fills.empty()) return;
  glEnable(GL_SCISSOR_TEST);
  for (const Fill& each : backdrop.fills) {
    glScissor(each.x0, height - each.y1, each.x1 - each.x0, each.y1 - each.y0);
    clear(each.color);
  }
  glDisable(GL_SCISSOR_TEST);
}

}  // namespace attnscope::platform
