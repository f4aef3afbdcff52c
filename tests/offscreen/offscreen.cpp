#include "offscreen/offscreen.h"

#define EGL_NO_X11  // the surfaceless platform needs none of X11's headers, nor their macros
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "platform/gl/gl.h"

namespace attnscope::platform {
namespace {

struct Framebuffer {
  GLuint name = 0;
  GLuint color = 0;  // texture
};

std::string egl_error_text() {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const auto code = static_cast<unsigned>(eglGetError());
  std::string text = "EGL error 0x";
  for (int shift = 12; shift >= 0; shift -= 4) text += digits[(code >> static_cast<unsigned>(shift)) & 0xFU];
  return text;
}

/// An initialised display: Mesa's surfaceless one where there is one, the default one otherwise. It is never
/// terminated, because every context of the process shares it.
EGLDisplay open_display() {
  const char* extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
  const std::string_view known = extensions != nullptr ? extensions : "";
  if (known.find("EGL_MESA_platform_surfaceless") != std::string_view::npos) {
    const auto get_display =
        reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    if (get_display != nullptr) {
      EGLDisplay display = get_display(EGL_PLATFORM_SURFACELESS_MESA, nullptr, nullptr);
      if (display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr) == EGL_TRUE) return display;
    }
  }
  EGLDisplay display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
  if (display != EGL_NO_DISPLAY && eglInitialize(display, nullptr, nullptr) == EGL_TRUE) return display;
  return EGL_NO_DISPLAY;
}

Result<void> check_size(int width, int height) {
  GLint limit = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &limit);
  if (width >= 1 && height >= 1 && width <= limit && height <= limit) return {};
  return fail("a framebuffer of " + std::to_string(width) + " × " + std::to_string(height) +
              " pixels cannot be made: each side must be from 1 to " + std::to_string(limit));
}

void delete_framebuffer(const Framebuffer& framebuffer) {
  glDeleteFramebuffers(1, &framebuffer.name);
  glDeleteTextures(1, &framebuffer.color);
}

Result<Framebuffer> make_framebuffer(int width, int height) {
  if (Result<void> fits = check_size(width, height); !fits) return fail(fits.error().message);
  Framebuffer made;
  glGenTextures(1, &made.color);
  glBindTexture(GL_TEXTURE_2D, made.color);
  // Blue first, as windows have it: Mesa draws triangles quicker into that order. A renderbuffer's cannot be chosen.
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glBindTexture(GL_TEXTURE_2D, 0);
  glGenFramebuffers(1, &made.name);
  glBindFramebuffer(GL_FRAMEBUFFER, made.name);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, made.color, 0);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    delete_framebuffer(made);
    return fail("the driver cannot draw into a framebuffer of " + std::to_string(width) + " × " +
                std::to_string(height) + " pixels");
  }
  clear_framebuffer(width, height, {0, 0, 0, 0});
  return made;
}

}  // namespace

struct OffscreenContext::State {
  EGLDisplay display = EGL_NO_DISPLAY;
  EGLSurface surface = EGL_NO_SURFACE;
  EGLContext context = EGL_NO_CONTEXT;
  Framebuffer framebuffer;
  int width = 0;
  int height = 0;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  ~State() {
    if (context != EGL_NO_CONTEXT) {
      const bool another_is_current = eglGetCurrentContext() != context;
      EGLContext previous = eglGetCurrentContext();
      EGLSurface previous_surface = eglGetCurrentSurface(EGL_DRAW);
      eglMakeCurrent(display, surface, surface, context);
      if (framebuffer.name != 0) delete_framebuffer(framebuffer);
      // Leave the thread as it was found, or with no context when this one was current.
      if (another_is_current && previous != EGL_NO_CONTEXT) {
        eglMakeCurrent(display, previous_surface, previous_surface, previous);
      } else {
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
      }
      eglDestroyContext(display, context);
    }
    if (surface != EGL_NO_SURFACE) eglDestroySurface(display, surface);
  }

  Result<void> make_context();
};

