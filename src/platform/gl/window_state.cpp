#include "platform/gl/window_state.h"

#include "platform/gl/gl.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <utility>

namespace attnscope::platform {
namespace {

/// GLFW is started with the first window and stopped with the last. Main thread only.
int open_windows = 0;

/// The same for all windows.
KeyRules rules;

KeyPress key_press(int key, int scancode, int modifiers) {
  const bool control = (modifiers & (GLFW_MOD_CONTROL | (rules.command_is_control ? GLFW_MOD_SUPER : 0))) != 0;
  if (key == GLFW_KEY_KP_ADD) {
    key = '+';
  } else if (key == GLFW_KEY_KP_SUBTRACT) {
    key = '-';
  } else if (key == GLFW_KEY_KP_0) {
    key = '0';
  } else {
    key = rules.key_of(key, scancode, control);
  }
  const KeyPress press = {key, control, (modifiers & GLFW_MOD_SHIFT) != 0, (modifiers & GLFW_MOD_ALT) != 0};
  // Many keyboards have + above =.
  return press.key == '=' && press.shift ? KeyPress{'+', press.control, false, press.alt} : press;
}

}  // namespace

Window::State::State() { ++open_windows; }

Window::State::~State() {
  if (window != nullptr) glfwDestroyWindow(window);
  if (--open_windows == 0) glfwTerminate();
}

void Window::State::note_keys(const KeyRules& of_platform) {
  rules = of_platform;
  // The state outlives the window and never moves: GLFW may keep its address.
  glfwSetWindowUserPointer(window, this);
  glfwSetKeyCallback(window, [](GLFWwindow* target, int key, int scancode, int action, int modifiers) {
    if (action == GLFW_RELEASE) return;
    // Held down, it would fill the screen and leave it again and again.
    if (action == GLFW_REPEAT && key == KeyPress::kF11) return;
    static_cast<State*>(glfwGetWindowUserPointer(target))->key_presses.push_back(key_press(key, scancode, modifiers));
  });
  glfwSetCharCallback(window, [](GLFWwindow* target, unsigned character) {
    if (character == '?')
      static_cast<State*>(glfwGetWindowUserPointer(target))->key_presses.push_back({'?', false, true});
  });
}

Window::Window(std::unique_ptr<State> state) : state_(std::move(state)) {}
Window::~Window() = default;
Window::Window(Window&&) noexcept = default;
Window& Window::operator=(Window&&) noexcept = default;

GLFWwindow* Window::handle() const { return state_->window; }

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

std::vector<KeyPress> Window::take_key_presses() { return std::exchange(state_->key_presses, {}); }
std::vector<std::string> Window::take_dropped_files() { return std::exchange(state_->dropped_files, {}); }

void Window::set_title(const std::string& title) { glfwSetWindowTitle(state_->window, title.c_str()); }

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

}  // namespace attnscope::platform
