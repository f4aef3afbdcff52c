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

/// How a window starts. Sizes are in screen coordinates, which the desktop multiplies by its scale.
struct WindowOptions {
  std::string title = "attnscope";
  int width = 1280;
  int height = 800;
  /// The user cannot make the window smaller than this.
  int minimum_width = 480;
  int minimum_height = 320;
  bool maximized = false;
  /// `swap` waits for the screen's refresh, so that a dragged slider costs no more frames than can be seen.
  bool vsync = true;
  /// Off for tests that want a window nobody sees.
  bool visible = true;
  /// What can be done without a window; stands in the message that there is no display for one.
  std::string without_window = {};
};

/// Width and height, in the unit that the function returning it names.
struct Size {
  int width = 0;
  int height = 0;

  friend bool operator==(const Size&, const Size&) = default;
};

/// A key that went down. Letters and digits are their capital character, as the user's keyboard is laid out; '?' is
/// that character wherever it is; other keys have GLFW's numbers.
struct KeyPress {
  static constexpr int kEscape = 256;
  static constexpr int kRight = 262;
  static constexpr int kLeft = 263;
  static constexpr int kDown = 264;
  static constexpr int kUp = 265;
  static constexpr int kPageUp = 266;
  static constexpr int kPageDown = 267;
  static constexpr int kF5 = 294;

  int key = 0;
  bool control = false;
  bool shift = false;
};

/// A window with an OpenGL 3.3 core context that is current in the thread that opened it. Every function must be called
/// from that one thread (the main thread), except `wake`. At most one window need exist; several may.
class Window {
 public:
  /// Opens the window. Errors are one line: there is no display to open it on, the driver's OpenGL is older than 3.3
  /// (with the version found), or the desktop's own reason why the window or its context could not be made.
  static Result<Window> open(const WindowOptions& options);

  /// Destroys the context: everything that holds OpenGL objects goes first.
  ~Window();
  Window(Window&&) noexcept;
  Window& operator=(Window&&) noexcept;

  /// GLFW's handle, for the ImGui backend.
  [[nodiscard]] GLFWwindow* handle() const;

  /// Size of what is drawn into, in pixels. 0 × 0 while minimised on some desktops.
  [[nodiscard]] Size framebuffer_size() const;
  /// Size in screen coordinates: what the saved state keeps and `WindowOptions` takes.
  [[nodiscard]] Size window_size() const;
  /// Size of text and controls that the desktop asks for: 1 is 96 dots per inch, 2 twice that. Changes when the window
  /// moves to another screen.
  [[nodiscard]] float content_scale() const;
  [[nodiscard]] bool minimized() const;
  [[nodiscard]] bool maximized() const;

  /// Whether the user, or `request_close`, has asked for the window to go.
  [[nodiscard]] bool should_close() const;
  /// `false` takes the request back, say because work is unsaved.
  void request_close(bool close = true);

  /// Sleeps until there is input, `wake` is called or the window needs drawing; then handles what has come in.
  void wait_events();
  /// The same, for at most `seconds` (0 or more).
  void wait_events(double seconds);
  /// Handles what has come in without waiting.
  void poll_events();
  /// Ends a wait from any thread, say because a result is ready. Stop the threads that call it before the window goes.
  void wake() const;

  /// The paths of the files dropped on the window since the last call, in the order they came.
  std::vector<std::string> take_dropped_files();

  void set_title(const std::string& title);
  /// The keys pressed since the last call, none missed however short: what shortcuts listen to.
  std::vector<KeyPress> take_key_presses();

  /// The picture in the task bar; the best sizes are 16, 32 and 48 pixels square, several of which may be given.
  void set_icon(const std::vector<Image>& sizes);

  /// Makes the context current in this thread.
  void bind();
  /// Fills the whole framebuffer with one colour. Leaves the viewport on all of it and the scissor test off.
  void clear(const Rgba& color, std::span<const ColoredArea> areas = {});
  /// Shows what has been drawn.
  void swap();

 private:
  struct State;
  explicit Window(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace attnscope::platform