Result<void> OffscreenContext::State::make_context() {
  display = open_display();
  if (display == EGL_NO_DISPLAY) return fail("no EGL display can be opened: " + egl_error_text());
  if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) return fail("EGL offers no desktop OpenGL: " + egl_error_text());

  const EGLint config_wish[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
  EGLConfig config = nullptr;
  EGLint found = 0;
  if (eglChooseConfig(display, config_wish, &config, 1, &found) != EGL_TRUE || found < 1) {
    return fail("EGL has no configuration for OpenGL without a window: " + egl_error_text());
  }
  const EGLint context_wish[] = {
      EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
      EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
  context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wish);
  if (context == EGL_NO_CONTEXT) return fail("EGL makes no OpenGL 3.3 core context: " + egl_error_text());

  // Where a context cannot be current without a surface, a pbuffer that nothing is drawn into stands in.
  if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) != EGL_TRUE) {
    const EGLint one_pixel[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    surface = eglCreatePbufferSurface(display, config, one_pixel);
    if (surface == EGL_NO_SURFACE || eglMakeCurrent(display, surface, surface, context) != EGL_TRUE) {
      return fail("the EGL context cannot be made current: " + egl_error_text());
    }
  }
  const int version = gladLoadGL(eglGetProcAddress);
  if (version < GLAD_MAKE_VERSION(3, 3)) {
    return fail("needs OpenGL 3.3, found " + std::to_string(GLAD_VERSION_MAJOR(version)) + "." +
                std::to_string(GLAD_VERSION_MINOR(version)) + "; LIBGL_ALWAYS_SOFTWARE=1 uses the software renderer");
  }
  return {};
}

OffscreenContext::OffscreenContext(std::unique_ptr<State> state) : state_(std::move(state)) {}
OffscreenContext::~OffscreenContext() = default;
OffscreenContext::OffscreenContext(OffscreenContext&&) noexcept = default;
OffscreenContext& OffscreenContext::operator=(OffscreenContext&&) noexcept = default;

Result<OffscreenContext> OffscreenContext::create(int width, int height) {
  auto state = std::make_unique<State>();
  if (Result<void> made = state->make_context(); !made) return fail(made.error().message);
  OffscreenContext offscreen(std::move(state));
  if (Result<void> made = offscreen.resize(width, height); !made) return fail(made.error().message);
  return offscreen;
}

void OffscreenContext::bind() {
  eglBindAPI(EGL_OPENGL_API);
  eglMakeCurrent(state_->display, state_->surface, state_->surface, state_->context);
  glBindFramebuffer(GL_FRAMEBUFFER, state_->framebuffer.name);
  glViewport(0, 0, state_->width, state_->height);
}

Result<void> OffscreenContext::resize(int width, int height) {
  bind();
  const Result<Framebuffer> made = make_framebuffer(width, height);
  if (!made) {
    bind();
    return fail(made.error().message);
  }
  const Framebuffer old = std::exchange(state_->framebuffer, *made);
  if (old.name != 0) delete_framebuffer(old);
  state_->width = width;
  state_->height = height;
  bind();
  return {};
}

void OffscreenContext::clear(const Rgba& color, std::span<const ColoredArea> areas) {
  bind();
  clear_framebuffer(state_->width, state_->height, color, areas);
}

Image OffscreenContext::read_pixels() {
  bind();
  const std::size_t row_bytes = 4 * static_cast<std::size_t>(state_->width);
  Image image{state_->width, state_->height, {}};
  image.rgba.resize(row_bytes * static_cast<std::size_t>(state_->height));
  glPixelStorei(GL_PACK_ALIGNMENT, 4);
  glPixelStorei(GL_PACK_ROW_LENGTH, 0);
  glReadPixels(0, 0, image.width, image.height, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
  // OpenGL's first row is the lowest one.
  for (std::size_t top = 0, bottom = static_cast<std::size_t>(image.height) - 1; top < bottom; ++top, --bottom) {
    const auto row = [&](std::size_t index) {
      return image.rgba.begin() + static_cast<std::ptrdiff_t>(index * row_bytes);
    };
    std::swap_ranges(row(top), row(top + 1), row(bottom));
  }
  return image;
}

int OffscreenContext::width() const { return state_->width; }
int OffscreenContext::height() const { return state_->height; }

}  // namespace attnscope::platform
