// The window on the desktop and the OpenGL context in it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "platform/gl/image.h"

struct GLFWwindow;

namespace attnscope::platform {

/// The first line of shaders for `Window`'s OpenGL: "#version 330 core".
const char* shader_version();

/// The initial state of a window. Sizes are in screen coordinates.
struct WindowOptions {
  std::string title = "attnscope";
  int width = 1280;
  int height = 800;
  /// Multiplied by the desktop's scale; otherwise exactly this size, as far as the screen has room for it.
  bool scaled = true;
  /// The user cannot make the window smaller than this.
  int minimum_width = 480;
  int minimum_height = 320;
  bool maximized = false;
  /// `swap` waits for the screen's refresh: a dragged slider costs no more frames than are visible.
  bool vsync = true;
  /// Off for tests with an invisible window.
  bool visible = true;
  /// What works without a window; part of the message that there is no display.
  std::string without_window = {};
};

/// Width and height, in the unit that the function returning it names.
struct Size {
  int width = 0;
  int height = 0;

  friend bool operator==(const Size&, const Size&) = default;
};

/// A key press. Letters, digits and + - = [ ] are their (capital) character in the user's keyboard layout; '?' is that
/// character on any key; other keys have GLFW's numbers.
struct KeyPress {
  static constexpr int kEscape = 256;
  static constexpr int kEnter = 257;
  static constexpr int kTab = 258;
  static constexpr int kRight = 262;
  static constexpr int kLeft = 263;
  static constexpr int kDown = 264;
  static constexpr int kUp = 265;
  static constexpr int kPageUp = 266;
  static constexpr int kPageDown = 267;
  static constexpr int kF1 = 290;
  static constexpr int kF5 = 294;
  static constexpr int kF6 = 295;
  static constexpr int kF10 = 299;
  static constexpr int kF11 = 300;

  int key = 0;
  bool control = false;
  bool shift = false;
  bool alt = false;
};

/// A window with an OpenGL 3.3 core context, which is current in the thread that opened it. All functions except `wake`
/// must be called from that thread, the main thread. Several windows may exist.
class Window {
 public:
  /// Opens the window. Errors, in one line: no display, an OpenGL older than 3.3 (with its version), or the desktop's
  /// reason why it cannot create the window or its context.
  static Result<Window> open(const WindowOptions& options);

  /// Destroys the context; all OpenGL objects must be gone before.
  ~Window();
  Window(Window&&) noexcept;
  Window& operator=(Window&&) noexcept;

  /// GLFW's handle, for the ImGui backend.
  [[nodiscard]] GLFWwindow* handle() const;

  /// The window as other programs name it, so that their dialogs stay in front of it: "x11:1a2b". Empty under Wayland.
  [[nodiscard]] std::string name_for_others() const;

  /// Size of the framebuffer in pixels; 0 × 0 while minimized on some desktops.
  [[nodiscard]] Size framebuffer_size() const;
  /// Size in screen coordinates, as in `WindowOptions`.
  [[nodiscard]] Size window_size() const;
  /// Scale of text and controls that the desktop requests: 1 is 96 dots per inch. Changes when the window moves to
  /// another screen.
  [[nodiscard]] float content_scale() const;
  [[nodiscard]] bool minimized() const;
  [[nodiscard]] bool maximized() const;

  /// Whether the user, or `request_close`, asked to close the window.
  [[nodiscard]] bool should_close() const;
  /// `false` withdraws the request, for instance because of unsaved work.
  void request_close(bool close = true);

  /// Sleeps until there is input, `wake` is called or the window needs drawing; then handles all events.
  void wait_events();
  /// The same, for at most `seconds` (0 or more).
  void wait_events(double seconds);
  /// Handles all events without waiting.
  void poll_events();
  /// Ends a wait, from any thread, for instance because a result is ready. Calling threads must stop before the window
  /// is destroyed.
  void wake() const;

  /// The paths of the files dropped on the window since the last call, in order.
  std::vector<std::string> take_dropped_files();

  void set_title(const std::string& title);
  /// Fills the screen that most of the window is on, or makes it as it was before. Does nothing if it is so already.
  void set_full_screen(bool full);
  /// The keys pressed since the last call, however briefly; used for shortcuts.
  std::vector<KeyPress> take_key_presses();

  /// Sets the icon; pass several sizes, best 16, 32 and 48 pixels square.
  void set_icon(const std::vector<Image>& sizes);

  /// Makes the context current in this thread.
  void bind();
  /// Fills the framebuffer with one colour. Sets the viewport to all of it and turns the scissor test off.
  void clear(const Rgba& color, std::span<const ColoredArea> areas = {});
  /// Shows the finished frame.
  void swap();

 private:
  struct State;
  explicit Window(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Calls `typed` for every character that is typed into the window, in place of what was called for them before.
void call_for_characters(GLFWwindow* window, void (*typed)(GLFWwindow* window, unsigned character));

}  // namespace attnscope::platform
