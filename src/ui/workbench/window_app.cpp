#include "ui/workbench/window_app.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>

#include "app/jobs/ending.h"
#include "io/base/file.h"
#include "io/desktop/user_state.h"
#include "ui/imgui/imgui_compat.h"
#include "ui/parts/remembered.h"
#include "ui/workbench/window_workbench.h"

namespace attnscope::ui {
namespace {

using Clock = std::chrono::steady_clock;

// After input, ImGui needs a frame to see it, one to react and one to settle.
constexpr int kFramesAfterEvent = 3;
// Tooltips appear this long after the last movement. Then the window sleeps until there is input.
constexpr double kSettleSeconds = 0.4;
// A shorter wait would keep a processor busy.
constexpr double kLeastWait = 0.004;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Sleeps until a frame is due.
class FramePacer {
 public:
  /// Handles events; returns whether to draw. `due_in`: seconds until the next frame differs by itself.
  bool wait(platform::Window& window, bool animating, std::optional<double> due_in) {
    if (window.minimized()) {
      window.wait_events();
      due_ = kFramesAfterEvent;
      return false;
    }
    if (input_waits()) due_ = kFramesAfterEvent;
    if (due_ > 0 || animating) {
      window.poll_events();
      due_ = std::max(0, due_ - 1);
      return true;
    }
    if (due_in) {
      window.wait_events(std::max(kLeastWait, *due_in));
      due_ = 1;
      return false;
    }
    if (settling_) {
      const auto start = Clock::now();
      window.wait_events(kSettleSeconds);
      settling_ = seconds_since(start) < kSettleSeconds;
    } else {
      window.wait_events();
      settling_ = true;
    }
    due_ = settling_ ? kFramesAfterEvent : 1;
    return false;
  }

 private:
  int due_ = kFramesAfterEvent;
  bool settling_ = true;
};

/// The window as it was closed.
platform::WindowOptions window_options(const std::string& without_window) {
  platform::WindowOptions options;
  options.without_window = without_window;
  const std::optional<UserState> last = stored_user_state(user_folder());
  if (!last || last->window.width == 0) return options;
  options.width = last->window.width;
  options.height = last->window.height;
  options.maximized = last->window.maximized;
  options.scaled = false;
  return options;
}

/// For the next time. Only an ordinary window tells its size; one that filled the screen will be as it was before.
void remember(const platform::Window& window, bool full_screen) {
  if (full_screen || window.minimized()) return;
  Remembered remembered(user_folder());
  ClosedWindow closed = remembered.state().window;
  closed.maximized = window.maximized();
  if (!closed.maximized) {
    const platform::Size size = window.window_size();
    closed.width = size.width;
    closed.height = size.height;
  } else if (closed.width == 0) {
    const platform::WindowOptions usual;
    closed.width = usual.width;
    closed.height = usual.height;
  }
  remembered.set_window(closed);
}

}  // namespace

Result<void> run_window(WindowArguments arguments) {
  // Before other threads start.
  EndingWatch ending;
  Result<platform::Window> window = platform::Window::open(window_options(arguments.without_window));
  if (!window) return tl::unexpected(window.error());

  ImGuiHost host(window->handle());
  Result<std::unique_ptr<Workbench>> created = open_workbench(host, *window, arguments, [&window] { window->wake(); });
  if (!created) return tl::unexpected(created.error());
  Workbench& workbench = **created;
  const LastAct last_act(ending, [&workbench] {
    workbench.workspace().save_now();
    remove_staging_folders();
  });

  FramePacer pacer;
  std::string title;
  while (!workbench.wants_to_quit()) {
    if (window->should_close()) {
      window->request_close(false);
      workbench.ask_to_quit();
      continue;
    }
    if (!pacer.wait(*window, workbench.animating(), workbench.shown_figure().playback().due_in())) continue;
    workbench.open_files(window->take_dropped_files());
    for (const platform::KeyPress& press : window->take_key_presses()) workbench.press(press);
    workbench.set_scale(scale_of(*window, arguments.ui_scale));
    draw_frame(*window, host, workbench);
    window->set_full_screen(workbench.wants_full_screen());
    if (workbench.window_title() != title) window->set_title(title = workbench.window_title());
  }
  remember(*window, workbench.wants_full_screen());
  return {};
}

}  // namespace attnscope::ui
