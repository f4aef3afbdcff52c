// What a window keeps, on a desktop and in a web page. Private to the window.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/gl/window.h"

namespace attnscope::platform {

/// Where a window is, in screen coordinates.
struct Placement {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  bool maximized = false;
  bool is_known = true;  ///< Wayland does not tell
};

/// How GLFW's keys become those of a `KeyPress`.
struct KeyRules {
  int (*key_of)(int key, int scancode, bool control) = nullptr;  ///< what is printed on a key beside the keypad's
  bool command_is_control = false;                               ///< Command does what Ctrl does, as on a Mac
};

/// GLFW is stopped when the last of these is gone.
struct Window::State {
  GLFWwindow* window = nullptr;
  std::vector<std::string> dropped_files;
  std::vector<KeyPress> key_presses;
  std::optional<Placement> before_full_screen;  ///< nothing: the window is as it was

  State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  /// Opens `window` and makes its context current; the rest of `Window::open`.
  Result<void> make_window(const WindowOptions& options);

  /// Notes from now on which keys are pressed. GLFW keeps the address of this object.
  void note_keys(const KeyRules& of_platform);
};

}  // namespace attnscope::platform
