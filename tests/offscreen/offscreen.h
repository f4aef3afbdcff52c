// OpenGL without a screen: what the tests and benchmarks draw into.
#pragma once

#include <memory>
#include <span>

#include "core/base/result.h"
#include "platform/gl/image.h"

namespace attnscope::platform {

/// An OpenGL 3.3 core context with an RGBA8 framebuffer, made through EGL. It needs no display server: it uses Mesa's
/// surfaceless platform, or else a pbuffer of the default EGL display. Set LIBGL_ALWAYS_SOFTWARE=1 before the first one
/// is made for the same pixels on every machine.
///
/// Several may exist; each is used by one thread at a time, the one that called `bind` last.
class OffscreenContext {
 public:
  /// Makes the context, makes it current and binds its framebuffer, which starts transparent black. `width` and
  /// `height` are in pixels, from 1 to the driver's limit. Errors are one line that names the EGL step that failed, the
  /// OpenGL version found, or the size and the limit.
  static Result<OffscreenContext> create(int width, int height);

  ~OffscreenContext();
  OffscreenContext(OffscreenContext&&) noexcept;
  OffscreenContext& operator=(OffscreenContext&&) noexcept;

  /// Makes the context current in this thread, its framebuffer the target of drawing and the viewport all of it.
  void bind();

  /// Replaces the framebuffer by a transparent black one of another size and binds it. After an error the old
  /// framebuffer is still there.
  Result<void> resize(int width, int height);

  /// Fills the framebuffer with one colour.
  void clear(const Rgba& color, std::span<const ColoredArea> areas = {});

  /// What has been drawn so far, the top row first. Binds.
  Image read_pixels();

  [[nodiscard]] int width() const;
  [[nodiscard]] int height() const;

 private:
  struct State;
  explicit OffscreenContext(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace attnscope::platform
