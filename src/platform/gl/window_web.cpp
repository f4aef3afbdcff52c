// The canvas of a web page as the window, through Emscripten's GLFW.
#include <emscripten.h>
#include <emscripten/html5.h>

#include "platform/gl/window_state.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <string>
#include <utility>

// clang-format off
EM_JS(int, attnscope_page_width, (), { return window.innerWidth; })
EM_JS(int, attnscope_page_height, (), { return window.innerHeight; })
EM_JS(void, attnscope_fill_screen, (int full), { Module["page"].setFullScreen(full !== 0); })
// clang-format on

namespace attnscope::platform {
namespace {

/// The size of the page, in CSS pixels.
Size page_size() { return {attnscope_page_width(), attnscope_page_height()}; }

}  // namespace

Result<void> Window::State::make_window(const WindowOptions& options) {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  const Size size = page_size();
  window = glfwCreateWindow(std::max(size.width, 1), std::max(size.height, 1), options.title.c_str(), nullptr, nullptr);
  if (window == nullptr) return fail("the browser offers no WebGL 2");
  glfwMakeContextCurrent(window);
  note_keys({[](int key, int /*scancode*/, bool /*control*/) { return key; }, true});
  return {};
}

Result<Window> Window::open(const WindowOptions& options) {
  if (glfwInit() != GLFW_TRUE) return fail("the page has no canvas");
  auto state = std::make_unique<State>();
  if (Result<void> made = state->make_window(options); !made) return fail(made.error().message);
  return Window(std::move(state));
}

std::string Window::name_for_others() const { return ""; }

float Window::content_scale() const { return static_cast<float>(emscripten_get_device_pixel_ratio()); }

bool Window::minimized() const { return false; }
bool Window::maximized() const { return false; }

bool Window::should_close() const { return false; }
void Window::request_close(bool /*close*/) {}

// Waiting is left to the browser, which calls for each frame.
void Window::wait_events() { poll_events(); }
void Window::wait_events(double /*seconds*/) { poll_events(); }
void Window::poll_events() {
  const Size size = page_size();
  if (size != window_size() && size.width > 0 && size.height > 0)
    glfwSetWindowSize(state_->window, size.width, size.height);
  glfwPollEvents();
}
void Window::wake() const {}

void Window::set_full_screen(bool full) {
  // Users leave the full screen by the browser's keys, too: that is not undone.
  if (state_->before_full_screen.has_value() == full) return;
  state_->before_full_screen = full ? std::optional(Placement{}) : std::nullopt;
  attnscope_fill_screen(full ? 1 : 0);
}

void Window::set_icon(const std::vector<Image>& /*sizes*/) {}

const char* shader_version() { return "#version 300 es"; }

}  // namespace attnscope::platform
