// The canvas of a web page as the window, through Emscripten's GLFW.
#include <emscripten.h>
#include <emscripten/html5.h>

#include "platform/gl/gl.h"
#include "platform/gl/window.h"

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

struct Window::State {
  GLFWwindow* window = nullptr;
  Size size;
  bool full = false;  ///< what was asked for last
  std::vector<std::string> dropped_files;
  std::vector<KeyPress> key_presses;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (window != nullptr) glfwDestroyWindow(window);
    glfwTerminate();
  }

  Result<void> make_window(const WindowOptions& options);
  /// Makes the canvas as large as the page.
  void follow_page();
};

Result<void> Window::State::make_window(const WindowOptions& options) {
  glfwDefaultWindowHints();
  glfwWindowHint(GLFW_DEPTH_BITS, 0);
  glfwWindowHint(GLFW_STENCIL_BITS, 0);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  size = page_size();
  window = glfwCreateWindow(std::max(size.width, 1), std::max(size.height, 1), options.title.c_str(), nullptr, nullptr);
  if (window == nullptr) return fail("the browser offers no WebGL 2");
  glfwMakeContextCurrent(window);
  // The state outlives the window and never moves: GLFW may keep its address.
  glfwSetWindowUserPointer(window, this);
  glfwSetKeyCallback(window, [](GLFWwindow* target, int key, int /*scancode*/, int action, int modifiers) {
    if (action == GLFW_RELEASE) return;
    // Held down, it would fill the screen and leave it again and again.
    if (action == GLFW_REPEAT && key == KeyPress::kF11) return;
    if (key == GLFW_KEY_KP_ADD) key = '+';
    if (key == GLFW_KEY_KP_SUBTRACT) key = '-';
    if (key == GLFW_KEY_KP_0) key = '0';
    KeyPress press = {key, (modifiers & (GLFW_MOD_CONTROL | GLFW_MOD_SUPER)) != 0, (modifiers & GLFW_MOD_SHIFT) != 0,
                      (modifiers & GLFW_MOD_ALT) != 0};
    // Many keyboards have + above =.
    if (press.key == '=' && press.shift) press = {'+', press.control, false, press.alt};
    static_cast<State*>(glfwGetWindowUserPointer(target))->key_presses.push_back(press);
  });
  glfwSetCharCallback(window, [](GLFWwindow* target, unsigned character) {
    if (character == '?')
      static_cast<State*>(glfwGetWindowUserPointer(target))->key_presses.push_back({'?', false, true});
  });
  return {};
}

void Window::State::follow_page() {
  const Size now = page_size();
  if (now == size || now.width <= 0 || now.height <= 0) return;
  size = now;
  glfwSetWindowSize(window, size.width, size.height);
}

Window::Window(std::unique_ptr<State> state) : state_(std::move(state)) {}
Window::~Window() = default;
Window::Window(Window&&) noexcept = default;
Window& Window::operator=(Window&&) noexcept = default;

Result<Window> Window::open(const WindowOptions& options) {
  if (glfwInit() != GLFW_TRUE) return fail("the page has no canvas");
  auto state = std::make_unique<State>();
  if (Result<void> made = state->make_window(options); !made) return fail(made.error().message);
  return Window(std::move(state));
}

GLFWwindow* Window::handle() const { return state_->window; }

std::string Window::name_for_others() const { return ""; }

Size Window::framebuffer_size() const {
  Size size;
  glfwGetFramebufferSize(state_->window, &size.width, &size.height);
  return size;
}

Size Window::window_size() const {
  Size size;
  glfwGetWindowSize(state_->window, &size.width, &size.height);
  return size;
}

float Window::content_scale() const { return static_cast<float>(emscripten_get_device_pixel_ratio()); }

bool Window::minimized() const { return false; }
bool Window::maximized() const { return false; }

bool Window::should_close() const { return false; }
void Window::request_close(bool /*close*/) {}

// Waiting is left to the browser, which calls for each frame.
void Window::wait_events() { poll_events(); }
void Window::wait_events(double /*seconds*/) { poll_events(); }
void Window::poll_events() {
  state_->follow_page();
  glfwPollEvents();
}
void Window::wake() const {}

std::vector<KeyPress> Window::take_key_presses() { return std::exchange(state_->key_presses, {}); }
std::vector<std::string> Window::take_dropped_files() { return std::exchange(state_->dropped_files, {}); }

void Window::set_title(const std::string& title) { glfwSetWindowTitle(state_->window, title.c_str()); }

void Window::set_full_screen(bool full) {
  // Users leave the full screen by the browser's keys, too: that is not undone.
  if (std::exchange(state_->full, full) == full) return;
  attnscope_fill_screen(full ? 1 : 0);
}

void Window::set_icon(const std::vector<Image>& /*sizes*/) {}

void Window::bind() { glfwMakeContextCurrent(state_->window); }

void Window::clear(const Rgba& color, std::span<const ColoredArea> areas) {
  const Size size = framebuffer_size();
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  clear_framebuffer(size.width, size.height, color, areas);
}

void Window::swap() { glfwSwapBuffers(state_->window); }

void call_for_characters(GLFWwindow* window, void (*typed)(GLFWwindow* window, unsigned character)) {
  glfwSetCharCallback(window, typed);
}

const char* shader_version() { return "#version 300 es"; }

}  // namespace attnscope::platform
