#include "platform/gl/window.h"

#include "platform/gl/gl.h"
#include "platform/gl/window_state.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// GLFW's header for this needs those of X11. Not every build of GLFW has the function.
// NOLINTNEXTLINE(readability-identifier-naming): GLFW's name
extern "C" [[gnu::weak]] unsigned long glfwGetX11Window(GLFWwindow* window);

namespace attnscope::platform {
namespace {

Placement placement_of(GLFWwindow* window) {
  Placement place;
  glfwGetError(nullptr);
  glfwGetWindowPos(window, &place.left, &place.top);
  place.is_known = glfwGetError(nullptr) == GLFW_NO_ERROR;
  glfwGetWindowSize(window, &place.width, &place.height);
  place.maximized = glfwGetWindowAttrib(window, GLFW_MAXIMIZED) == GLFW_TRUE;
  return place;
}

/// GLFW's reason for the last failure in this thread, in one line.
std::string last_error(int* code = nullptr) {
  const char* text = nullptr;
  const int found = glfwGetError(&text);
  if (code != nullptr) *code = found;
  std::string line = text != nullptr ? text : "no reason given";
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

/// Appends a hint at what works without a window.
std::string hinted(const std::string& message, const WindowOptions& options) {
  return options.without_window.empty() ? message : message + "; " + options.without_window;
}

std::string too_old(const std::string& found) {
  return "needs OpenGL 3.3, found " + found + "; LIBGL_ALWAYS_SOFTWARE=1 uses the software renderer";
}

/// The OpenGL version of a context without special requirements.
std::string ordinary_opengl_version() {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
  GLFWwindow* probe = glfwCreateWindow(16, 16, "attnscope", nullptr, nullptr);
  if (probe == nullptr) return "none (" + last_error() + ")";
  glfwMakeContextCurrent(probe);
  const auto get_string = reinterpret_cast<PFNGLGETSTRINGPROC>(glfwGetProcAddress("glGetString"));
  const GLubyte* version = get_string != nullptr ? get_string(GL_VERSION) : nullptr;
  std::string text = version != nullptr ? reinterpret_cast<const char*>(version) : "an unknown version";
  glfwDestroyWindow(probe);
  return text;
}

void set_hints(const WindowOptions& options) {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_CLIENT_API, GLFW_OPENGL_API);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
  // Nothing uses depth or stencil buffers.
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, options.scaled ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHint(GLFW_MAXIMIZED, options.maximized ? GLFW_TRUE : GLFW_FALSE);
  glfwWindowHint(GLFW_VISIBLE, options.visible ? GLFW_TRUE : GLFW_FALSE);
  // On the full screen too, another window in front does not minimize this one: a file dialog, or the lecturer's notes.
  glfwWindowHint(GLFW_AUTO_ICONIFY, GLFW_FALSE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "attnscope");
  glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "attnscope");
}

/// The size that a window begins with.
Size first_size(const WindowOptions& options) {
  Size size = {std::max(options.width, 1), std::max(options.height, 1)};
  GLFWmonitor* const screen = options.scaled ? nullptr : glfwGetPrimaryMonitor();
  if (screen == nullptr) return size;
  Size room;
  glfwGetMonitorWorkarea(screen, nullptr, nullptr, &room.width, &room.height);
  if (room.width > 0) size.width = std::min(size.width, room.width);
  if (room.height > 0) size.height = std::min(size.height, room.height);
  return size;
}

/// GLFW's keys are positions on an American keyboard; a shortcut is the character printed on the key.
int key_on_layout(int key, int scancode, bool control) {
  if (key < GLFW_KEY_APOSTROPHE || key > GLFW_KEY_GRAVE_ACCENT) return key;
  const char* name = glfwGetKeyName(key, scancode);
  if (name == nullptr || name[0] == '\0' || name[1] != '\0') return key;
  if (name[0] >= 'a' && name[0] <= 'z') return name[0] - 'a' + 'A';
  // Where a digit is printed above a sign, the key alone is the digit.
  const bool is_sign = std::string_view("+-=[]").find(name[0]) != std::string_view::npos;
  return is_sign && (control || key < '0' || key > '9') ? name[0] : key;
}

/// GLFW 3.4 tries Wayland before X11. Without Wayland, its library would print a message.
void choose_platform() {
#ifdef GLFW_PLATFORM
  const bool may_be_wayland = std::getenv("XDG_RUNTIME_DIR") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
  if (!may_be_wayland && glfwPlatformSupported(GLFW_PLATFORM_X11) == GLFW_TRUE)
    glfwInitHint(GLFW_PLATFORM, GLFW_PLATFORM_X11);
#endif
}

}  // namespace

Result<void> Window::State::make_window(const WindowOptions& options) {
  set_hints(options);
  const Size size = first_size(options);
  window = glfwCreateWindow(size.width, size.height, options.title.c_str(), nullptr, nullptr);
  if (window == nullptr) {
    int code = 0;
    const std::string reason = last_error(&code);
    if (code == GLFW_VERSION_UNAVAILABLE) return fail(too_old(ordinary_opengl_version()));
    if (code == GLFW_API_UNAVAILABLE) return fail(hinted("the display offers no OpenGL (" + reason + ")", options));
    return fail("the window could not be opened: " + reason + "; LIBGL_ALWAYS_SOFTWARE=1 uses the software renderer");
  }
  glfwMakeContextCurrent(window);
  const int version = gladLoadGL(glfwGetProcAddress);
  if (version == 0) return fail("the OpenGL functions could not be loaded: " + last_error());
  if (version < GLAD_MAKE_VERSION(3, 3)) {
    return fail(
        too_old(std::to_string(GLAD_VERSION_MAJOR(version)) + "." + std::to_string(GLAD_VERSION_MINOR(version))));
  }

  glfwSwapInterval(options.vsync ? 1 : 0);
  glfwSetWindowSizeLimits(window, options.minimum_width, options.minimum_height, GLFW_DONT_CARE, GLFW_DONT_CARE);
  note_keys({key_on_layout});
  glfwSetDropCallback(window, [](GLFWwindow* target, int count, const char** paths) {
    auto& dropped = static_cast<State*>(glfwGetWindowUserPointer(target))->dropped_files;
    dropped.insert(dropped.end(), paths, paths + count);
  });
  return {};
}

Result<Window> Window::open(const WindowOptions& options) {
  choose_platform();
  // glfwGetError returns the reasons; without a callback, GLFW prints nothing.
  if (glfwInit() != GLFW_TRUE) return fail(hinted("no display to open a window on (" + last_error() + ")", options));
  auto state = std::make_unique<State>();
  if (Result<void> made = state->make_window(options); !made) return fail(made.error().message);
  return Window(std::move(state));
}

std::string Window::name_for_others() const {
  const unsigned long window = glfwGetX11Window != nullptr ? glfwGetX11Window(state_->window) : 0;
  if (window == 0) return "";
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "x11:%lx", window);
  return text.data();
}

float Window::content_scale() const {
  float x = 1;
  float y = 1;
  glfwGetWindowContentScale(state_->window, &x, &y);
  const float scale = std::max(x, y);
  // A virtual screen of unknown size reports 0 or nonsense.
  return scale >= 0.25F && scale <= 16.0F ? scale : 1.0F;
}

bool Window::minimized() const { return glfwGetWindowAttrib(state_->window, GLFW_ICONIFIED) == GLFW_TRUE; }
bool Window::maximized() const { return glfwGetWindowAttrib(state_->window, GLFW_MAXIMIZED) == GLFW_TRUE; }

bool Window::should_close() const { return glfwWindowShouldClose(state_->window) == GLFW_TRUE; }
void Window::request_close(bool close) { glfwSetWindowShouldClose(state_->window, close ? GLFW_TRUE : GLFW_FALSE); }

void Window::wait_events() { glfwWaitEvents(); }

void Window::wait_events(double seconds) {
  // GLFW rejects infinity, and an X server's clock cannot wait much longer than a day.
  constexpr double longest = 86400;
  if (seconds > 0) {
    glfwWaitEventsTimeout(std::min(seconds, longest));
  } else {
    glfwPollEvents();
  }
}

void Window::poll_events() { glfwPollEvents(); }
void Window::wake() const { glfwPostEmptyEvent(); }

namespace {

/// The screen that most of the window is on; null: there is none, or it cannot be known, as under Wayland with several.
GLFWmonitor* screen_of(const Placement& own) {
  int count = 0;
  GLFWmonitor** const screens = glfwGetMonitors(&count);
  if (!own.is_known && count > 1) return nullptr;
  GLFWmonitor* best = glfwGetPrimaryMonitor();
  int most = 0;
  for (int i = 0; i < count; ++i) {
    const GLFWvidmode* mode = glfwGetVideoMode(screens[i]);
    if (mode == nullptr) continue;
    int x = 0;
    int y = 0;
    glfwGetMonitorPos(screens[i], &x, &y);
    const int across = std::min(own.left + own.width, x + mode->width) - std::max(own.left, x);
    const int down = std::min(own.top + own.height, y + mode->height) - std::max(own.top, y);
    if (across <= 0 || down <= 0 || across * down <= most) continue;
    most = across * down;
    best = screens[i];
  }
  return best;
}

}  // namespace

void Window::set_full_screen(bool full) {
  GLFWwindow* const window = state_->window;
  std::optional<Placement>& before = state_->before_full_screen;
  if (full == before.has_value()) return;
  if (!full) {
    const Placement old = *std::exchange(before, std::nullopt);
    if (glfwGetWindowMonitor(window) == nullptr && !old.maximized) glfwRestoreWindow(window);
    if (glfwGetWindowMonitor(window) != nullptr)
      glfwSetWindowMonitor(window, nullptr, old.left, old.top, old.width, old.height, GLFW_DONT_CARE);
    if (old.maximized) glfwMaximizeWindow(window);
    return;
  }
  before = placement_of(window);
  GLFWmonitor* screen = screen_of(*before);
  const GLFWvidmode* mode = screen != nullptr ? glfwGetVideoMode(screen) : nullptr;
  if (mode == nullptr) return glfwMaximizeWindow(window);
  glfwSetWindowMonitor(window, screen, 0, 0, mode->width, mode->height, mode->refreshRate);
}

void Window::set_icon(const std::vector<Image>& sizes) {
  std::vector<std::vector<std::uint8_t>> pixels;
  std::vector<GLFWimage> icons;
  pixels.reserve(sizes.size());
  icons.reserve(sizes.size());
  for (const Image& size : sizes) {
    pixels.push_back(size.rgba);  // GLFW takes a pointer to non-const bytes
    icons.push_back({size.width, size.height, pixels.back().data()});
  }
  glfwSetWindowIcon(state_->window, static_cast<int>(icons.size()), icons.data());
}

const char* shader_version() { return "#version 330 core"; }

}  // namespace attnscope::platform
